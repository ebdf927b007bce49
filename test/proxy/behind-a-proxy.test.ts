/** The nginx and Caddy examples of the docs, unchanged; then with one line broken at a time, which the doctor must detect. */
import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckId, CheckState } from '../../src/operations/doctor/doctor-check.ts';
import { buildApk } from '../support/build-apk.ts';
import { openEventStream } from '../support/event-stream.ts';
import { json } from '../support/http-client.ts';
import { leavesNothing, resultsOf, type UploadResult } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { doctorIn } from './doctor-run.ts';
import {
  type Certificate,
  makeCertificates,
  type ProxyKind,
  programs,
  type RunningProxy,
  startProxy,
  type TestCertificates,
} from './proxy-examples.ts';
import { tlsRequest } from './tls-request.ts';

const trusted = getCACertificates('default');
let certificates: TestCertificates;
beforeAll(() => {
  certificates = makeCertificates();
  // Equivalent to NODE_EXTRA_CA_CERTS, which is read only when a process starts.
  setDefaultCACertificates([...trusted, certificates.authority]);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
  certificates.remove();
});

const maxUploadBytes = 64 * 1024 * 1024;

describe.each(['nginx', 'caddy'] as const)('behind %s', (kind) => {
  const there = existsSync(programs[kind]);
  let slipway: TestService;
  let proxy: RunningProxy;
  beforeAll(async () => {
    if (!there) return;
    slipway = await startTestService({
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1', SLIPWAY_MAX_UPLOAD: String(maxUploadBytes) },
    });
    proxy = await startProxy(kind, { upstreamPort: slipway.port, certificate: certificates.good });
  });
  afterAll(async () => {
    await proxy?.stop();
    await slipway?.close();
  });
  const bearer = () => ({ Authorization: `Bearer ${slipway.adminKey}` });
  const form = (fillerBytes: number) =>
    multipart([{ name: 'file', content: buildApk({ fillerBytes }), fileName: 'app.apk' }]);
  const upload = (body: { contentType: string; body: Buffer }, headers: Record<string, string>) =>
    tlsRequest(`${proxy.origin}/api/users/admin/apps`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': body.contentType },
      body: body.body,
    });

  it.skipIf(!there)('redirects from http to https', async () => {
    const answer = await fetch(`${proxy.plainOrigin}/docs?x=1`, { redirect: 'manual' });
    expect([301, 308]).toContain(answer.status);
    // Caddy assumes that a router maps its HTTPS port to 443, and omits it.
    const withoutPort = (address: string | null) => address?.replace(/:\d+\//, '/');
    expect(withoutPort(answer.headers.get('location'))).toBe('https://localhost/docs?x=1');
  });

  it.skipIf(!there)('lists Projects with addresses of the visitor’s origin', async () => {
    await slipway.project(`tides-${kind}`);
    const answer = await tlsRequest(`${proxy.origin}/api/organizations`, { headers: bearer() });
    expect(answer.status).toBe(200);
    expect(json<{ organizations: { url: string }[] }>(answer).organizations.map(({ url }) => url)).toContain(
      `${proxy.origin}/organizations/tides-${kind}`,
    );
  });

  it.skipIf(!there).each<Record<string, string>>([{}, { Expect: '100-continue' }])(
    'accepts a package with %o and serves ranges of it',
    async (expectation) => {
      const body = form(3_000_000);
      const results: UploadResult = resultsOf(await upload(body, { ...bearer(), ...expectation }));
      expect(results.file.startsWith(`${proxy.origin}/builds/`)).toBe(true);
      const whole = await tlsRequest(results.file);
      const apk = buildApk({ fillerBytes: 3_000_000 });
      expect(whole.body.equals(apk)).toBe(true);
      const part = await tlsRequest(results.file, { headers: { Range: 'bytes=1000000-1999999' } });
      expect(part.status).toBe(206);
      expect(part.headers['content-range']).toBe(`bytes 1000000-1999999/${apk.length}`);
      expect(part.body.equals(apk.subarray(1_000_000, 2_000_000))).toBe(true);
      const again = await tlsRequest(results.file, {
        headers: { 'If-None-Match': String(whole.headers.etag) },
      });
      expect(again.status).toBe(304);
    },
  );

  it.skipIf(!there)('leaves compression and ETags to Slipway', async () => {
    const ask = (path: string, headers: Record<string, string>) =>
      tlsRequest(`${proxy.origin}${path}`, { headers: { Accept: 'text/html', ...headers } });
    const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync };
    for (const [coding, decode] of Object.entries(decoders)) {
      const page = await ask('/docs', { 'Accept-Encoding': coding, 'Sec-Fetch-Site': 'same-origin' });
      expect(page.headers).toMatchObject({
        'content-encoding': coding,
        'content-length': String(page.body.length),
        vary: 'Accept-Encoding, Accept-Language',
      });
      expect(decode(page.body).toString()).toContain('</html>');
    }
    const plain = await ask('/docs', { 'Sec-Fetch-Site': 'same-origin' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const chosen = await ask('/docs?q=guess', { 'Accept-Encoding': 'gzip', 'Sec-Fetch-Site': 'cross-site' });
    expect(chosen.headers).not.toHaveProperty('content-encoding');
    expect(chosen.text).toContain('</html>');

    const { results } = json<{ results: UploadResult }>(await upload(form(1000), bearer()));
    const path = `/api/v1/apps/admin/android/${results.package_name}/builds/${results.revision}`;
    const change = async (etag: unknown, message: string) =>
      tlsRequest(`${proxy.origin}${path}`, {
        method: 'PATCH',
        headers: { ...bearer(), 'Content-Type': 'application/json', 'If-Match': String(etag) },
        body: Buffer.from(JSON.stringify({ message })),
      });
    await change('*', 'first '.repeat(150));
    const read = await ask(path, { ...bearer(), 'Accept-Encoding': 'gzip' });
    expect(read.headers).toMatchObject({
      'content-encoding': 'gzip',
      etag: expect.stringMatching(/^"[\w-]{22}-gzip"$/),
    });
    const known = { ...bearer(), 'Accept-Encoding': 'gzip', 'If-None-Match': String(read.headers.etag) };
    expect((await ask(path, known)).status).toBe(304);
    expect((await change(read.headers.etag, 'second')).status).toBe(200);
    expect((await change(read.headers.etag, 'late')).status).toBe(412);
  });

  it.skipIf(!there)('delivers server-sent events at once', async () => {
    const { results } = json<{ results: UploadResult }>(await upload(form(1000), bearer()));
    const stream = await openEventStream(
      proxy.origin,
      `/users/admin/platforms/android/apps/${results.package_name}/live`,
      {
        ...bearer(),
        'Accept-Encoding': 'gzip, br, zstd',
      },
    );
    expect(stream.status).toBe(200);
    const revision = () => (stream.events().at(-1)?.data as { revision?: number } | undefined)?.revision;
    await expect.poll(revision, { timeout: 1000 }).toBeGreaterThan(0);
    const before = revision() ?? 0;
    resultsOf(await upload(form(1000), bearer()));
    await expect.poll(revision, { timeout: 2000 }).toBe(before + 1);
    stream.destroy();
  });

  const refusals: [string, number, () => Record<string, string>, number][] = [
    ['a wrong key', 401, () => ({ Authorization: 'Bearer slw_wrong' }), maxUploadBytes],
    ['too large a body', 413, bearer, maxUploadBytes + 5_000_000],
  ];
  it.skipIf(!there).each(refusals)(
    'returns the refusal of %s as JSON, with and without Expect',
    async (_name, status, headers, bytes) => {
      const body = form(bytes);
      await leavesNothing(slipway, async () => {
        for (const expectation of [{}, { Expect: '100-continue' }] as Record<string, string>[]) {
          const answer = await upload(body, { ...headers(), ...expectation });
          expect(answer.status).toBe(status);
          expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
          expect(json(answer)).toMatchObject({ error: true });
          // Caddy waits for Slipway before it sends 100 Continue; nginx sends it itself.
          if (expectation.Expect && kind === 'caddy') expect(answer.sentBytes).toBe(0);
          expect(answer.sentBytes).toBeLessThan(body.body.length);
        }
      });
    },
  );

  it.skipIf(!there)('passes the doctor checks', async () => {
    const { exitCode, checks } = await doctorIn(slipway, {
      SLIPWAY_URL: proxy.origin,
      SLIPWAY_TRUST_PROXY: '127.0.0.1',
    });
    const found = checks.filter(({ state }) => state !== 'ok').map(({ id, state }) => `${id}: ${state}`);
    // Phones do not know the test's certificate authority, and no mail server is configured.
    expect(found).toEqual(['certificate: warning', 'mail: warning']);
    expect(checks).toHaveLength(18);
    expect(exitCode).toBe(0);
  });

  type Break = [string, ProxyKind, CheckId, CheckState, RegExp, (example: string) => string];
  const breaks: Break[] = [
    [
      'the limit on bodies is nginx’s own',
      'nginx',
      'upload-size',
      'problem',
      /413/,
      without(/client_max_body_size 0;/),
    ],
    [
      'requests are buffered',
      'nginx',
      'request-buffering',
      'warning',
      /buffers the whole upload/,
      without(/proxy_request_buffering off;/),
    ],
    ...['For', 'Proto', 'Host'].map(
      (name): Break => [
        `X-Forwarded-${name} is not set`,
        'nginx',
        'proxy-headers',
        'problem',
        new RegExp(`passes on X-Forwarded-${name} from`),
        without(new RegExp(`proxy_set_header X-Forwarded-${name} .*`)),
      ],
    ),
    [
      'the Host is the upstream’s',
      'nginx',
      'proxy-headers',
      'problem',
      /does not send X-Forwarded-Host/,
      (text) =>
        text
          .replace(/X-Forwarded-Host .*;/, 'X-Forwarded-Host "";')
          .replace(/ Host \$http_host;/, ' Host $proxy_host;'),
    ],
    [
      'X-Forwarded-Proto is wrong',
      'nginx',
      'proxy-headers',
      'problem',
      /the scheme http instead of https/,
      (text) => text.replace('X-Forwarded-Proto $scheme', 'X-Forwarded-Proto http,http'),
    ],
    [
      'ranges are dropped',
      'nginx',
      'downloads',
      'problem',
      /status 200/,
      (text) => text.replace('proxy_buffering off;', 'proxy_buffering off; proxy_set_header Range "";'),
    ],
    [
      'everything is answered by nginx',
      'nginx',
      'address',
      'problem',
      /Another program responds .* \(status 404\)/,
      (text) => text.replace('location / {', 'location /doctor { return 404; } location / {'),
    ],
    [
      'it leads to another address',
      'nginx',
      'address',
      'problem',
      /redirects to https:\/\/builds\.example\.org/,
      (text) =>
        text.replace(
          'location / {',
          'location /doctor { return 302 https://builds.example.org/; } location / {',
        ),
    ],
    [
      'nothing runs behind it',
      'nginx',
      'address',
      'problem',
      /responds with status 502/,
      (text) => text.replace('http://127.0.0.1:8080', 'http://127.0.0.1:1; # http://127.0.0.1:8080'),
    ],
    [
      'requests are buffered',
      'caddy',
      'request-buffering',
      'warning',
      /buffers the whole upload/,
      (text) => text.replace('transport http {', 'buffer_requests\n\t\ttransport http {'),
    ],
    [
      'X-Forwarded-For is not set',
      'caddy',
      'proxy-headers',
      'problem',
      /does not send X-Forwarded-For\./,
      (text) => text.replace('transport http {', 'header_up -X-Forwarded-For\n\t\ttransport http {'),
    ],
    [
      'X-Forwarded-Proto is not set',
      'caddy',
      'proxy-headers',
      'problem',
      /does not send X-Forwarded-Proto\./,
      (text) => text.replace('transport http {', 'header_up -X-Forwarded-Proto\n\t\ttransport http {'),
    ],
  ];
  it.skipIf(!there).each(breaks.filter(([, of]) => of === kind))(
    'fails the doctor checks: %s',
    async (_name, _kind, id, state, words, change) => {
      const broken = await startProxy(kind, {
        upstreamPort: slipway.port,
        certificate: certificates.good,
        change,
      });
      try {
        const { exitCode, byId } = await doctorIn(slipway, { SLIPWAY_URL: broken.origin });
        expect(byId[id]).toMatchObject({
          state,
          found: expect.stringMatching(words),
          advice: expect.stringMatching(/\w/),
        });
        expect(exitCode).toBe(state === 'problem' ? 1 : 0);
      } finally {
        await broken.stop();
      }
    },
  );

  it.skipIf(!there)('fails the doctor checks when the server does not trust the proxy', async () => {
    const wary = await startTestService();
    const before = await startProxy(kind, { upstreamPort: wary.port, certificate: certificates.good });
    const { byId } = await doctorIn(wary, { SLIPWAY_URL: before.origin });
    await before.stop();
    await wary.close();
    expect(byId['proxy-headers']).toMatchObject({
      state: 'problem',
      advice: 'Set SLIPWAY_TRUST_PROXY to 127.0.0.1 and restart the server.',
    });
  });

  it.skipIf(!there)('fails the doctor checks when the address leads to another server', async () => {
    const other = await startTestService();
    const elsewhere = await startProxy(kind, { upstreamPort: other.port, certificate: certificates.good });
    const { byId, exitCode } = await doctorIn(slipway, { SLIPWAY_URL: elsewhere.origin });
    await elsewhere.stop();
    await other.close();
    expect(byId.address).toMatchObject({
      state: 'problem',
      found: expect.stringMatching(/a different secret/),
    });
    for (const id of ['proxy-headers', 'upload-size', 'request-buffering', 'downloads'])
      expect(byId[id]?.state).toBe('skipped');
    expect(exitCode).toBe(1);
  });

  it.skipIf(!there)('fails the doctor checks when http is used instead of https', async () => {
    const { byId, exitCode } = await doctorIn(slipway, { SLIPWAY_URL: proxy.plainOrigin });
    expect(byId.https?.state).toBe('problem');
    expect(byId.certificate?.state).toBe('skipped');
    expect(byId.address).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('redirects to https://localhost'),
    });
    expect(exitCode).toBe(1);
  });

  const badCertificates: [keyof TestCertificates, CheckState, RegExp][] = [
    ['expired', 'problem', /^It expired on /],
    ['selfSigned', 'problem', /self-signed/],
    ['otherHost', 'problem', /issued for builds\.example\.org and not for localhost/],
    ['withoutChain', 'problem', /chain is incomplete: .* connects Authority in between/],
    ['unknownAuthority', 'problem', /authority/],
    // OpenSSL takes the time twice, so that a second can begin in between.
    ['tooLong', 'problem', /valid for 100[01] days/],
    ['expiring', 'warning', /^It expires on .*, in (9|10) days\.$/],
  ];
  it.skipIf(!there).each(badCertificates)(
    'fails the doctor checks when the certificate is %s',
    async (name, state, words) => {
      const certificate = certificates[name] as Certificate;
      const bad = await startProxy(kind, { upstreamPort: slipway.port, certificate });
      const { byId, exitCode } = await doctorIn(slipway, { SLIPWAY_URL: bad.origin });
      await bad.stop();
      expect(byId.certificate).toMatchObject({ state, found: expect.stringMatching(words) });
      // All other checks run nevertheless.
      expect(byId.downloads?.state).toBe('ok');
      expect(exitCode).toBe(state === 'problem' ? 1 : 0);
    },
  );
});

function without(line: RegExp): (example: string) => string {
  return (example) => example.replace(line, '');
}
