/** Compressed responses over real HTTP: what is compressed for whom, and everything that refers to the bytes. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addCompression } from '../../src/http/sending/compress-responses.ts';
import { chooseCoding, contentCodings } from '../../src/http/sending/content-coding.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { openEventStream } from '../support/event-stream.ts';
import { type Answer, json, openRaw, rawRequest, send } from '../support/http-client.ts';
import { bearer, type UploadResult, uploaded } from '../support/interface-client.ts';
import { withoutFormTokens } from '../support/page-forms.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
const decoded = ({ headers, body }: Answer): string => {
  const coding = headers['content-encoding'];
  return (coding === undefined ? body : decoders[coding as keyof typeof decoders](body)).toString();
};
/** Without what differs in each response. */
const stable = (html: string) => withoutFormTokens(html).replace(/[\w-]{8,}-[\w-]{27}/g, '');

describe('the content coding', () => {
  it.each([
    ['', null],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['GZIP ; Q=1.0', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', null],
    // The client’s preference comes before the server’s.
    ['zstd;q=0.5, gzip;q=0.8', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0', null],
    ['gzip;q=0.000, br', 'br'],
    ['gzip;q=0.5, identity', null],
    ['gzip, identity', 'gzip'],
    ['gzip;q=0.5, identity;q=0.5', 'gzip'],
    ['identity', null],
    // Only gzip for clients that accept anything.
    ['*', 'gzip'],
    ['*;q=0', null],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0, *', null],
    // Malformed weights are no permission.
    ['gzip;q=2', null],
    ['gzip;q=0.1234', null],
    ['gzip;q=', null],
    ['gzip;q=-1, br;q=x', null],
    [',,;q=1, gzip', 'gzip'],
  ])('for “%s” is %s', (header, coding) => {
    expect(chooseCoding(header, contentCodings)).toBe(coding);
  });
});

describe('compression', () => {
  let slipway: TestService;
  let admin: BrowserSession;
  let built: UploadResult;
  const pathOf = (address: string) => address.slice(slipway.origin.length);
  const pagesPath = '/administration/people';
  let buildPath: string;
  beforeAll(async () => {
    slipway = await startTestService();
    built = await uploaded(slipway, { fields: { distribution_name: 'main', message: 'first '.repeat(150) } });
    buildPath = `/api/v1/apps/admin/android/${built.package_name}/builds/1`;
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(slipway.port, path, { method, headers });
  const page = (path: string, headers: Record<string, string>) =>
    admin.get(path, { headers: { 'Sec-Fetch-Site': 'same-origin', ...headers } });

  it.each(contentCodings)('sends pages as %s, with the same content', async (coding) => {
    const plain = await page(pagesPath, {});
    const answer = await page(pagesPath, { 'Accept-Encoding': coding });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(answer.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(answer.body.byteLength),
      vary: 'Accept-Encoding, Accept-Language',
    });
    expect(plain.headers.vary).toBe('Accept-Encoding, Accept-Language');
    expect(stable(decoded(answer))).toBe(stable(plain.text));
    expect(answer.body.byteLength).toBeLessThan(plain.body.byteLength / 2);
  });

  it('sends what the client prefers, and nothing that it has not listed', async () => {
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'zstd'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0.1, gzip;q=0.2', 'gzip'],
      ['deflate', undefined],
      ['gzip;q=0', undefined],
    ] as const)
      expect((await page(pagesPath, { 'Accept-Encoding': accepted })).headers['content-encoding']).toBe(
        coding,
      );
  });

  it('gives HEAD the headers of GET', async () => {
    for (const accepted of ['br', 'identity']) {
      const headers = { 'Accept-Encoding': accepted };
      const [get, head] = [
        await ask('/api/openapi.json', headers),
        await ask('/api/openapi.json', headers, 'HEAD'),
      ];
      expect(head.body.byteLength).toBe(0);
      for (const name of ['content-length', 'content-encoding', 'content-type', 'vary'])
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      expect(get.headers['content-length']).toBe(String(get.body.byteLength));
    }
  });

  it('sends the documentation and its document in a twelfth of their size', async () => {
    for (const path of ['/docs', '/api/openapi.json']) {
      const plain = await ask(path, { Accept: 'text/html' });
      const small = await ask(path, { Accept: 'text/html', 'Accept-Encoding': 'gzip' });
      expect(stable(decoded(small))).toBe(stable(plain.text));
      expect(small.body.byteLength).toBeLessThan(plain.body.byteLength / 12);
    }
  });

  it('compresses problems, errors of the interface and error pages from 1,024 bytes on', async () => {
    const all = { 'Accept-Encoding': 'gzip' };
    const missing = await page('/nothing-there', all);
    expect([missing.status, missing.headers['content-encoding']]).toEqual([404, 'gzip']);
    expect(decoded(missing)).toContain('</html>');
    const small = await ask('/api/v1/me', { ...bearer('slw_no-key'), ...all });
    expect([small.status, small.headers['content-encoding']]).toEqual([401, undefined]);
    expect(json(small)).toMatchObject({ status: 401 });
    // The message quotes the refused value.
    const long = await ask(`/api/v1/me?${'unknown-field'.repeat(120)}=1`, {
      ...bearer(slipway.adminKey),
      ...all,
    });
    expect([long.status, long.headers['content-encoding']]).toEqual([400, 'gzip']);
    expect(JSON.parse(decoded(long))).toMatchObject({ status: 400 });
  });

  it('leaves alone what is small, compressed already, a range or a stream of events', async () => {
    const all = { 'Accept-Encoding': 'gzip, br, zstd' };
    const asset =
      /\/assets\/slipway\.css[^"]*/.exec((await ask('/sign-in', { Accept: 'text/html' })).text)?.[0] ?? '';
    const left: Record<string, Answer> = {
      small: await ask('/robots.txt', all),
      redirect: await ask('/settings', { ...all, Accept: 'text/html' }),
      package: await ask(pathOf(built.file), all),
      range: await ask(pathOf(built.file), { ...all, Range: 'bytes=0-9' }),
      icon: await ask(pathOf(built.icon), all),
      'QR code': await ask(`/qr?data=${encodeURIComponent(`${slipway.origin}/x`)}`, all),
      'small asset': await ask('/favicon.ico', all),
    };
    for (const [what, answer] of Object.entries(left)) {
      expect([what, answer.headers['content-encoding']]).toEqual([what, undefined]);
      expect([what, answer.headers.vary ?? '']).not.toEqual([what, expect.stringContaining('Encoding')]);
    }
    expect(left.range?.body.byteLength).toBe(10);
    expect(left.package?.headers['content-length']).toBe(String(left.package?.body.byteLength));
    expect((await ask(asset, all)).headers['content-encoding']).toBe('br');
    const appPath = `/users/admin/platforms/android/apps/${built.package_name}`;
    const live = await openEventStream(slipway.origin, `${appPath}/live`, {
      ...bearer(slipway.adminKey),
      ...all,
    });
    live.destroy();
    expect(live.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8' });
    expect(live.headers).not.toHaveProperty('content-encoding');
  });

  it('gives each coding its own strong ETag, and knows the resource by any of them', async () => {
    const key = bearer(slipway.adminKey);
    const read = (headers: Record<string, string>) => ask(buildPath, { ...key, ...headers });
    const plain = await read({});
    const etag = plain.headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const tags = [etag];
    for (const coding of contentCodings) {
      const answer = await read({ 'Accept-Encoding': coding });
      expect(answer.headers).toMatchObject({
        'content-encoding': coding,
        etag: etag.replace(/"$/, `-${coding}"`),
        vary: 'Accept-Encoding',
      });
      expect(decoded(answer)).toBe(plain.text);
      tags.push(answer.headers.etag ?? '');
    }
    for (const known of [...tags, `W/${tags[1]}`, `"other", ${tags[2]}`]) {
      const answer = await read({ 'If-None-Match': known, 'Accept-Encoding': 'br' });
      expect([known, answer.status, answer.body.byteLength]).toEqual([known, 304, 0]);
      // The same headers as with 200.
      expect(answer.headers).toMatchObject({ etag: tags[2], vary: 'Accept-Encoding' });
      expect(answer.headers['content-encoding']).toBeUndefined();
    }
    expect((await read({ 'If-None-Match': '"other-br"', 'Accept-Encoding': 'br' })).status).toBe(200);
  });

  it('accepts the ETag of any coding in If-Match, and no weak or older one', async () => {
    const change = (tag: string, message: string) =>
      send(slipway.port, buildPath, {
        method: 'PATCH',
        headers: {
          ...bearer(slipway.adminKey),
          'Content-Type': 'application/json',
          'Accept-Encoding': 'gzip',
          'If-Match': tag,
        },
        body: JSON.stringify({ message }),
      });
    const tagIn = async (coding: string) =>
      (await ask(buildPath, { ...bearer(slipway.adminKey), 'Accept-Encoding': coding })).headers.etag ?? '';
    for (const coding of ['identity', ...contentCodings]) {
      const tag = await tagIn(coding);
      expect((await change(`W/${tag}`, 'weak')).status).toBe(412);
      const changed = await change(tag, `in ${coding} ${'x'.repeat(900)}`);
      expect([coding, changed.status]).toEqual([coding, 200]);
      expect((await change(tag, 'late')).status).toBe(412);
      expect(changed.headers.etag).toBe(await tagIn('gzip'));
    }
  });

  it('gives static files one ETag for each coding', async () => {
    const { text } = await ask('/sign-in', { Accept: 'text/html' });
    const address = /\/assets\/slipway\.css[^"]*/.exec(text)?.[0] ?? '';
    const plain = await ask(address);
    const seen = new Set([plain.headers.etag]);
    for (const coding of contentCodings) {
      const answer = await ask(address, { 'Accept-Encoding': coding });
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(answer.body.byteLength).toBeLessThan(plain.body.byteLength / 3);
      expect(decoded(answer)).toBe(plain.text);
      seen.add(answer.headers.etag);
      for (const known of [plain.headers.etag, answer.headers.etag, `W/${answer.headers.etag}`]) {
        const again = await ask(address, { 'Accept-Encoding': coding, 'If-None-Match': String(known) });
        expect([again.status, again.headers.etag]).toEqual([304, answer.headers.etag]);
      }
    }
    expect(seen.size).toBe(4);
  });

  it('answers usual and unusual requests for static files alike', async () => {
    const { text } = await ask('/sign-in', { Accept: 'text/html' });
    const own = (answer: Answer) => {
      const { date, 'x-request-id': id, ...headers } = answer.headers;
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      return { status: answer.status, headers, text: answer.text };
    };
    for (const address of new Set(text.match(/\/assets\/[^"]+/g)))
      for (const coding of ['identity', ...contentCodings]) {
        // The first compresses the file; a request with a body, even an empty one, is never sent ahead of the framework.
        const unusual = await ask(address, { 'Accept-Encoding': coding, 'Content-Length': '0' });
        const usual = await ask(address, { 'Accept-Encoding': coding });
        expect(own(usual)).toEqual(own(unusual));
        const known = { 'Accept-Encoding': coding, 'If-None-Match': String(usual.headers.etag) };
        expect((await ask(address, known)).status).toBe(304);
        expect(own(await ask(address, known))).toEqual(
          own(await ask(address, { ...known, 'Content-Length': '0' })),
        );
      }
  });

  it('sends a page uncompressed if another site may have chosen its query', async () => {
    const coded = async (path: string, site: string | null, headers: Record<string, string> = {}) => {
      const fetching: Record<string, string> = site === null ? {} : { 'Sec-Fetch-Site': site };
      const answer = await ask(path, {
        Accept: 'text/html',
        'Accept-Encoding': 'br',
        ...fetching,
        ...headers,
      });
      expect(answer.status).toBe(200);
      return answer.headers['content-encoding'];
    };
    const session = { Cookie: admin.cookie };
    for (const site of ['same-origin', 'none'])
      expect(await coded('/search?q=guess', site, session)).toBe('br');
    for (const site of ['cross-site', 'same-site', 'unknown', null])
      expect([site, await coded('/search?q=guess', site, session)]).toEqual([site, undefined]);
    // The network of the browser can open pages, too.
    expect(await coded('/docs?q=guess', 'cross-site')).toBeUndefined();
    expect(await coded('/docs?q=guess', null)).toBe('br');
    // Without a query, the other site has chosen nothing.
    expect(await coded('/projects', 'cross-site', session)).toBe('br');
    expect(await coded('/projects', null, session)).toBe('br');
  });

  it('repeats nothing of an address without a query, which another site may have chosen', async () => {
    const guess = 'chosen-by-another-site';
    const paths = slipway.service.declared
      .filter(({ method, path }) => method === 'GET' && path.includes(':') && !path.startsWith('/api/'))
      .map(({ path }) => path.replace(/:\w+/g, guess));
    expect(paths.length).toBeGreaterThan(60);
    const repeating: string[] = [];
    const look = async (path: string, chosen: string) => {
      const { text } = await page(path, { 'Sec-Fetch-Site': 'cross-site' });
      const at = text.indexOf(chosen);
      if (at >= 0) repeating.push(`${path}: ${text.slice(Math.max(0, at - 80), at + 80)}`);
    };
    for (const path of [...paths, `/${guess}`, `/users/admin/${guess}`]) await look(path, guess);
    // Names in another spelling.
    const appPath = `/users/ADMIN/platforms/android/apps/${built.package_name}`;
    for (const path of ['/users/ADMIN', appPath, `${appPath}/pages`]) await look(path, 'ADMIN');
    expect(repeating).toEqual([]);
  });

  it('compresses exports while they are read', async () => {
    const exported = (accepted: string, method = 'GET') =>
      send(slipway.port, '/administration/audit.csv', {
        method,
        headers: { Cookie: admin.cookie, 'Accept-Encoding': accepted },
      });
    const plain = await exported('identity');
    for (const coding of contentCodings) {
      const answer = await exported(coding);
      expect(answer.headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
      expect(decoded(answer)).toBe(plain.text);
      const head = await exported(coding, 'HEAD');
      expect([head.headers['content-encoding'], head.body.byteLength]).toEqual([coding, 0]);
    }
    expect(plain.text.split('\n').length).toBeGreaterThan(3);
  });

  it('sends an early refusal at once, and the rest of the body is still accepted', async () => {
    const raw = await openRaw(slipway.port);
    const body = 'x'.repeat(100_000);
    const head = {
      ...bearer('slw_wrong'),
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': body.length,
      'Accept-Encoding': 'gzip',
    };
    await raw.write(rawRequest('POST', '/api/users/admin/apps', head, body.slice(0, 1000)));
    const answer = await raw.answer();
    expect([answer.status, JSON.parse(answer.text)]).toEqual([401, expect.objectContaining({ error: true })]);
    await raw.write(`${body.slice(1000)}${rawRequest('GET', '/healthz', {})}`);
    expect((await raw.answer()).text).toBe('ok\n');
    raw.destroy();
  });
});

describe('a compressed stream', () => {
  let server: FastifyInstance;
  afterEach(() => server.close());
  const listen = async (lines: () => AsyncGenerator<string>) => {
    server = Fastify();
    addCompression(server);
    server.get('/', (_request, reply) => reply.type('text/csv').send(Readable.from(lines())));
    return server.listen({ host: '127.0.0.1', port: 0 });
  };

  it.each(contentCodings)('ends its source when the client disconnects: %s', async (coding) => {
    let onEnd = () => {};
    const ended = new Promise<void>((resolve) => {
      onEnd = resolve;
    });
    const origin = await listen(async function* () {
      try {
        for (;;) yield randomBytes(1000).toString('hex');
      } finally {
        onEnd();
      }
    });
    const client = request(origin, { headers: { 'Accept-Encoding': coding } }).end();
    const [response] = (await once(client, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.on('error', () => undefined).destroy();
    await ended;
    expect(response.headers['content-encoding']).toBe(coding);
  });

  it('is cut off when its source fails', async () => {
    const origin = await listen(async function* () {
      yield 'a,b\n'.repeat(100_000);
      throw new Error('the database is gone');
    });
    const text = fetch(origin, { headers: { 'Accept-Encoding': 'gzip' } }).then((answer) => answer.text());
    await expect(text).rejects.toThrow();
  });
});
