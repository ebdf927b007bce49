/** The security headers of every response, for every route and caller. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaultHeaders } from '../../src/http/security-headers.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { type Answer, openRaw, send } from '../support/http-client.ts';
import { bearer, upload, uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

describe('the security headers', () => {
  let slipway: TestService;
  const answers = new Map<string, Answer>();
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    const built = await uploaded(slipway, { fields: { distribution_name: 'main' } });
    const { cookie } = await signIn(slipway, 'admin');
    const key = bearer(slipway.adminKey);
    const page = { Accept: 'text/html' };
    const ownerPath = (address: string) => `${new URL(address).pathname}${new URL(address).search}`;
    const start = await send(slipway.port, '/', { headers: { ...page, Cookie: cookie } });
    const [, asset = ''] = /(\/assets\/[^"]+\.css)/.exec(start.text) ?? [];
    const asked: Record<string, [string, Record<string, string>, string?]> = {
      'start page': ['/', { ...page, Cookie: cookie }],
      'start page of nobody': ['/', page],
      settings: ['/settings', { ...page, Cookie: cookie }],
      'tester’s page': [ownerPath(built.distribution?.url ?? ''), page],
      'way to sign in': [built.path, page],
      'refusal as a page': ['/none', page],
      refusal: ['/none', {}],
      'refusal of an encoding': ['/users/%zz', page],
      'refusal of the interface': ['/api/none', key],
      'no key': ['/api/organizations', {}],
      'method that is none': ['/healthz', {}, 'DELETE'],
      list: ['/api/organizations', key],
      description: ['/api/openapi.json', key],
      icon: [ownerPath(built.icon), {}],
      file: [ownerPath(built.file), {}],
      asset: [asset, {}],
      favicon: ['/favicon.ico', {}],
      robots: ['/robots.txt', {}],
      'sign of life': ['/healthz', {}],
    };
    for (const [name, [path, headers, method = 'GET']] of Object.entries(asked))
      answers.set(name, await send(slipway.port, path, { method, headers }));
    const fields = { login: 'admin', password: testPassword };
    answers.set('sign-in', await postForm(slipway, '/sign-in', fields));
    answers.set('upload', await upload(slipway, {}));
  });
  afterAll(() => slipway.close());

  const cached = ['icon', 'file', 'asset', 'favicon', 'tester’s page'];

  it('prevent sniffing, referrer leaks, scripts of other origins and framing', () => {
    expect(answers.size).toBe(21);
    for (const [name, { headers, status }] of answers) {
      const policy = String(headers['content-security-policy']);
      expect([name, headers['x-content-type-options']]).toEqual([name, 'nosniff']);
      expect([name, headers['referrer-policy']]).toEqual([name, 'no-referrer']);
      expect([name, policy]).toEqual([name, expect.stringMatching(/^default-src 'none'; /)]);
      for (const part of ["base-uri 'none'", "frame-ancestors 'none'"])
        expect([name, policy]).toEqual([name, expect.stringContaining(part)]);
      const isPage = String(headers['content-type']).startsWith('text/html');
      expect([name, policy.includes("script-src 'self'")]).toEqual([name, isPage]);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect([name, headers['access-control-allow-origin']]).toEqual([name, undefined]);
      expect([name, status < 500]).toEqual([name, true]);
    }
  });

  it('prevent caching of personal data', () => {
    for (const [name, { headers }] of answers) {
      if (!cached.includes(name))
        expect([name, headers['cache-control']]).toEqual([name, expect.stringMatching(/no-store/)]);
    }
    expect(answers.get('tester’s page')?.headers['cache-control']).toBe('private, no-cache');
    for (const name of ['icon', 'file'])
      expect(answers.get(name)?.headers['cache-control']).toMatch(/^private, max-age=/);
  });

  it('declare content type and charset', () => {
    for (const [name, { headers, body }] of answers) {
      if (body.length === 0) continue;
      const type = String(headers['content-type']);
      expect([name, type]).toEqual([name, expect.stringMatching(/^[a-z]+\/[a-z0-9.+-]+/)]);
      if (/^text\/|json|xml/.test(type) && !type.startsWith('image/'))
        expect([name, type]).toEqual([name, expect.stringMatching(/; charset=utf-8$/)]);
    }
    expect(answers.get('file')?.headers['content-disposition']).toMatch(/^attachment; filename="/);
  });

  it('allow no TRACE method, which echoes requests', async () => {
    const connection = await openRaw(slipway.port);
    await connection.write('TRACE / HTTP/1.1\r\nHost: a\r\nX-Own: echo-of-mine\r\nConnection: close\r\n\r\n');
    const answer = await connection.answer();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(`${JSON.stringify(answer.headers)}${answer.text}`).not.toContain('echo-of-mine');
    connection.destroy();
  });
});

describe('HTTP Strict Transport Security', () => {
  let slipway: TestService | null = null;
  afterEach(() => slipway?.close());

  it('is sent only when the public address is https', () => {
    const said = (origin: string | null) => defaultHeaders(origin)['Strict-Transport-Security'];
    expect(said('https://apps.example.com')).toMatch(/^max-age=31536000$/);
    for (const origin of [null, 'http://apps.example.com', 'https://localhost:8443'])
      expect(said(origin)).toBeUndefined();
  });

  it('is sent with pages, refusals and files', async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_URL: 'https://apps.example.com' },
    });
    const { file } = await uploaded(slipway);
    for (const path of [
      '/sign-in',
      '/none',
      '/api/none',
      '/healthz',
      file.slice('https://apps.example.com'.length),
    ]) {
      const { headers } = await send(slipway.port, path, { headers: { Accept: 'text/html' } });
      expect([path, headers['strict-transport-security']]).toEqual([path, 'max-age=31536000']);
    }
  });

  it('comes with a cookie prefix that no other host can set', async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_URL: 'https://apps.example.com' },
    });
    const { cookie, get } = await signIn(slipway, 'admin');
    expect(cookie).toMatch(/^__Host-slipway_session=[\w-]{43}$/);
    expect((await get('/settings')).status).toBe(200);
    const planted = { Cookie: cookie.replace('__Host-', ''), Accept: 'text/html' };
    expect((await send(slipway.port, '/settings', { headers: planted })).status).toBe(303);
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await get('/')).text) ?? [];
    const out = await postForm(slipway, '/sign-out', { csrf }, { Cookie: cookie });
    expect(out.headers['set-cookie']?.[0]).toMatch(/^__Host-slipway_session=;.*Path=\/;.*Secure/);
    expect((await get('/settings')).status).toBe(303);
  });

  it('comes with no unprefixed cookie: each is set in one place', () => {
    const root = fileURLToPath(new URL('../../src/', import.meta.url));
    const handling = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => /\.(setCookie|clearCookie)\(/.test(readFileSync(join(root, path), 'utf8')));
    expect(handling).toEqual(['http/secure-cookies.ts']);
  });
});
