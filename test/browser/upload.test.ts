/** Uploads and the activity page in a real browser, and without JavaScript. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, openPage, type PageOptions, visit } from '../support/chromium.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import { get, leavesNothing, uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { phones } from '../support/page-visits.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const maxUploadBytes = 8 * 1024 * 1024;
const apk = buildApk({ packageName: 'com.example.tides', label: 'Tidewatch', versionName: '2.4.0' });
const appPath = '/users/harbour/platforms/android/apps/com.example.tides';
/** Its pages have no visits. */
const quietPath = '/users/harbour/platforms/android/apps/com.example.quiet';
const otherApk = buildApk({ packageName: 'com.example.quiet', label: 'Tidewatch', versionName: '2.4.1' });
const place = '/organizations/harbour/upload';

describe.skipIf(!hasChromium)(
  'browser upload in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let clock = Date.UTC(2026, 10, 20, 9, 40);
    beforeAll(async () => {
      slipway = await startTestService({
        blobs: 'memory',
        now: () => clock,
        limits: { maxUploadBytes, refusedBodyDrainSeconds: 1 },
      });
      const key = await slipway.user('dora');
      await slipway.project('harbour', { members: { dora: 'developer' } });
      const { distribution } = await uploaded(slipway, {
        owner: 'harbour',
        key,
        file: apk,
        fields: { distribution_name: 'main' },
      });
      await uploaded(slipway, { owner: 'harbour', key, file: otherApk });
      const address = `/distributions/${distribution?.access_key}`;
      for (const days of [0, 1]) {
        clock += days * 24 * 60 * 60_000;
        for (let visit = 0; visit < 3 - days; visit++) {
          await get(slipway, address, null, {
            headers: { Accept: 'text/html', 'User-Agent': phones.android },
          });
        }
      }
    });
    afterAll(async () => {
      await slipway?.close();
    });

    const enter = (options: PageOptions = {}) => openPage(slipway, { person: 'dora', ...options });
    const desktop = { viewport: { width: 1440, height: 900 } };
    const row = (page: Page, name: string) => page.locator('.upload-row', { hasText: name });
    const packageFile = (name: string, buffer: Buffer = apk) => ({
      name,
      buffer,
      mimeType: 'application/vnd.android.package-archive',
    });
    const larger = (bytes: number, versionName: string) =>
      buildApk({ packageName: 'com.example.tides', label: 'Large', versionName, fillerBytes: bytes });
    /** Drags files over the page like a user; the returned function drops them. A number is a file of that many zeros. */
    const drag = async (page: Page, name: string, content: Buffer | number) => {
      const transfer = await page.evaluateHandle(
        ([fileName, given]) => {
          const bytes =
            typeof given === 'number'
              ? new Uint8Array(given)
              : Uint8Array.from(atob(given), (letter) => letter.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], fileName));
          return data;
        },
        [name, typeof content === 'number' ? content : content.toString('base64')] as const,
      );
      await page.dispatchEvent('main', 'dragenter', { dataTransfer: transfer });
      const overlay = page.locator('.drop-overlay');
      await overlay.waitFor({ state: 'visible' });
      await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
      return async () => {
        await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
        await overlay.waitFor({ state: 'hidden' });
      };
    };

    it('is small and accessible in its states, like the activity page', async () => {
      const page = await enter();
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      for (const path of [
        '/users/dora',
        `${quietPath}/activity`,
        `${appPath}/activity?days=7`,
        `${appPath}/activity?days=90`,
      ]) {
        await visit(page, path);
        await look(path);
      }
      await visit(page, place);
      await page.setInputFiles('#file', [
        packageFile('tides.apk', otherApk),
        packageFile('notes.pdf', Buffer.from('hello')),
        packageFile('empty.apk', Buffer.alloc(0)),
        packageFile('broken.apk', Buffer.from('no package')),
      ]);
      await page.fill('#page-name', 'look');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await row(page, 'Tidewatch').getByRole('link', { name: 'View build' }).waitFor();
      await row(page, 'broken.apk').getByText('cannot detect the package').waitFor();
      await look('uploaded');
      const letGo = await drag(page, 'tides.apk', apk);
      await look('drop overlay');
      await letGo();
      await row(page, 'tides.apk').getByText('Ready').waitFor();
      await visit(page, `${appPath}/activity`);
      await page.getByText('Numbers by day').click();
      await look('activity');
    });

    it('shows progress, speed and remaining time, and cancels without leaving data behind', async () => {
      const page = await enter();
      await visit(page, appPath);
      await page.locator('main').getByRole('link', { name: 'Upload build' }).click();
      await page.getByText('Only packages of com.example.tides').waitFor();
      const large = larger(6_000_000, '3.0');
      const network = await page.context().newCDPSession(page);
      const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 300_000 };
      await network.send('Network.emulateNetworkConditions', slow);
      await page.setInputFiles('#file', [packageFile('large.apk', large), packageFile('next.apk', large)]);
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      const state = row(page, 'large.apk').locator('.upload-state');
      await slipway.service.outbox.idle();
      await leavesNothing(slipway, async () => {
        const telling = /^[\d.]+ [KM]iB of 5.7 MiB · [\d.]+ [KM]iB\/s · \d+ (seconds?|minutes?) left$/;
        await expect.poll(() => state.textContent(), { timeout: 30_000 }).toMatch(telling);
        const bar = row(page, 'large.apk').getByRole('progressbar');
        expect(Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
        expect(Number(await bar.getAttribute('value'))).toBeLessThan(1);
        await row(page, 'next.apk').getByText('Waiting').waitFor();
        const asked = page.waitForEvent('dialog');
        await page.close({ runBeforeUnload: true });
        const dialog = await asked;
        expect(dialog.type()).toBe('beforeunload');
        await dialog.dismiss();
        await page.getByRole('button', { name: 'Cancel next.apk' }).click();
        await row(page, 'next.apk').getByText('Ready').waitFor();
        await page.getByRole('button', { name: 'Cancel large.apk' }).click();
        await row(page, 'large.apk').getByText('Canceled. Nothing was stored.').waitFor();
        await expect.poll(async () => (await slipway.leftBehind()).spool, { timeout: 20_000 }).toEqual([]);
      });
      await network.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
      await page.getByRole('button', { name: 'Retry large.apk' }).click();
      await page.getByRole('link', { name: 'View build' }).click();
      await page.getByText('3.0', { exact: false }).first().waitFor();
    });

    it('creates no second build when the response is lost and the upload is retried', async () => {
      const proxy = await startFaultyProxy(new URL(slipway.origin));
      const page = await enter(desktop);
      await page.goto(`${proxy.endpoint}${place}`);
      await page.setInputFiles('#file', packageFile('tides.apk', otherApk));
      await page.fill('#message', 'Once');
      const before = await slipway.leftBehind();
      proxy.set({ kind: 'cut-answer', to: `POST ${place}`, afterBytes: 700, times: 1 });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await row(page, 'tides.apk').getByText('Connection lost.').waitFor();
      const once = await slipway.leftBehind();
      expect(once.builds).toBe(before.builds + 1);
      await page.getByRole('button', { name: 'Retry tides.apk' }).click();
      await row(page, 'Tidewatch').getByRole('link', { name: 'View build' }).waitFor();
      expect(await slipway.leftBehind()).toEqual(once);
      await proxy.close();
    });

    it('accepts packages dropped on the app page, and rejects other files immediately', async () => {
      const page = await enter(desktop);
      await visit(page, appPath);
      await (await drag(page, 'tides.apk', apk))();
      await row(page, 'tides.apk').getByText('Ready').waitFor();
      expect(new URL(page.url()).pathname).toBe(`${appPath}/upload`);
      expect(await page.title()).toContain('New build');
      await (await drag(page, 'tides.ipa', apk))();
      await row(page, 'tides.ipa').getByText('must end with .apk').waitFor();
      for (const name of ['tides.aab', 'tides.APKS']) {
        await (await drag(page, name, apk))();
        await row(page, name).getByText('Ready').waitFor();
        await page.getByRole('button', { name: `Remove ${name}` }).click();
      }
      await (await drag(page, 'huge.apk', maxUploadBytes + 1))();
      await row(page, 'huge.apk').getByText('The limit is 8 MiB').waitFor();
      await page.getByRole('button', { name: 'Remove huge.apk' }).click();
      expect(await row(page, 'huge.apk').count()).toBe(0);
      await page.getByRole('combobox', { name: 'Distribution page' }).click();
      await page.getByRole('option', { name: 'main' }).click();
      await page.fill('#message', 'Dropped here');
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Upload', exact: true }).press('Enter');
      await page.getByRole('link', { name: 'Open page' }).waitFor();
      expect(await row(page, 'Tidewatch').locator('code').textContent()).toContain('/distributions/');
      await page.getByRole('link', { name: 'View build' }).click();
      await page.getByText('Dropped here').first().waitFor();
      await visit(page, '/organizations/harbour');
      await (await drag(page, 'other.ipa', apk))();
      await row(page, 'other.ipa').getByText('Ready').waitFor();
      expect(new URL(page.url()).pathname).toBe(place);
      await page.goBack();
      await page.getByRole('heading', { name: 'Apps' }).waitFor();
    });

    it('resets the form after an upload and shows the link, but keeps the fields after an error', async () => {
      const page = await enter();
      await page.addInitScript(() => {
        navigator.share = async ({ url } = {}) => {
          document.title = `shared ${url}`;
        };
      });
      await visit(page, `${appPath}/upload`);
      const submit = () => page.getByRole('button', { name: 'Upload', exact: true }).click();
      const values = () => Promise.all([page.inputValue('#message'), page.inputValue('#note')]);
      await page.setInputFiles('#file', packageFile('broken.apk', Buffer.from('no package')));
      await page.fill('#message', 'First');
      await page.fill('#note', 'For testers');
      await submit();
      await row(page, 'broken.apk').getByText('cannot detect the package').waitFor();
      expect(await values()).toEqual(['First', 'For testers']);
      await page.getByRole('button', { name: 'Remove broken.apk' }).click();
      await page.fill('#page-name', 'main');
      await page.setInputFiles('#file', packageFile('tides.apk'));
      await submit();
      const first = page.locator('.upload-row').nth(0);
      await first.getByRole('img', { name: 'QR code' }).waitFor();
      await expect.poll(values).toEqual(['', '']);
      expect(await page.inputValue('#page-name')).toBe('');
      await first.getByRole('button', { name: /^Share/ }).click();
      await expect.poll(() => page.title()).toMatch(/^shared .*\/distributions\/[0-9a-f]{40}$/);
      await page.fill('#message', 'Second');
      await page.setInputFiles('#file', packageFile('tides.apk'));
      await submit();
      const second = page.locator('.upload-row').nth(1);
      await second.getByRole('img', { name: 'QR code' }).waitFor();
      expect(await second.locator('code').textContent()).toMatch(/\/binaries\/\d+$/);
      await second.getByRole('link', { name: 'View build' }).click();
      await page.getByText('Second').first().waitFor();
    });

    it('works without scripts', async () => {
      const page = await enter({ javaScriptEnabled: false });
      await visit(page, '/');
      await page.locator('main').getByRole('link', { name: 'Upload build' }).click();
      await page.getByRole('link', { name: 'harbour' }).click();
      await page.fill('#message', 'Typed <once>');
      await page.setInputFiles('#file', packageFile('a.apk', Buffer.from('no package')));
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('cannot detect the package').waitFor();
      expect(await page.inputValue('#message')).toBe('Typed <once>');
      await page.setInputFiles('#file', packageFile('a.apk'));
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText('Build uploaded.').waitFor();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
      expect(await page.locator('.upload-result code').textContent()).toContain('/binaries/');
      await page.getByRole('link', { name: 'View build' }).click();
      await page.getByText('Typed <once>').first().waitFor();
    });
  },
);
