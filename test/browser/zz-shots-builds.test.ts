import { mkdirSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
const flags = ['--no-sandbox','--disable-gpu','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync'];
const out = '/tmp/shots-builds';
mkdirSync(out, { recursive: true });
describe('shots', { timeout: 300_000 }, () => {
  let slipway: TestService; let browser: Browser;
  const path = '/users/admin/platforms/android/apps/com.example.tides';
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
    const keys = [createTestKey('ec'), createTestKey('ec')];
    const apk = (n: number, extra = {}) => signApk(buildApk({ packageName: 'com.example.tides', label: { '': 'Tidewatch', de: n > 4 ? 'Gezeitenwache' : 'Gezeiten' }, versionName: `2.${n}.0`, versionCode: 400 + n, minSdk: n > 4 ? 29 : 26, targetSdk: 35, permissions: n > 4 ? ['android.permission.INTERNET', 'android.permission.CAMERA'] : ['android.permission.INTERNET', 'android.permission.READ_CONTACTS'], nativeAbis: n > 4 ? ['arm64-v8a'] : ['arm64-v8a', 'armeabi-v7a'], fillerBytes: 1_000_000 + n * 50_000, ...extra }), { v2: [{ key: keys[n > 4 ? 1 : 0] as never }] });
    for (let n = 1; n <= 6; n++) {
      await uploaded(slipway, { file: apk(n), fields: { message: n === 6 ? 'A banner for storms, shown above the tables when the harbour master has raised a warning.\n\n- red\n- amber' : `Build ${n}: tables`, branch: n % 2 ? 'main' : 'feature/storm', commit: '9f31c2ab77d0aa', ...(n === 5 ? { distribution_name: 'main' } : {}), ...(n === 4 ? { label: 'PR 412' } : {}) } });
    }
    const ipa = (n: number) => buildIpa({ bundleIdentifier: 'com.example.tides', name: 'Tidewatch', version: String(n), shortVersion: `3.${n}`, profile: { type: 'ad-hoc', devices: Array.from({ length: 60 }, (_, i) => `00008030-${String(n === 2 ? i + 55 : i).padStart(16, '0')}`), teamIdentifier: n === 1 ? 'AAAAAAAAAA' : 'BBBBBBBBBB', name: `Ad Hoc ${n}` } });
    await uploaded(slipway, { file: ipa(1) }); await uploaded(slipway, { file: ipa(2) });
    await slipway.service.outbox.idle();
  });
  afterAll(async () => { await browser?.close(); await slipway?.close(); });
  it('shoots', async () => {
    for (const width of [390, 1440]) for (const scheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      const page = await context.newPage();
      const go = (to: string) => page.goto(`${slipway.origin}${to}`, { waitUntil: 'load' });
      await go('/sign-in'); await page.fill('#login', 'admin'); await page.fill('#password', testPassword); await page.click('main button[type=submit]');
      const shot = async (name: string) => { await page.screenshot({ path: `${out}/${name}-${width}-${scheme}.png`, fullPage: true }); };
      await go(path); await shot('app');
      await page.check('#choose-android-3'); await page.check('#choose-android-2'); await page.getByRole('button', { name: 'Delete chosen builds' }).click();
      await shot('deleted');
      await page.getByRole('button', { name: 'Undo: bring 2 builds back' }).click(); await shot('restored');
      await go(`${path}/binaries/6`); await page.getByText('Edit the message').click(); await shot('build');
      await go(`${path}/binaries/5`); await shot('held');
      await go(`${path}/binaries/4`); await page.getByRole('button', { name: 'Protect' }).click(); await shot('protected'); await page.getByRole('button', { name: 'Stop protecting' }).click();
      await page.evaluate(() => { const f = document.createElement('input'); f.type='hidden'; });
      await go(`${path}/compare?from=4&to=6`); await page.getByText('The same in both').click(); await shot('compare');
      await go(`/users/admin/platforms/ios/apps/com.example.tides/compare?from=1&to=2`); await shot('compare-ios');
      await go(`${path}/delete`); await page.fill('#confirmation', 'x'); await page.getByRole('button', { name: 'Delete the app for good' }).click(); await shot('delete-app');
      await context.close();
    }
    expect(1).toBe(1);
  });
});
void (null as unknown as Page);
