/** Requests that reach no route, written byte by byte: every error has the documented shape. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw } from '../support/http-client.ts';
import { refusalOf } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface Row {
  name: string;
  bytes: string;
  status: number;
  errorType: string;
  /** The Allow header of the response. */
  allow?: string;
  /** Whether the server closes the connection. */
  closes?: true;
}

const head = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
const key = 'Authorization: Bearer slw_test-key-of-the-administrator';
const upload = 'POST /api/users/admin/apps HTTP/1.1';
const form = 'Content-Type: multipart/form-data; boundary=b';
const invalid = { status: 400, errorType: 'invalid_params' };
const notAllowed = { status: 405, errorType: 'method_not_allowed' };
const unauthorized = { status: 401, errorType: 'unauthorized' };
const missing = { status: 404, errorType: 'resource_not_found' };

const rows: Row[] = [
  { name: 'text', bytes: 'hello\r\n\r\n', ...invalid, closes: true },
  { name: 'TLS', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', ...invalid, closes: true },
  { name: 'HTTP/0.9', bytes: 'GET /\r\n\r\n', ...invalid, closes: true },
  { name: 'HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...invalid, closes: true },
  {
    name: 'a header without a colon',
    bytes: head('GET / HTTP/1.1', 'Host: a', 'x'),
    ...invalid,
    closes: true,
  },
  {
    name: 'a NUL in a header',
    bytes: head('GET / HTTP/1.1', 'Host: a', 'X: a\0b'),
    ...invalid,
    closes: true,
  },
  { name: 'no Host', bytes: head('GET /healthz HTTP/1.1'), ...invalid },
  { name: 'two Hosts', bytes: head('GET /healthz HTTP/1.1', 'Host: a', 'Host: b'), ...invalid },
  { name: 'two equal Hosts', bytes: head('GET /healthz HTTP/1.1', 'Host: a', 'Host: a'), ...invalid },
  {
    name: 'two lengths',
    bytes: head(upload, 'Host: a', 'Content-Length: 1', 'Content-Length: 2'),
    ...invalid,
    closes: true,
  },
  {
    name: 'a length and chunks',
    bytes: `${head(upload, 'Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ...invalid,
    closes: true,
  },
  { name: 'a length of x', bytes: head(upload, 'Host: a', 'Content-Length: x'), ...invalid, closes: true },
  {
    name: 'a negative length',
    bytes: head(upload, 'Host: a', 'Content-Length: -1'),
    ...invalid,
    closes: true,
  },
  {
    name: 'an upload without a length',
    bytes: head(upload, 'Host: a', key, form),
    status: 411,
    errorType: 'length_required',
  },
  {
    name: 'an upload by nobody without a length',
    bytes: head(upload, 'Host: a', 'Authorization: Bearer slw_wrong', form),
    ...unauthorized,
  },
  {
    name: 'chunks of no size',
    bytes: `${head(upload, 'Host: a', key, form, 'Transfer-Encoding: chunked')}zz\r\n`,
    ...invalid,
    closes: true,
  },
  {
    name: 'a chunk longer than it says',
    bytes: `${head(upload, 'Host: a', key, form, 'Transfer-Encoding: chunked')}1\r\nabc\r\n`,
    ...invalid,
    closes: true,
  },
  {
    name: 'headers of 100 kB',
    bytes: head('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(100_000)}`),
    status: 431,
    errorType: 'headers_too_large',
    closes: true,
  },
  {
    name: 'an address of 100 kB',
    bytes: head(`GET /${'x'.repeat(100_000)} HTTP/1.1`, 'Host: a'),
    status: 431,
    errorType: 'headers_too_large',
    closes: true,
  },
  {
    name: 'an expectation other than 100-continue',
    bytes: head(upload, 'Host: a', key, form, 'Content-Length: 5', 'Expect: miracles'),
    status: 417,
    errorType: 'expectation_failed',
  },
  {
    name: 'two expectations',
    bytes: head('GET /healthz HTTP/1.1', 'Host: a', 'Expect: x, 100-continue'),
    status: 417,
    errorType: 'expectation_failed',
  },
  { name: 'TRACE', bytes: head('TRACE /healthz HTTP/1.1', 'Host: a'), ...notAllowed, allow: 'GET, HEAD' },
  {
    name: 'PROPFIND',
    bytes: head('PROPFIND /api/users/admin/apps HTTP/1.1', 'Host: a'),
    ...notAllowed,
    allow: 'GET, HEAD, POST',
  },
  { name: 'PROPFIND of nothing', bytes: head('PROPFIND /nothing HTTP/1.1', 'Host: a'), ...missing },
  { name: 'TRACE under /api of nothing', bytes: head('TRACE /api/x HTTP/1.1', 'Host: a'), ...unauthorized },
  { name: 'a method that is none', bytes: head('FETCH / HTTP/1.1', 'Host: a'), ...invalid, closes: true },
  {
    name: 'CONNECT to a path',
    bytes: head('CONNECT /sign-in HTTP/1.1', 'Host: a'),
    ...notAllowed,
    allow: 'GET, HEAD, POST',
    closes: true,
  },
  {
    name: 'CONNECT to a host',
    bytes: head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'),
    ...notAllowed,
    allow: 'GET, HEAD, POST',
    closes: true,
  },
  { name: 'OPTIONS *', bytes: head('OPTIONS * HTTP/1.1', 'Host: a'), ...notAllowed, allow: 'GET, HEAD' },
  { name: 'raw UTF-8', bytes: head('GET /users/\xc3\xa9 HTTP/1.1', 'Host: a'), ...invalid },
  { name: 'raw bytes that are no UTF-8', bytes: head('GET /users/\xff\xfe HTTP/1.1', 'Host: a'), ...invalid },
  { name: 'raw UTF-8 under /api', bytes: head('GET /api/\xc3\xa9 HTTP/1.1', 'Host: a'), ...invalid },
  {
    name: 'a page of HTTP/1.0 that is not there',
    bytes: head('GET /nothing HTTP/1.0'),
    ...missing,
    closes: true,
  },
  {
    name: 'HTTP/1.0 without a key',
    bytes: head('GET /api/organizations HTTP/1.0'),
    ...unauthorized,
    closes: true,
  },
];

describe('an error before routing', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({ limits: { refusedBodyDrainSeconds: 1 } });
  });
  afterAll(() => slipway.close());

  it.each(rows)('has the documented shape for $name', async ({ bytes, status, errorType, allow, closes }) => {
    const connection = await openRaw(slipway.port);
    await connection.write(Buffer.from(bytes, 'latin1'));
    const answer = await connection.answer();
    expect(refusalOf(answer, status).error_type).toBe(errorType);
    expect(answer.headers.allow).toBe(allow);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    if (closes) await connection.closed;
    connection.destroy();
  });

  it('is not sent to HTTP/1.0 without a Host', async () => {
    const connection = await openRaw(slipway.port);
    await connection.write(head('GET /healthz HTTP/1.0'));
    expect((await connection.answer()).status).toBe(200);
    await connection.closed;
  });

  it('is never written into the middle of another response', async () => {
    const connection = await openRaw(slipway.port);
    const request = head('GET /cli/slipway.mjs HTTP/1.1', 'Host: a');
    await connection.write(`${request}hello\r\n\r\n`);
    await connection.closed;
    const bodies = connection.unread().toString('latin1').split('HTTP/1.1 ').slice(1);
    for (const one of bodies) {
      const length = Number(/content-length: (\d+)/i.exec(one)?.[1] ?? 0);
      expect(one.slice(one.indexOf('\r\n\r\n') + 4).length).toBeLessThanOrEqual(length);
    }
  });

  /** Deterministic: a failing case can be run again. */
  const createRandom = (seed: number) => {
    let state = seed;
    return (below: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
  };
  const methods = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'get',
    'X',
  ];
  const targets = [
    ...[
      '/',
      '/%',
      '/%zz?%',
      '/\xff\xfe',
      '/\xe6\x97\xa5',
      '//',
      '/../..//a',
      '*',
      'http://a/%',
      'a',
      '/sign-in?to=/\xe6\x97\xa5',
    ],
    ...[
      '/sign-in?to=%E6%97%A5&to=',
      '/users/%00',
      '/users/%ff/apps/x',
      `/users/${'x'.repeat(2000)}`,
      '/api/v1/%',
      '/api/v1/me',
    ],
    ...[
      '/api/v1/apps/a/b/c/d',
      '/api/users/admin/apps',
      '/distributions/%F0%9F',
      `/?${'q'.repeat(9000)}`,
      `/${'y'.repeat(17_000)}`,
    ],
    ...[
      '/sign-in',
      '/oauth/token',
      '/search?q=%ff',
      '/assets/%2e%2e',
      '/welcome?to=%2F%E6%97%A5',
      '/api/v1/search?q=%F0%9F%98%80',
    ],
  ];
  const headers = [
    ...[
      'Host: a',
      'Host: \xe6\x97\xa5',
      'Host: a:b',
      'Host:',
      'Host: [::1',
      'Accept: text/html',
      'Accept: \xff',
      'Cookie: a=%; =;;\xff',
    ],
    ...[
      'Content-Length: 3',
      'Content-Length: 99999999999999999999',
      'Content-Length: -1',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
    ],
    ...[
      'Expect: 100-continue',
      'Expect: 200-ok',
      'Content-Type: application/json',
      'Content-Type: multipart/form-data',
      'Content-Type: \xff/\xff',
    ],
    ...[
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Encoding: br',
      'Accept-Encoding: gzip;q=x',
      'Accept-Language: \xff;q=9',
    ],
    ...[
      'Authorization: Bearer \xff',
      'Authorization: Bearer slw_x',
      'Range: bytes=x',
      'If-None-Match: \xff',
      'Idempotency-Key: \xff',
      'If-Match: "x"',
    ],
    ...[
      'Origin: null',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'X-Forwarded-For: \xff',
      'X-Request-Id: \xff',
      `X: ${'z'.repeat(17_000)}`,
    ],
  ];

  it('has the documented shape for every request that chance composes, and never that of the framework', async () => {
    const random = createRandom(20_261_125);
    const pick = (list: readonly string[]) => list[random(list.length)] ?? '';
    const statuses = new Set<number>();
    for (let at = 0; at < 600; at++) {
      const chosen = Array.from({ length: random(4) }, () => pick(headers));
      const method = pick(methods);
      const body = random(2) ? '' : pick(['abc', '3\r\nabc\r\n0\r\n\r\n', '{"a":', '\xff\xff\xff', 'a=%&b']);
      const bytes =
        head(
          `${method} ${pick(targets)} HTTP/1.1`,
          ...(random(8) ? ['Host: a'] : []),
          'Connection: close',
          ...chosen,
        ) + body;
      const connection = await openRaw(slipway.port);
      await connection.write(Buffer.from(bytes, 'latin1'));
      connection.socket.end();
      await connection.closed;
      const text = connection.unread().toString('latin1');
      const [, status = ''] = /^(?:HTTP\/1\.1 100 [\s\S]*?\r\n\r\n)?HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      statuses.add(Number(status));
      if (method === 'HEAD' || Number(status) < 400) continue;
      const shown = JSON.stringify([bytes.slice(0, 300), text.slice(0, 900)]);
      expect(Number(status) < 500, shown).toBe(true);
      expect(text, shown).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
      const isPage = /content-type: text\/html/i.test(text) && text.includes('</html>');
      const isJson = /"error":true,"message":"[^"]+","because":"[^"]+","error_type":"/.test(text);
      const isProblem = /"type":"\/docs#\w+","title":"[^"]+","status":\d{3}/.test(text);
      expect(isPage || isJson || isProblem, shown).toBe(true);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 303, 400, 401, 404, 405, 417, 431]));
  });
});
