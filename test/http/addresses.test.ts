/** Invalid methods, addresses and requests: every error has the documented shape. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRaw, rawRequest, send } from '../support/http-client.ts';
import { bearer, get, leavesNothing, refusalOf, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe('HTTP addresses', () => {
  let slipway: TestService;
  let file: string;
  beforeAll(async () => {
    slipway = await startTestService();
    file = new URL((await uploaded(slipway)).file).pathname;
  });
  afterAll(() => slipway.close());

  const methodCases: [string, string, string][] = [
    ['/api/sessions/user', 'POST', 'GET, HEAD'],
    ['/api/organizations', 'DELETE', 'GET, HEAD, POST'],
    ['/api/users/admin/platforms/android/apps', 'GET', 'POST'],
    ['/api/users/admin/platforms/android/apps', 'HEAD', 'POST'],
    ['/api/users/admin/apps', 'PUT', 'GET, HEAD, POST'],
    ['/api/users/admin/apps', 'PATCH', 'GET, HEAD, POST'],
    ['/api/users/admin/apps', 'OPTIONS', 'GET, HEAD, POST'],
    ['/api/users/admin/platforms/ios/apps', 'GET', 'POST'],
    ['/api/sessions/user', 'PUT', 'GET, HEAD'],
    ['/', 'POST', 'GET, HEAD'],
    ['/sign-in', 'DELETE', 'GET, HEAD, POST'],
    ['/healthz', 'POST', 'GET, HEAD'],
    ['/users/admin', 'DELETE', 'GET, HEAD'],
    ['/distributions/abc', 'POST', 'GET, HEAD'],
    ['/builds/x/file', 'PUT', 'GET, HEAD'],
    ['/api/organizations', 'TRACE', 'GET, HEAD, POST'],
    ['/api/organizations', 'PROPFIND', 'GET, HEAD, POST'],
    ['/api/users/admin/apps', 'SEARCH', 'GET, HEAD, POST'],
    ['/sign-in', 'M-SEARCH', 'GET, HEAD, POST'],
    ['//api//sessions//user//', 'POST', 'GET, HEAD'],
  ];
  it.each(methodCases)('return 405 at %s for %s and name %s', async (path, method, allow) => {
    const answer = await send(slipway.port, path, { method, headers: bearer(slipway.adminKey) });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    if (method !== 'HEAD') refusalOf(answer, 405);
  });

  it.each([
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    '',
  ])('return 405 for a body of type "%s", with Expect: 100-continue too', async (type) => {
    for (const expect100 of [false, true]) {
      const connection = await openRaw(slipway.port);
      const headers = {
        ...bearer(slipway.adminKey),
        ...(type ? { 'Content-Type': type } : {}),
        ...(expect100 ? { Expect: '100-continue' } : {}),
        'Content-Length': 5,
      };
      await connection.write(rawRequest('POST', '/api/sessions/user', headers, expect100 ? '' : 'a=b&c'));
      const answer = await connection.answer();
      expect(answer.interim).toEqual([]);
      refusalOf(answer, 405);
      connection.destroy();
    }
  });

  it.each([
    '/api',
    '/api/',
    '/api/none',
    '/api/organizations/x/none',
    '/api/users/admin/none',
    '/api//none/',
    '/api/%6frganizations/x/none',
  ])('return 401 without a key and 404 with one at %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      refusalOf(await send(slipway.port, path, { method }), 401);
      refusalOf(await send(slipway.port, path, { method, headers: bearer('slw_wrong') }), 401);
      refusalOf(await send(slipway.port, path, { method, headers: bearer(slipway.adminKey) }), 404);
    }
  });

  it.each([
    '/none',
    '/users',
    '/users/',
    '/apis',
    '/api-docs',
    '/.env',
    '/builds/x',
    '/assets/none.css',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/main.ts',
    '/cli/none',
    '//evil',
    '/users/admin/apps/x/binaries/1/none',
  ])('return 404 at %s', async (path) => {
    refusalOf(await get(slipway, path, slipway.adminKey), 404);
  });

  it.each(['/healthz?x', '/%68ealthz', 'http://example.com/healthz'])(
    'find the route however its first segment is written: %s',
    async (target) => {
      expect((await send(slipway.port, target)).status).toBe(200);
    },
  );

  it.each(['%', '%zz', '%e0%a4', 'a%', '%c0%ae'])('refuse the invalid encoding %s', async (segment) => {
    for (const path of [`/api/users/${segment}/apps`, `/api/users/${segment}/none`]) {
      refusalOf(await send(slipway.port, path, { method: 'POST' }), 401);
      const answer = await send(slipway.port, path, { method: 'POST', headers: bearer(slipway.adminKey) });
      expect([400, 404]).toContain(answer.status);
      refusalOf(answer, answer.status);
    }
    const page = await get(slipway, `/users/${segment}`, slipway.adminKey, {
      headers: { Accept: 'text/html' },
    });
    expect([400, 404]).toContain(page.status);
    expect(page.headers['x-content-type-options']).toBe('nosniff');
  });

  it('decode an encoded address once, and treat an overlong segment as not found', async () => {
    expect((await get(slipway, '/api/%6frganizations', slipway.adminKey)).status).toBe(200);
    expect((await get(slipway, file.replace('/file', '/fil%65'), slipway.adminKey)).status).toBe(200);
    const long = `/api/users/${'a'.repeat(5000)}/apps`;
    refusalOf(await send(slipway.port, long, { method: 'POST' }), 401);
    refusalOf(await send(slipway.port, long, { method: 'POST', headers: bearer(slipway.adminKey) }), 404);
  });

  it('accept a request in absolute form, with its key in the query', async () => {
    const connection = await openRaw(slipway.port);
    const target = `http://127.0.0.1:${slipway.port}/api/organizations`;
    await connection.write(rawRequest('GET', target, bearer(slipway.adminKey)));
    expect((await connection.answer()).status).toBe(200);
    await connection.write(rawRequest('GET', `http://127.0.0.1:${slipway.port}/api/none`, {}));
    refusalOf(await connection.answer(), 401);
    await connection.write(rawRequest('GET', `${target}?token=${slipway.adminKey}`, {}));
    expect((await connection.answer()).status).toBe(200);
    connection.destroy();
  });

  it.each(['/api/organizations/', '/api//organizations', '//api/organizations///', '/api///organizations/?'])(
    'serve %s as /api/organizations',
    async (path) => {
      const expected = await get(slipway, '/api/organizations', slipway.adminKey);
      expect(expected.status).toBe(200);
      expect((await get(slipway, path, slipway.adminKey)).text).toBe(expected.text);
      const joined = path.includes('?') ? '' : '?';
      const withKey = await send(slipway.port, `${path}${joined}token=${slipway.adminKey}`);
      expect(withKey.status).toBe(200);
      refusalOf(await send(slipway.port, path), 401);
    },
  );

  it('are not normalized in pages, queries and encoded slashes', async () => {
    refusalOf(await get(slipway, '/users/admin/', slipway.adminKey), 404);
    refusalOf(await get(slipway, '//users/admin', slipway.adminKey), 404);
    refusalOf(await get(slipway, '/api/%2forganizations', slipway.adminKey), 404);
    refusalOf(await send(slipway.port, '/api/organizations?token=a//b/'), 401);
  });

  it('carry headers against content sniffing and referrer leaks in every response', async () => {
    for (const path of [
      '/',
      '/none',
      '/api/none',
      '/healthz',
      '/docs',
      '/api/openapi.json',
      '/sign-in',
      file,
    ]) {
      const { headers } = await get(slipway, path, null, { headers: { Accept: 'text/html' } });
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('include liveness and readiness checks', async () => {
    expect((await get(slipway, '/healthz')).text).toBe('ok\n');
    expect((await get(slipway, '/readyz')).text).toBe('ready\n');
    expect((await get(slipway, '/robots.txt')).text).toContain('Disallow: /');
  });

  it('abort an upload with invalid chunks, and store nothing', async () => {
    await leavesNothing(slipway, async () => {
      const connection = await openRaw(slipway.port);
      const headers = {
        ...bearer(slipway.adminKey),
        'Content-Type': 'multipart/form-data; boundary=b',
        'Transfer-Encoding': 'chunked',
      };
      const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nPK';
      await connection.write(
        rawRequest(
          'POST',
          '/api/users/admin/apps',
          headers,
          `${part.length.toString(16)}\r\n${part}\r\nzz\r\nzz`,
        ),
      );
      refusalOf(await connection.answer(), 400);
      await connection.closed;
      connection.destroy();
      await expect.poll(async () => (await slipway.leftBehind()).spool).toEqual([]);
    });
  });
});
