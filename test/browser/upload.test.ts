/** Uploads and the activity page in a real browser, and without JavaScript. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import {
  bringCookie,
  browserTimeoutMs,
  hasChromium,
  openPage,
  type PageOptions,
  visit,
} from '../support/chromium.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { get, leavesNothing, uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { phones } from '../support/page-visits.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const maxUploadBytes = 12 * 1024 * 1024;
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
      await slipway.user('otto');
      await slipway.project('harbour', { members: { dora: 'developer', otto: 'developer' } });
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
      await row(page, 'Tidewatch').getByRole('link', { name: 'View build' }).waitFor();
      expect((await slipway.leftBehind()).builds).toBe(before.builds + 1);
      await proxy.close();
    });

    describe('after an interruption', () => {
      let folder: string;
      let proxy: FaultyProxy;
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'slipway-'));
      });
      afterAll(() => rm(folder, { recursive: true }));
      beforeEach(async () => {
        proxy = await startFaultyProxy(new URL(slipway.origin));
      });
      afterEach(() => proxy.close());

      const name = 'resumed.apk';
      const lost = 'Connection lost. Continues when it is back.';
      const says = (page: Page, text: string) => row(page, name).getByText(text).waitFor();
      const write = async (versionName: string) => {
        const path = join(folder, name);
        await writeFile(path, larger(11_000_000, versionName));
        return path;
      };
      const open = async (page: Page) => {
        page.on('dialog', (dialog) => dialog.accept());
        await page.goto(`${proxy.endpoint}${place}`);
      };
      /** The form in one request, and the second part of 8 MiB, never arrive. */
      const interruptEverySecondPart = () => {
        const to = /^POST \S+\/upload HTTP|^upload-offset: 8388608\r$/im;
        proxy.set({ kind: 'cut-request', to, afterBytes: 0, times: Number.POSITIVE_INFINITY });
      };
      const send = async (page: Page, file: string) => {
        await page.setInputFiles('#file', file);
        await page.getByRole('button', { name: 'Upload', exact: true }).click();
      };
      /** Sends the file until the server has its first part alone. */
      const interrupted = async (file: string, message = '') => {
        const page = await enter(desktop);
        await open(page);
        interruptEverySecondPart();
        await page.fill('#message', message);
        await send(page, file);
        await says(page, 'Continued after 8 MiB');
        await says(page, lost);
        return page;
      };
      const remembered = (page: Page) => page.evaluate(() => localStorage.length);
      const finish = async (page: Page) => {
        proxy.set({ kind: 'none' });
        await row(page, 'Large').getByRole('link', { name: 'View build' }).waitFor();
        expect(await remembered(page)).toBe(0);
      };

      it('continues by itself, and after a reload with the same file, and makes one build', async () => {
        const before = await slipway.leftBehind();
        const file = await write('4.0');
        const page = await interrupted(file, 'Half');
        expect(await faultsOf(page)).toEqual([]);
        expect(await row(page, name).getByRole('progressbar').isVisible()).toBe(true);
        await page.reload();
        await page.getByText('An upload was interrupted after 8 MiB of 10.5 MiB.').waitFor();
        const stored = await page.evaluate(() => JSON.stringify(localStorage));
        expect([stored.includes('unfinished'), stored.includes('Half'), stored.includes(name)]).toEqual([
          true,
          false,
          false,
        ]);
        await page.setInputFiles('#file', file);
        await expect.poll(() => page.inputValue('#message')).toBe('Half');
        await page.fill('#message', 'Whole');
        await page.getByRole('button', { name: 'Upload', exact: true }).click();
        await says(page, 'Continued after 8 MiB');
        await says(page, lost);
        proxy.set({ kind: 'answer', status: 503, times: Number.POSITIVE_INFINITY });
        await says(page, 'The server is not ready. Continues when it is.');
        await finish(page);
        await row(page, 'Large').getByRole('link', { name: 'View build' }).click();
        await page.getByText('Whole').first().waitFor();
        await page.goBack();
        expect((await slipway.leftBehind()).builds).toBe(before.builds + 1);
        expect(await page.getByText('was interrupted').count()).toBe(0);
      });

      it('removes from the server what is canceled', async () => {
        const before = await slipway.leftBehind();
        const page = await interrupted(await write('4.1'));
        await page.getByRole('button', { name: `Cancel ${name}` }).click();
        await says(page, 'Canceled. Nothing was stored.');
        expect(await remembered(page)).toBe(0);
        await page.reload();
        await send(page, join(folder, name));
        await says(page, lost);
        await page.getByRole('button', { name: `Cancel ${name}` }).click();
        await says(page, 'Canceled.');
        await expect.poll(() => slipway.leftBehind()).toEqual(before);
      });

      it('says why it begins again: the upload has expired, or the file has changed', async () => {
        const page = await interrupted(await write('4.2'));
        await page.reload();
        clock += 24 * 60 * 60_000;
        await send(page, join(folder, name));
        await says(page, 'The interrupted upload is no longer on the server');
        await says(page, 'Continued after 8 MiB');
        await page.reload();
        proxy.set({ kind: 'cut-request', to: /^upload-offset: 0\r$/im, afterBytes: 0, times: 1e9 });
        await send(page, await write('4.3 or later'));
        await says(page, 'The file has changed since the interrupted upload.');
        await finish(page);
      });

      it('asks a person who was signed out to sign in, and continues; nobody else does', async () => {
        const page = await interrupted(await write('4.4'));
        const cookies = await page.context().cookies();
        await page.context().clearCookies();
        await says(page, 'You are signed out. Sign in in another tab, then retry.');
        await bringCookie(page, (await signIn(slipway, 'otto')).cookie, proxy.endpoint);
        const other = await page.context().newPage();
        await open(other);
        expect(await other.getByText('was interrupted').count()).toBe(0);
        await send(other, join(folder, name));
        await says(other, lost);
        await other.getByRole('button', { name: `Cancel ${name}` }).click();
        await says(other, 'Canceled.');
        await page.context().addCookies(cookies);
        await page.getByRole('button', { name: `Retry ${name}` }).click();
        await says(page, 'Continued after 8 MiB');
        await finish(page);
      });
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
      await row(page, 'huge.apk').getByText('The limit is 12 MiB').waitFor();
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
