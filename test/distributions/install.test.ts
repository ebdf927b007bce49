/** A complete install as phones perform it, and every page rule over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installTokenLifetimeMs } from '../../src/distributions/install/install-token.ts';
import { hashSubject } from '../../src/limits/attempts.ts';
import { anonymousForm, postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import type { Answer } from '../support/http-client.ts';
import { get, type UploadResult, uploaded } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { asInstaller, findPage, linksOf, phones, readManifest, setRules } from '../support/page-visits.ts';
import { signApk } from '../support/sign-apk.ts';
import { crossedStores } from '../support/stores.ts';
import { createTestKey } from '../support/test-key.ts';
import { hashCheaply, startTestService, type TestService } from '../support/test-service.ts';

const origin = 'https://apps.example.test';

describe.each(crossedStores)('install from a page on $dialect with blobs on $blobs', (options) => {
  const isMain = options.dialect === 'sqlite' && options.blobs === 'disk';
  let slipway: TestService;
  let clock = Date.now();
  const identity = createSigningIdentity();
  const ipa = buildIpa({
    bundleIdentifier: 'com.example.phone',
    name: 'Küche & <Co>',
    shortVersion: '2.1',
    version: '7',
    identity,
    profile: { type: 'enterprise', identity },
  });
  const apkOf = (packageName: string, versionCode = 1) =>
    signApk(buildApk({ packageName, versionCode, minSdk: 24 }), { v2: [{ key: createTestKey() }] });
  const apk = apkOf('com.example.phone');

  beforeAll(async () => {
    slipway = await startTestService({
      ...options,
      settings: { SLIPWAY_URL: origin, SLIPWAY_TRUST_PROXY: '127.0.0.1' },
      now: () => clock,
    });
    await slipway.user('tess');
    await slipway.user('mona');
    await slipway.project('phones', { members: { mona: 'tester' } });
  });
  afterAll(() => slipway.close());

  let pages = 0;
  const publish = async (file: Buffer, fields: Record<string, string> = {}, owner = 'admin') => {
    pages += 1;
    const result = await uploaded(slipway, {
      file,
      owner,
      fields: { distribution_name: `page ${pages}`, ...fields },
      ...(owner === 'admin' ? {} : { key: await slipway.projectKey(owner) }),
    });
    return { ...result, key: keyOf(result) };
  };
  const keyOf = (result: UploadResult) => result.distribution?.access_key ?? '';
  const pageAddress = (key: string) => `/distributions/${key}`;
  const visit = (address: string, headers: Record<string, string> = {}) =>
    get(slipway, address, null, {
      headers: { Accept: 'text/html', 'User-Agent': phones.iphone, ...headers },
    });
  const onAndroid = { 'User-Agent': phones.android };
  const installsOf = async (key: string) => (await findPage(slipway, key)).installs;

  it('serves the manifest and the exact package to an iPhone without cookies', async () => {
    const { key, revision } = await publish(ipa);
    const page = await visit(pageAddress(key));
    expect(page.status).toBe(200);
    const links = linksOf(page.text);
    const manifestAnswer = await asInstaller(slipway, links.manifest ?? '');
    expect(manifestAnswer.status).toBe(200);
    expect(manifestAnswer.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(manifestAnswer.headers['cache-control']).toBe('private, no-store');
    const manifest = readManifest(manifestAnswer);
    expect(manifest.metadata).toMatchObject({
      'bundle-identifier': 'com.example.phone',
      'bundle-version': '2.1',
      kind: 'software',
      title: 'Küche & <Co>',
    });
    expect(manifest.package.startsWith(`${origin}/distributions/${key}/${revision}/file?ticket=`)).toBe(true);
    const head = await get(slipway, manifest.package, null, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(ipa.length));
    const file = await asInstaller(slipway, manifest.package);
    expect(file.body.equals(ipa)).toBe(true);
    const rest = await get(slipway, manifest.package, null, { headers: { Range: 'bytes=10-' } });
    expect(rest.status).toBe(206);
    expect(rest.body.equals(ipa.subarray(10))).toBe(true);
    const icon = await asInstaller(slipway, manifest.icon);
    expect(icon.headers['content-type']).toBe('image/png');
    expect(await installsOf(key)).toBe(1);
  });

  it('serves the APK with a content type and a file name to an Android phone', async () => {
    const { key, revision } = await publish(apk);
    const links = linksOf((await visit(pageAddress(key), onAndroid)).text);
    const file = await get(slipway, links.file ?? '');
    expect(file.headers['content-type']).toBe('application/vnd.android.package-archive');
    expect(file.headers['content-disposition']).toContain(`com.example.phone-`);
    expect(file.headers['content-disposition']).toContain(`-${revision}.apk`);
    expect(file.body.equals(apk)).toBe(true);
    await get(slipway, links.file ?? '', null, { headers: { Range: 'bytes=5-' } });
    expect(await installsOf(key)).toBe(1);
  });

  it('answers 304 to a visitor who has the unchanged page, and checks every rule first', async () => {
    const { key } = await publish(apk);
    const visit = (headers: Record<string, string> = {}, userAgent: string = phones.android) =>
      get(slipway, pageAddress(key), null, {
        headers: { Accept: 'text/html', 'User-Agent': userAgent, ...headers },
      });
    /** Headers of a visitor who has the page, once the work after an upload no longer changes it. */
    const whenUnchanged = async () => {
      let known = { 'If-None-Match': '' };
      await expect
        .poll(async () => {
          known = { 'If-None-Match': (await visit()).headers.etag ?? '' };
          return visit(known);
        })
        .toMatchObject({ status: 304, text: '', headers: { 'cache-control': 'private, no-cache' } });
      return known;
    };
    const known = await whenUnchanged();
    expect((await visit(known, phones.iphone)).status).toBe(200);
    expect((await visit({ ...known, 'Accept-Language': 'ja' })).status).toBe(200);
    const { cookie } = await signIn(slipway, 'mona');
    const signedIn = await visit({ ...known, Cookie: cookie });
    expect([signedIn.status, signedIn.headers.etag]).toEqual([200, undefined]);
    expect(signedIn.headers['cache-control']).toBe('private, no-store');
    await setRules(slipway, key, { active: false });
    expect((await visit(known)).status).toBe(404);
    await setRules(slipway, key, { active: true, feedback: true });
    expect((await visit(known)).status).toBe(200);
    const changed = await whenUnchanged();
    // Links of the stored page are about to expire.
    clock += installTokenLifetimeMs / 4;
    expect((await visit(changed)).status).toBe(200);
  });

  it('rejects an expired link, and redirects browsers to the page', async () => {
    const { key, revision } = await publish(ipa);
    const links = linksOf((await visit(pageAddress(key))).text);
    const android = await publish(apk);
    const { file } = linksOf((await visit(pageAddress(android.key), onAndroid)).text);
    const shown = clock;
    clock += installTokenLifetimeMs - 1;
    const manifest = readManifest(await asInstaller(slipway, links.manifest ?? ''));
    clock += 2;
    expect((await asInstaller(slipway, links.manifest ?? '')).status).toBe(403);
    expect((await asInstaller(slipway, links.icon)).status).toBe(403);
    expect((await asInstaller(slipway, file ?? '')).status).toBe(403);
    const led = await visit(file ?? '');
    expect([led.status, led.headers.location]).toEqual([
      303,
      `/distributions/${android.key}/${android.revision}`,
    ]);
    // The manifest was fetched in time: its links are valid for another hour.
    expect((await asInstaller(slipway, manifest.package)).status).toBe(200);
    expect(revision).toBeGreaterThan(0);
    clock = shown + 10 * installTokenLifetimeMs;
    expect((await asInstaller(slipway, manifest.package)).status).toBe(403);
  });

  it('rejects links to another build, page or purpose', async () => {
    const first = await publish(apk);
    const second = await uploaded(slipway, { file: apk, fields: { distribution_key: first.key } });
    const other = await publish(apk);
    const { file, icon } = linksOf((await visit(pageAddress(first.key), onAndroid)).text);
    const at = (text: string | null) => text ?? '';
    const wrong = [
      at(file).replace(`/${second.revision}/`, `/${first.revision}/`),
      at(file).replace(`/${second.revision}/`, '/999999/'),
      at(file).replace(first.key, other.key).replace(`/${second.revision}/`, `/${other.revision}/`),
      at(file).replace('/file', '/manifest.plist'),
      at(file).replace('/file', '/icon'),
      icon.replace('/icon', '/file'),
      at(file).replace(/ticket=.*/, ''),
      at(file).replace(/ticket=/, 'ticket=x'),
      at(file).replace(/(ticket=[^.]+)/, '$10'),
      `${at(file)}&ticket=x`,
    ];
    for (const address of wrong) {
      expect([address, (await asInstaller(slipway, address)).status]).toEqual([address, 404]);
    }
    expect((await asInstaller(slipway, at(file))).status).toBe(200);
  });

  it('keeps every build of the page at its own link until it is withdrawn', async () => {
    const first = await publish(apkOf('com.example.history'), { message: 'one' });
    await uploaded(slipway, {
      file: apkOf('com.example.history', 2),
      fields: { distribution_key: first.key, message: 'two' },
    });
    const earlier = await visit(`${pageAddress(first.key)}/${first.revision}`, onAndroid);
    expect(earlier.status).toBe(200);
    expect(earlier.text).toContain('one');
    const { file } = linksOf(earlier.text);
    expect((await asInstaller(slipway, file ?? '')).status).toBe(200);
    const page = await findPage(slipway, first.key);
    const update = await slipway.data.distributions.findUpdate(page.id, first.revision);
    await slipway.data.pageSettings.setWithdrawn(page.id, update?.buildId ?? '', true);
    expect((await asInstaller(slipway, file ?? '')).status).toBe(403);
    const withdrawn = await visit(`${pageAddress(first.key)}/${first.revision}`, onAndroid);
    expect(withdrawn.status).toBe(200);
    expect(linksOf(withdrawn.text).file).toBeNull();
    const elsewhere = await publish(apk);
    for (const path of ['/999', `/${elsewhere.revision}`, '/0', '/1e3', '/-1', '/99999999999999999999']) {
      expect([path, (await visit(`${pageAddress(first.key)}${path}`)).status]).toEqual([path, 404]);
    }
  });

  describe.runIf(isMain)('page rules', () => {
    /** Links that a page contained before the rule was set, and the page itself. */
    const opened = async (file = ipa) => {
      const result = await publish(file);
      const links = linksOf((await visit(pageAddress(result.key))).text);
      const all = [links.manifest ?? links.file ?? '', links.icon];
      if (links.manifest) all.push(readManifest(await asInstaller(slipway, links.manifest)).package);
      return { ...result, all };
    };
    const statuses = (all: readonly string[], ask: (address: string) => Promise<Answer>) =>
      Promise.all(all.map(async (address) => (await ask(address)).status));
    const keepsNameToItself = (answer: Answer, result: { name: string; package_name: string }) => {
      expect(answer.text).not.toContain(result.package_name);
      expect(answer.text).not.toContain('Küche');
      expect(answer.text).not.toContain('ticket=');
    };

    it('block a closed page and its links', async () => {
      const page = await opened();
      await setRules(slipway, page.key, { active: false });
      const closed = await visit(pageAddress(page.key));
      expect(closed.status).toBe(404);
      keepsNameToItself(closed, page);
      expect((await visit(`${pageAddress(page.key)}/${page.revision}`)).status).toBe(404);
      expect(await statuses(page.all, (address) => asInstaller(slipway, address))).toEqual([404, 404, 404]);
      await setRules(slipway, page.key, { active: true });
      expect(await statuses(page.all, (address) => asInstaller(slipway, address))).toEqual([200, 200, 200]);
    });

    it('block an expired page', async () => {
      const page = await opened();
      await setRules(slipway, page.key, { expiresAt: clock + 1000 });
      expect(await statuses(page.all, (address) => asInstaller(slipway, address))).toEqual([200, 200, 200]);
      clock += 1000;
      const closed = await visit(pageAddress(page.key));
      expect(closed.status).toBe(404);
      keepsNameToItself(closed, page);
      expect(await statuses(page.all, (address) => asInstaller(slipway, address))).toEqual([404, 404, 404]);
    });

    it('block networks that are not allowed, also behind a trusted proxy', async () => {
      const page = await opened();
      await setRules(slipway, page.key, { networks: ['10.20.0.0/16', '2001:db8::/32'] });
      const from = (address: string) => ({ 'X-Forwarded-For': address });
      for (const address of ['127.0.0.1', '10.21.0.1', '2001:db9::1', 'nonsense']) {
        const shut = await visit(pageAddress(page.key), from(address));
        expect([address, shut.status]).toEqual([address, 403]);
        keepsNameToItself(shut, page);
        expect(
          await statuses(page.all, (link) => get(slipway, link, null, { headers: from(address) })),
        ).toEqual([403, 403, 403]);
      }
      for (const address of ['10.20.255.1', '2001:db8::7', '10.99.0.1, 10.20.0.1']) {
        expect((await visit(pageAddress(page.key), from(address))).status).toBe(200);
        expect(
          await statuses(page.all, (link) => get(slipway, link, null, { headers: from(address) })),
        ).toEqual([200, 200, 200]);
      }
    });

    it('return 404 for an invalid revision', async () => {
      const { key, revision } = await opened();
      for (const one of ['x', '-1', '1e3', '0x1', '1.0', '9'.repeat(15), '9'.repeat(16), `${revision}x`]) {
        for (const what of ['', '/file', '/manifest.plist', '/icon']) {
          const answer = await asInstaller(slipway, `${pageAddress(key)}/${one}${what}`);
          expect([one, what, answer.status]).toEqual([one, what, 404]);
        }
      }
    });

    it('require the passcode, which invalidates earlier links', async () => {
      const page = await opened();
      await setRules(slipway, page.key, {
        access: 'passcode',
        passcodeHash: await hashCheaply('open sesame'),
      });
      const gate = await visit(pageAddress(page.key));
      expect(gate.status).toBe(403);
      expect(gate.text).toContain('name="passcode"');
      keepsNameToItself(gate, page);
      expect((await visit(`${pageAddress(page.key)}/${page.revision}`)).status).toBe(403);
      expect(await statuses(page.all, (address) => asInstaller(slipway, address))).toEqual([404, 404, 404]);
      const wrong = await postForm(slipway, `${pageAddress(page.key)}/passcode`, { passcode: 'open' });
      expect([wrong.status, wrong.headers['set-cookie']]).toEqual([403, undefined]);
      keepsNameToItself(wrong, page);
      const right = await postForm(slipway, `${pageAddress(page.key)}/passcode`, {
        passcode: ' open sesame ',
      });
      expect([right.status, right.headers.location]).toEqual([303, pageAddress(page.key)]);
      const cookie = right.headers['set-cookie']?.[0] ?? '';
      expect(cookie).toMatch(/; Path=\/distributions\/[0-9a-f]{40}; HttpOnly; Secure; SameSite=Lax$/);
      const pass = { Cookie: cookie.split(';')[0] ?? '' };
      const tx = await visit(pageAddress(page.key), pass);
      expect(tx.status).toBe(200);
      const links = linksOf(tx.text);
      expect((await asInstaller(slipway, links.manifest ?? '')).status).toBe(200);
      const other = await publish(ipa);
      await setRules(slipway, other.key, {
        access: 'passcode',
        passcodeHash: await hashCheaply('open sesame'),
      });
      expect((await visit(pageAddress(other.key), pass)).status).toBe(403);
      await setRules(slipway, page.key, { passcodeHash: await hashCheaply('changed') });
      expect((await visit(pageAddress(page.key), pass)).status).toBe(403);
      expect((await asInstaller(slipway, links.manifest ?? '')).status).toBe(404);
    });

    it('block an address after ten wrong passcodes, and no other address', async () => {
      const page = await publish(ipa);
      await setRules(slipway, page.key, {
        access: 'passcode',
        passcodeHash: await hashCheaply('right one'),
      });
      const guess = (passcode: string, address: string) =>
        postForm(slipway, `${pageAddress(page.key)}/passcode`, { passcode }, { 'X-Forwarded-For': address });
      const guesses = await Promise.all(
        Array.from({ length: 14 }, (_, index) => guess(`wrong ${index}`, '203.0.113.5')),
      );
      const counted = guesses.map(({ status }) => status).sort();
      expect(counted).toEqual([...Array(10).fill(403), ...Array(4).fill(429)]);
      const paused = await guess('right one', '203.0.113.5');
      expect(paused.status).toBe(429);
      expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await guess('right one', '203.0.113.6')).status).toBe(303);
      clock += 16 * 60_000;
      expect((await guess('right one', '203.0.113.5')).status).toBe(303);
      const spread = await Promise.all(
        Array.from({ length: 12 }, (_, index) => guess(`wrong ${index}`, `2001:db8:5:7::${index + 1}`)),
      );
      expect(spread.filter(({ status }) => status === 429)).toHaveLength(2);
      expect((await guess('right one', '2001:db8:5:8::1')).status).toBe(303);
    });

    describe('passcode attempts', () => {
      const withPasscode = async () => {
        const page = await publish(ipa);
        await setRules(slipway, page.key, {
          access: 'passcode',
          passcodeHash: await hashCheaply('right one'),
        });
        return page;
      };
      const guess = async (key: string, passcode: string, from: string, pass = '') => {
        const { cookie, csrf } = await anonymousForm(slipway);
        const headers = { 'X-Forwarded-For': from, Cookie: `${cookie}; ${pass}` };
        return postForm(slipway, `${pageAddress(key)}/passcode`, { passcode, csrf }, headers);
      };
      const passOf = ({ headers }: Answer) =>
        headers['set-cookie']?.find((one) => one.includes('slipway_passcode='))?.split(';')[0] ?? '';
      /** Simulates attempts from many networks. */
      const useUpNewcomers = async (key: string) => {
        const { id, accessKey, passcodeHash } = await findPage(slipway, key);
        const subject = hashSubject(['passcode', id, accessKey, passcodeHash ?? '']);
        await slipway.data.attempts.countAttempts([subject], clock, day, 500);
      };
      const day = 24 * 60 * 60_000;

      it('are limited to thirty a day per network, however slow', async () => {
        const { key } = await withPasscode();
        const statuses = [];
        for (let round = 0; round < 4; round++) {
          for (let one = 0; one < 10; one++)
            statuses.push((await guess(key, 'wrong', '198.51.100.7')).status);
          clock += 16 * 60_000;
        }
        expect(statuses).toEqual([...Array(30).fill(403), ...Array(10).fill(429)]);
        const paused = await guess(key, 'right one', '198.51.100.7');
        expect([paused.status, Number(paused.headers['retry-after']) > 3600]).toEqual([429, true]);
        clock += day;
        expect((await guess(key, 'right one', '198.51.100.7')).status).toBe(303);
      });

      it('never lock out visitors who were already admitted', async () => {
        const { key } = await withPasscode();
        const early = passOf(await guess(key, 'right one', '198.51.100.1'));
        clock += 8 * day;
        const late = passOf(await guess(key, 'right one', '198.51.100.2'));
        await useUpNewcomers(key);
        const newcomer = await guess(key, 'right one', '198.51.100.3');
        expect([newcomer.status, newcomer.text.includes('ask for a new link')]).toEqual([429, true]);
        // A valid pass opens the page.
        expect((await visit(pageAddress(key), { Cookie: late })).status).toBe(200);
        // An expired one proves that its browser knew the passcode, on whatever network it is now.
        expect((await visit(pageAddress(key), { Cookie: early })).status).toBe(403);
        expect((await guess(key, 'right one', '198.51.100.3', early)).status).toBe(303);
        const wrong = [];
        for (let one = 0; one < 12; one++)
          wrong.push((await guess(key, 'wrong', '198.51.100.1', early)).status);
        expect(wrong).toEqual([...Array(10).fill(403), 429, 429]);
        // A forged one, or one of another page, proves nothing.
        const other = await withPasscode();
        const foreign = passOf(await guess(other.key, 'right one', '198.51.100.1'));
        for (const pass of [foreign, `${early.slice(0, -1)}${early.endsWith('A') ? 'B' : 'A'}`])
          expect((await guess(key, 'right one', '198.51.100.4', pass)).status).toBe(429);
      });

      it('are reset by a new passcode, which also invalidates earlier passes', async () => {
        const { key } = await withPasscode();
        const pass = passOf(await guess(key, 'right one', '198.51.100.1'));
        await useUpNewcomers(key);
        await setRules(slipway, key, { passcodeHash: await hashCheaply('another one') });
        expect((await guess(key, 'another one', '198.51.100.3')).status).toBe(303);
        await useUpNewcomers(key);
        expect((await guess(key, 'another one', '198.51.100.3', pass)).status).toBe(429);
      });

      it('require the form token of the browser', async () => {
        const { key } = await withPasscode();
        const gate = await visit(pageAddress(key));
        const { csrf = '' } = formOf(gate.text, 'passcode').fields;
        const post = (headers: Record<string, string>) =>
          postForm(slipway, `${pageAddress(key)}/passcode`, { passcode: 'right one', csrf }, headers);
        expect((await post({})).status).toBe(403);
        expect((await post({ Cookie: (await anonymousForm(slipway)).cookie })).status).toBe(403);
        const Cookie = gate.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
        expect((await post({ Cookie, Origin: 'https://elsewhere.test' })).status).toBe(403);
        expect((await post({ Cookie })).status).toBe(303);
      });
    });

    it('admit members to a members-only page, redirect anonymous visitors to sign-in and return 404 to other users', async () => {
      const page = await publish(ipa, {}, 'phones');
      await setRules(slipway, page.key, { access: 'members' });
      const mona = await signIn(slipway, 'mona');
      const tess = await signIn(slipway, 'tess');
      const stranger = await visit(pageAddress(page.key));
      expect([stranger.status, stranger.headers.location]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent(pageAddress(page.key))}`,
      ]);
      keepsNameToItself(stranger, page);
      expect((await tess.get(pageAddress(page.key))).status).toBe(404);
      const tx = await mona.get(pageAddress(page.key), { headers: { 'User-Agent': phones.iphone } });
      expect(tx.status).toBe(200);
      const links = linksOf(tx.text);
      const manifest = await asInstaller(slipway, links.manifest ?? '');
      expect(manifest.status).toBe(200);
      expect((await asInstaller(slipway, readManifest(manifest).package)).body.equals(ipa)).toBe(true);
      expect((await asInstaller(slipway, `${pageAddress(page.key)}/${page.revision}/file`)).status).toBe(404);
    });

    it('enforce the install limit under concurrency', async () => {
      const page = await publish(apk);
      await setRules(slipway, page.key, { maxInstalls: 3 });
      const visits = await Promise.all(
        Array.from({ length: 9 }, () => visit(pageAddress(page.key), onAndroid)),
      );
      const links = visits.map(({ text }) => linksOf(text).file ?? '');
      const taken = await statuses(links, (address) => asInstaller(slipway, address));
      expect(taken.filter((status) => status === 200)).toHaveLength(3);
      expect(taken.filter((status) => status === 403)).toHaveLength(6);
      expect(await installsOf(page.key)).toBe(3);
      const used = links[taken.indexOf(200)] ?? '';
      expect((await asInstaller(slipway, used)).status).toBe(200);
      const full = await visit(pageAddress(page.key), onAndroid);
      expect(full.status).toBe(200);
      expect(linksOf(full.text).file).toBeNull();
      expect(await installsOf(page.key)).toBe(3);
    });
  });
});
