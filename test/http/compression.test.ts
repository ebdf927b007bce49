/** Compressed answers: which, to whom, and with which ETag. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const gzip = { 'Accept-Encoding': 'gzip, deflate, br, zstd' };

describe('compression', () => {
  let slipway: TestService;
  let session: BrowserSession;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    session = await signIn(slipway, 'admin', testPassword);
  });
  afterAll(() => slipway.close());

  const get = (path: string, headers: Record<string, string>, method = 'GET') =>
    send(slipway.port, path, { headers, method });
  const fromSite = (site: string) => ({ Cookie: session.cookie, 'Sec-Fetch-Site': site });

  it.each([
    ['without cookies', () => ({}), true],
    ['from the address bar', () => fromSite('none'), true],
    ['from a page of Slipway', () => fromSite('same-origin'), true],
    // BREACH: another site could repeat such requests and see the size of the answers.
    ['from another site', () => fromSite('cross-site'), false],
    ['from a sibling site', () => fromSite('same-site'), false],
    ['from a browser that does not say', () => ({ Cookie: session.cookie }), false],
  ])('of a page that is requested %s', async (_, headers, isCompressed) => {
    const plain = await get('/docs', headers());
    const answer = await get('/docs', { ...headers(), ...gzip });
    expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
    expect(answer.headers.vary).toBe('Accept-Encoding, Accept-Language');
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.body.length * (isCompressed ? 4 : 1)).toBeLessThanOrEqual(plain.body.length * 1.01);
    const text = (isCompressed ? gunzipSync(answer.body) : answer.body).toString();
    const withoutNonces = (page: string) => page.replace(/(csrf" value=)"[^"]*"/g, '$1');
    expect(withoutNonces(text)).toBe(withoutNonces(plain.text));
    const head = await get('/docs', { ...headers(), ...gzip }, 'HEAD');
    expect(head.headers['content-encoding']).toBe(answer.headers['content-encoding']);
  });

  it('of an answer of the API has an ETag of its own, with which it is known and changed', async () => {
    const key = bearer(slipway.adminKey);
    await slipway.project('crew');
    await slipway.owners.createProject({
      name: 'large',
      description: 'x'.repeat(2000),
      workspaceName: null,
      ownerName: 'admin',
      by: 'command-line',
    });
    const path = '/api/v1/projects/large';
    const plain = await get(path, key);
    const compressed = await get(path, { ...key, ...gzip });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.body).toString()).toBe(plain.text);
    expect(compressed.headers.etag).not.toBe(plain.headers.etag);
    for (const etag of [plain, compressed].map(({ headers }) => String(headers.etag))) {
      expect((await get(path, { ...key, ...gzip, 'If-None-Match': etag })).status).toBe(304);
      const changed = await send(slipway.port, path, {
        method: 'PATCH',
        headers: { ...key, ...gzip, 'Content-Type': 'application/json', 'If-Match': etag },
        body: '{}',
      });
      expect(changed.status).toBe(200);
    }
    expect(
      (await get('/api/v1/projects/crew', { ...key, ...gzip })).headers['content-encoding'],
    ).toBeUndefined();
    const openApi = await get('/api/openapi.json', gzip);
    expect(openApi.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  });
});
