/** Installing as a signed-in member: from the pages of an app and its builds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import {
  appPath,
  type BuildKit,
  buildPath,
  ownerName,
  packageName,
  startBuildKit,
} from '../support/build-actions-kit.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { readElements } from '../web/elements.ts';

const android =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1';
const desktop =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

describe('a tester', () => {
  let kit: BuildKit;
  let tess: BrowserSession;
  const iosApp = `/users/${ownerName}/platforms/ios/apps/com.example.ios`;
  beforeAll(async () => {
    kit = await startBuildKit({ settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' } });
    tess = await signIn(kit.slipway, 'tess');
    const key = createTestKey('ec');
    const put = (fields: Record<string, string>) =>
      uploaded(kit.slipway, {
        owner: ownerName,
        key: kit.devKey,
        file: signApk(buildApk({ packageName, versionName: '2.0' }), { v2: [{ key }] }),
        fields,
      });
    await put({ message: 'First', distribution_name: 'QA', release_note: '**Try** this' });
    await put({ message: 'Second' });
    const identity = createSigningIdentity();
    const file = buildIpa({
      bundleIdentifier: 'com.example.ios',
      identity,
      profile: { type: 'enterprise', identity },
    });
    await uploaded(kit.slipway, { owner: ownerName, key: kit.devKey, file });
    await kit.slipway.service.outbox.idle();
  });
  afterAll(() => kit?.close());

  const open = async (path: string, userAgent: string, by = tess, headers: Record<string, string> = {}) =>
    (
      await get(kit.slipway, path, null, {
        headers: { Accept: 'text/html', Cookie: by.cookie, 'User-Agent': userAgent, ...headers },
      })
    ).text;
  const installOf = (html: string) =>
    readElements(html)
      .find(({ attributes }) => attributes.has('data-install'))
      ?.attributes.get('href');

  it('installs the latest build from the page of the app', async () => {
    const html = await open(appPath, android);
    const link = installOf(html) ?? '';
    expect(link).toMatch(/^\/builds\/\w+\/file\?key=/);
    expect(html).toContain('Second');
    const file = await get(kit.slipway, link);
    expect([file.status, file.headers['content-type']]).toEqual([
      200,
      'application/vnd.android.package-archive',
    ]);
  });

  it('gets the links of a page that serves the build, which count installs, with its note', async () => {
    const html = await open(buildPath(1), android);
    expect(html).toContain('<strong>Try</strong> this');
    const link = installOf(html) ?? '';
    expect(link).toMatch(/^\/distributions\/[0-9a-f]{40}\/1\/file\?ticket=/);
    expect((await get(kit.slipway, link)).status).toBe(200);
    const [page] = await kit.slipway.data.appPages.listPages({ kind: 'manager' }, await kit.appId(), 1);
    expect(page?.installs).toBe(1);
  });

  it('sees a QR code and no Install button on a computer', async () => {
    const html = await open(appPath, desktop);
    expect(installOf(html)).toBeUndefined();
    expect(html).toContain('class="qr"');
    expect(html).toContain('Download APK');
  });

  it('is told that the build is for the other platform', async () => {
    const html = await open(appPath, iphone);
    expect(html).toContain('This build is for Android');
    expect(installOf(html)).toBeUndefined();
  });

  it('installs an iOS build through a manifest that needs no cookies', async () => {
    const html = await open(iosApp, iphone, tess, {
      Host: 'apps.example.com',
      'X-Forwarded-Proto': 'https',
      // The name of the cookie on https.
      Cookie: tess.cookie.replace('slipway_session', '__Host-slipway_session'),
    });
    const link = installOf(html) ?? '';
    const manifest = new URL(new URL(link.replaceAll('&amp;', '&')).searchParams.get('url') ?? '');
    const answer = await get(kit.slipway, manifest.pathname + manifest.search);
    expect(answer.status).toBe(200);
    const [, file = ''] = /<string>(https?:[^<]*\/file\?key=[^<]*)</.exec(answer.text) ?? [];
    const address = new URL(file.replaceAll('&amp;', '&'));
    expect((await get(kit.slipway, address.pathname + address.search)).status).toBe(200);
    expect((await get(kit.slipway, manifest.pathname)).status).toBe(404);
    const wrong = `${manifest.pathname}${manifest.search.replace('key=', 'key=x')}`;
    expect((await get(kit.slipway, wrong)).status).toBe(404);
  });

  it('cannot use the manifest of an Android build, or the key of another file', async () => {
    const link = installOf(await open(appPath, android)) ?? '';
    expect((await get(kit.slipway, link.replace('/file?', '/manifest.plist?'))).status).toBe(404);
  });

  it('sees developer facts under Details, while people who manage the app see them at once', async () => {
    expect(await open(buildPath(2), desktop)).toContain('<summary>Details</summary>');
    const managed = await open(buildPath(2), desktop, kit.dev);
    expect(managed).not.toContain('<summary>Details</summary>');
    expect(installOf(managed)).toBeUndefined();
    expect(installOf(await open(buildPath(2), android, kit.dev))).toBeDefined();
  });

  it('cannot install after the secret was rotated', async () => {
    const link = installOf(await open(appPath, android)) ?? '';
    await kit.submit(`${appPath}/settings`, 'rotate');
    expect((await get(kit.slipway, link)).status).toBe(404);
  });
});
