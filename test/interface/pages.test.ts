/** Every address in a response opens only for permitted callers: signed in, by key, or by the secret of the app. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { get, refusalOf, type UploadResult, uploaded } from '../support/interface-client.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const packageName = 'com.example.pages';
const asBrowser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

describe('pages', () => {
  let slipway: TestService;
  const keys: Record<string, string> = {};
  const browsers: Record<string, BrowserSession> = {};
  let android: UploadResult;
  let ios: UploadResult;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    for (const name of ['mina', 'tess', 'stranger', 'boss']) {
      keys[name] = await slipway.user(name);
      browsers[name] = await signIn(slipway, name);
    }
    await slipway.workspace('acme', 'boss', 'Acme');
    await slipway.project('crew', { workspace: 'acme', members: { mina: 'developer', tess: 'tester' } });
    const shared = { owner: 'crew', key: keys.mina };
    const fields = { distribution_name: 'main', message: 'the android half' };
    const apk = signApk(buildApk({ packageName, label: 'Droid name' }), { v2: [{ key: createTestKey() }] });
    android = await uploaded(slipway, { ...shared, file: apk, fields });
    ios = await uploaded(slipway, {
      ...shared,
      file: buildIpa({ bundleIdentifier: packageName, name: 'Fruit name' }),
      fields: { distribution_name: 'main', message: 'the ios half' },
    });
  });
  afterAll(() => slipway.close());

  const memberPages = () => [
    android.path,
    android.revision_url,
    ios.revision_url,
    `/users/crew/platforms/android/apps/${packageName}`,
    `/users/crew/platforms/ios/apps/${packageName}`,
    `/organizations/crew/apps/${packageName}`,
    `/organizations/crew/platforms/android/apps/${packageName}`,
    `/organizations/crew/platforms/iOS/apps/${packageName}`,
    '/organizations/crew',
    '/users/crew',
    '/enterprises/acme',
    '/organizations/CREW',
  ];

  it('open for members with a key or signed in', async () => {
    for (const address of memberPages()) {
      for (const name of ['mina', 'tess']) {
        const byKey = await get(slipway, address, keys[name]);
        const bySession = await browsers[name]?.get(address);
        for (const page of [byKey, bySession]) {
          expect([address, page?.status]).toEqual([address, 200]);
          expect(page?.headers['content-type']).toBe('text/html; charset=utf-8');
          expect(page?.headers['content-security-policy']).toMatch(/default-src 'none'/);
          expect(page?.headers['cache-control']).toMatch(/no-store/);
          readElements(page?.text ?? '');
        }
      }
    }
  });

  it('return 404 to people without access, as for pages that do not exist', async () => {
    const gone = refusalOf(await get(slipway, '/users/crew/apps/com.example.none', keys.mina), 404);
    for (const address of memberPages()) {
      expect(refusalOf(await get(slipway, address, keys.stranger), 404)).toEqual(gone);
      const page = await browsers.stranger?.get(address);
      expect(page?.status).toBe(404);
      expect(page?.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page?.text).not.toContain('Droid name');
    }
    for (const address of [
      '/organizations/nobody',
      '/users/nobody',
      '/enterprises/nobody',
      '/organizations/mina',
      '/users/acme',
    ]) {
      expect(refusalOf(await get(slipway, address, keys.stranger), 404)).toEqual(gone);
    }
  });

  it('redirect a signed-out browser to sign in and back, and return 401 as JSON otherwise', async () => {
    const absent = ['/users/nobody', '/organizations/nobody', '/users/crew/apps/none', '/enterprises/nobody'];
    for (const address of [...memberPages(), ...absent]) {
      const path = address.replace(slipway.origin, '');
      refusalOf(await get(slipway, address), 401);
      const redirected = await get(slipway, address, null, asBrowser);
      expect(redirected.status).toBe(303);
      expect(redirected.headers.location).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    }
  });

  it('show a Workspace to its owner, but not the apps of its Projects', async () => {
    expect((await get(slipway, '/enterprises/acme', keys.boss)).status).toBe(200);
    refusalOf(await get(slipway, android.path, keys.boss), 404);
  });

  it('show an id with both platforms, and each platform alone', async () => {
    const both = (await get(slipway, android.path, keys.tess)).text;
    // The one with the latest upload, with a link to the other.
    expect(both).toContain('Fruit name');
    expect(both).toContain('Also on Android');
    const other = (await get(slipway, `/users/crew/platforms/android/apps/${packageName}`, keys.tess)).text;
    expect(other).toContain('Droid name');
    expect(other).toContain('Also on iOS');
    const alone = await get(slipway, `/users/crew/platforms/ios/apps/${packageName}`, keys.tess);
    expect(alone.text).toContain('Fruit name');
    expect(alone.text).not.toContain('Droid name');
    refusalOf(await get(slipway, `/users/crew/platforms/windows/apps/${packageName}`, keys.tess), 404);
  });

  it('open with the secret of the app: one platform only, with working files', async () => {
    for (const [own, other, name, hidden] of [
      [android, ios, 'Droid name', 'Fruit name'],
      [ios, android, 'Fruit name', 'Droid name'],
    ] as const) {
      for (const address of [own.path, own.revision_url, `/organizations/crew/apps/${packageName}`]) {
        const page = await get(slipway, `${address}?key=${own.secret}`);
        expect(page.status).toBe(200);
        expect(page.text).toContain(name);
        expect(page.text).not.toContain(hidden);
        expect(page.text).not.toContain(other.secret);
      }
      const mismatched = other.revision_url.replace(slipway.origin, '');
      refusalOf(await get(slipway, `${mismatched}?key=${own.secret}`), 401);
      expect((await get(slipway, `${mismatched}?key=${own.secret}`, null, asBrowser)).status).toBe(303);
      const page = await get(slipway, `${own.path}?key=${own.secret}`);
      const links = readElements(page.text).flatMap(({ tag, attributes }) => {
        const href = tag === 'a' ? attributes.get('href') : attributes.get('src');
        return href?.startsWith('/') && !/^\/(sign-in|$)/.test(href) ? [href] : [];
      });
      expect(links.length).toBeGreaterThan(3);
      const open = links.filter((link) => !/^\/(users|organizations)\/crew$/.test(link));
      for (const link of open)
        expect([link, (await get(slipway, link, null, asBrowser)).status]).toEqual([link, 200]);
    }
  });

  it.each(['', 'x', 'f'.repeat(40)])('do not open with the secret "%s"', async (secret) => {
    refusalOf(await get(slipway, `${android.path}?key=${secret}`), 401);
    refusalOf(await get(slipway, `${android.path}?key=${secret}`, keys.stranger), 404);
    expect((await get(slipway, `${android.path}?key=${secret}`, keys.tess)).status).toBe(200);
  });

  it('do not open with a secret in another place or given twice', async () => {
    refusalOf(await get(slipway, `/organizations/crew?key=${android.secret}`), 401);
    refusalOf(await get(slipway, `${android.path}?key=${android.secret}&key=${android.secret}`), 401);
    refusalOf(await get(slipway, `${android.path}?token=${keys.mina}`), 401);
  });

  it('accept any query', async () => {
    const queries = [
      'q=a&q=b',
      'q=%00',
      'q=%25_%5C',
      `q=${'x'.repeat(3000)}`,
      'below=1&below=2',
      'below=-1',
      'below=1e9',
      'below=999999999999999',
      'below=9999999999999999999999',
      'above=0&platform=android',
      'platform=x&platform=y',
      'page=0',
      'page=99999',
      'page=a&page=b',
      'page=9999999999',
      'q=%F0%9F%98%80',
      'q=%ff',
    ];
    for (const query of queries) {
      for (const address of [android.path, android.revision_url, '/organizations/crew', '/']) {
        const page = await get(slipway, `${address}${address.includes('?') ? '&' : '?'}${query}`, keys.tess);
        expect([query, address, page.status]).toEqual([query, address, 200]);
      }
      expect((await get(slipway, `${android.path}?key=${android.secret}&${query}`)).status).toBe(200);
    }
  });

  it('return 404 for a revision that does not exist', async () => {
    const base = android.revision_url.replace(/\d+$/, '');
    for (const revision of ['0', '2', '-1', '1.0', 'x', '01x', '9'.repeat(15), '9'.repeat(30), '%00']) {
      refusalOf(await get(slipway, base + revision, keys.tess), 404);
    }
  });

  it('need no account for testers, and return 404 under another key', async () => {
    for (const { distribution } of [android, ios]) {
      const page = await get(slipway, distribution?.url ?? '', null, asBrowser);
      expect(page.status).toBe(200);
      readElements(page.text);
      const wrongKey = `/distributions/${distribution?.access_key.toUpperCase().replace('A', 'B')}x`;
      refusalOf(await get(slipway, wrongKey), 404);
      expect((await get(slipway, wrongKey, null, asBrowser)).status).toBe(404);
    }
    for (const key of ['x', '%00', 'a'.repeat(3000), '%2e%2e'])
      refusalOf(await get(slipway, `/distributions/${key}`), 404);
  });

  it('return the exact file to a tester', async () => {
    const page = await get(slipway, android.distribution?.url ?? '');
    const link = readElements(page.text).find(({ attributes }) =>
      /\/file\?ticket=/.test(attributes.get('href') ?? ''),
    );
    const href = link?.attributes.get('href') ?? '';
    expect(href).not.toBe('');
    const file = await get(slipway, href);
    expect(file.status).toBe(200);
    expect(file.body).toHaveLength(android.file_size);
  });

  it('escape everything that an uploader controls', async () => {
    const attack = `--></title><script>alert(1)</script>"'><img src=x onerror=alert(2)>`;
    const fields = {
      message: attack,
      release_note: attack,
      distribution_name: attack,
      branch: attack,
      commit: attack,
      label: attack,
      build_url: 'https://example.com/"><script>alert(1)</script>',
    };
    const file = buildApk({ packageName: 'com.example.attack', label: attack, versionName: attack });
    const result = await uploaded(slipway, { owner: 'crew', key: keys.mina, file, fields });
    for (const address of [
      `${result.path}?key=${result.secret}`,
      result.revision_url,
      result.distribution?.url ?? '',
      '/organizations/crew',
      '/',
      `${result.path}?q=${encodeURIComponent(attack)}`,
    ]) {
      const page = await get(slipway, address, keys.mina, asBrowser);
      expect(page.status).toBe(200);
      const elements = readElements(page.text);
      expect(elements.filter(({ attributes }) => attributes.has('onerror'))).toEqual([]);
      expect(elements.filter(({ tag, text }) => tag === 'script' && text !== '')).toEqual([]);
    }
  });

  it('show errors as pages to people and as JSON to programs', async () => {
    const page = await get(slipway, '/no/such/place', null, asBrowser);
    expect(page.status).toBe(404);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    readElements(page.text);
    refusalOf(await get(slipway, '/no/such/place'), 404);
    refusalOf(await get(slipway, '/api/no/such/place', keys.mina, asBrowser), 404);
  });
});
