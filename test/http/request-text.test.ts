/** Text that is not UTF-8, and compressed bodies: refused in every kind of request instead of being stored as other text. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseUrlencoded } from '../../src/http/routes/decode-text.ts';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, send } from '../support/http-client.ts';
import { bearer, refusalOf, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let slipway: TestService;
let pages: string;
beforeAll(async () => {
  slipway = await startTestService({ blobs: 'memory' });
  await uploaded(slipway, { file: buildApk({ packageName: 'com.example.text' }) });
  pages = '/api/users/admin/platforms/android/apps/com.example.text/distributions';
});
afterAll(() => slipway.close());

const latin = Buffer.from('größe', 'latin1');
const post = (contentType: string, body: Buffer, headers: Record<string, string> = {}) =>
  send(slipway.port, pages, {
    method: 'POST',
    headers: { ...bearer(slipway.adminKey), 'Content-Type': contentType, ...headers },
    body,
  });
const titles = async () => {
  const answer = await send(slipway.port, pages, { headers: bearer(slipway.adminKey) });
  return JSON.stringify(JSON.parse(answer.body.toString()));
};
const urlencoded = 'application/x-www-form-urlencoded';
const form = (value: Buffer, type?: string) =>
  multipart([{ name: 'title', value, ...(type ? { contentType: type } : {}) }]);

describe('text of a request', () => {
  it.each<[string, string, Buffer]>([
    ['urlencoded bytes', urlencoded, Buffer.concat([Buffer.from('title='), latin])],
    ['urlencoded percents', urlencoded, Buffer.from('title=gr%F6%DFe')],
    ['an unknown charset', `${urlencoded}; charset=none`, Buffer.from('title=a')],
    ['a multipart field', form(latin).contentType, form(latin).body],
    ['JSON', 'application/json', Buffer.concat([Buffer.from('{"title":"'), latin, Buffer.from('"}')])],
    ['JSON with half a surrogate pair', 'application/json', Buffer.from('{"title":"a\\ud83d"}')],
  ])('is refused and changes nothing: %s', async (_name, contentType, body) => {
    const before = await titles();
    expect(refusalOf(await post(contentType, body), 400).message).toMatch(
      /is not (UTF-8 text|valid UTF-8)|unknown charset|surrogate/,
    );
    expect(await titles()).toBe(before);
  });

  it.each<[string, string, Buffer]>([
    ['in UTF-8', urlencoded, Buffer.from('title=gr%C3%B6%C3%9Fe+1')],
    ['in UTF-8, not encoded', urlencoded, Buffer.from('title=größe 2')],
    ['in the charset of the type', `${urlencoded}; charset="ISO-8859-1"`, Buffer.from('title=gr%F6%DFe+3')],
    ['in the charset of a field', urlencoded, Buffer.from('title=gr%F6%DFe+4&_charset_=latin1')],
    ['behind a byte order mark', 'application/json', Buffer.from('\ufeff{"title":"größe 5"}')],
    [
      'in a part of a form',
      form(latin).contentType,
      form(Buffer.concat([latin, Buffer.from(' 6')]), 'text/plain; charset=latin1').body,
    ],
  ])('is decoded %s', async (_name, contentType, body) => {
    expect((await post(contentType, body)).status).toBeLessThan(300);
    expect(await titles()).toMatch(/größe \d/);
  });

  it('is refused in a query of the API, and ignored in that of a page', async () => {
    const headers = bearer(slipway.adminKey);
    for (const query of ['q=%F6', 'q=a&x=%ED%A0%BD', 'token=%FF']) {
      for (const path of ['/api/users/admin/apps', '/api/v1/search'])
        expect((await send(slipway.port, `${path}?${query}`, { headers })).status).toBe(400);
      expect((await send(slipway.port, `/docs?${query}`)).status).toBe(200);
      expect((await send(slipway.port, `/sign-in?${query}`, { method: 'POST', body: '' })).status).toBe(400);
    }
    const connection = await openRaw(slipway.port);
    const head = `GET /api/v1/search?q=größe HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${slipway.adminKey}\r\n\r\n`;
    await connection.write(Buffer.from(head));
    expect((await connection.answer()).status).toBe(400);
    connection.destroy();
  });

  it('keeps what the URL Standard says about odd pairs', () => {
    expect({ ...parseUrlencoded(Buffer.from('a=1&a=2&b&&=x&c=%zz%4&d=1=2&__proto__=p')) }).toEqual({
      a: ['1', '2'],
      b: '',
      '': 'x',
      c: '%zz%4',
      d: '1=2',
      ['__proto__']: 'p',
    });
  });

  it('may repeat a field thousands of times without quadratic work', () => {
    expect(parseUrlencoded(Buffer.from('a&'.repeat(32_000))).a).toHaveLength(32_000);
  });
});

it('refuses a compressed body with 415 and says which codings are read', async () => {
  const { contentType, body } = multipart([{ name: 'file', content: buildApk(), fileName: 'app.apk' }]);
  const requests: [string, string, Buffer][] = [
    ['/api/users/admin/apps', contentType, body],
    [pages, urlencoded, Buffer.from('title=x')],
    [pages, 'application/json', Buffer.from('{"title":"x"}')],
    ['/sign-in', urlencoded, Buffer.from('login=a')],
  ];
  for (const [path, type, bytes] of requests) {
    const headers = { ...bearer(slipway.adminKey), 'Content-Type': type, 'Content-Encoding': 'gzip' };
    const answer = await send(slipway.port, path, { method: 'POST', headers, body: gzipSync(bytes) });
    expect([path, answer.status, answer.headers['accept-encoding']]).toEqual([path, 415, 'identity']);
    if (path.startsWith('/api'))
      expect(refusalOf(answer, 415).message).toBe(
        'the body must not be compressed: send it without Content-Encoding: gzip',
      );
  }
  const plain = await post('application/json', Buffer.from('{"title":"plain"}'), {
    'Content-Encoding': 'identity',
  });
  expect(plain.status).toBeLessThan(300);
});
