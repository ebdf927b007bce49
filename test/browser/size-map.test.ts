/** The map of contents in a real browser: zooming with and without script, by pointer and keyboard. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const sizePath = '/users/admin/platforms/android/apps/com.example.tides/binaries/1/size';
const shown = '#contents-shown';

describe.skipIf(!hasChromium)(
  'the map of contents in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      const extraEntries = [
        ['assets/maps/north.bin', 90_000],
        ['assets/maps/south.bin', 60_000],
        ['assets/sounds/gull.bin', 40_000],
        ['res/raw/waves.bin', 30_000],
        ['readme.bin', 20_000],
      ].map(([name, length]) => ({
        name: String(name),
        content: Buffer.alloc(Number(length), String(name)),
      }));
      await uploaded(slipway, { file: buildApk({ packageName: 'com.example.tides', extraEntries }) });
      await slipway.service.outbox.idle();
    });
    afterAll(async () => {
      await slipway?.close();
    });

    const openSize = async (options = {}) => {
      const page = await openPage(slipway, { person: 'admin', ...options });
      await visit(page, sizePath);
      return page;
    };
    const tile = (page: Page, name: string) =>
      page.getByRole('list', { name: 'Contents by size' }).getByRole('link', { name });
    const names = (page: Page) =>
      page
        .locator(`${shown} tbody th`)
        .evaluateAll((cells) => cells.map((cell) => cell.querySelector('bdi')?.textContent));
    const focused = (page: Page) =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);
    const currentFolder = (page: Page) => page.locator('.contents-path [aria-current]').textContent();
    const folderShown = (page: Page, folder: string) => expect.poll(() => currentFolder(page)).toBe(folder);

    it('zooms with the keyboard without a reload, and focus follows', async () => {
      const page = await openSize();
      await page.evaluate(() => document.body.setAttribute('data-loaded', 'once'));
      await tile(page, 'assets/').focus();
      await page.keyboard.press('Enter');
      await folderShown(page, 'assets');
      expect(await names(page)).toEqual(['maps/', 'sounds/']);
      expect(await focused(page)).toBe('Contents of assets/, the largest first');
      await tile(page, 'maps/').focus();
      await page.keyboard.press('Enter');
      await folderShown(page, 'maps');
      expect(await names(page)).toEqual(['north.bin', 'south.bin']);
      await page.keyboard.press('Escape');
      await folderShown(page, 'assets');
      expect(await focused(page)).toMatch(/^maps\/ /);
      await page.keyboard.press('Escape');
      await folderShown(page, 'Package');
      expect(await focused(page)).toMatch(/^assets\/ /);
      await page.keyboard.press('Escape');
      expect(await currentFolder(page)).toBe('Package');
      expect(await page.getAttribute('body', 'data-loaded')).toBe('once');
    });

    it('reaches every folder of the map with Tab, the largest first', async () => {
      const page = await openSize();
      await tile(page, 'assets/').focus();
      await page.keyboard.press('Tab');
      expect(await focused(page)).toMatch(/^res\/ /);
    });

    it('goes back and forward with the browser, and opens at the address of a folder', async () => {
      const page = await openSize();
      await tile(page, 'assets/').click();
      await folderShown(page, 'assets');
      await tile(page, 'sounds/').click();
      await folderShown(page, 'sounds');
      expect(page.url()).toContain('in=assets%2Fsounds%2F');
      await page.goBack();
      await folderShown(page, 'assets');
      await page.goBack();
      await folderShown(page, 'Package');
      await page.goForward();
      await folderShown(page, 'assets');
      await page.reload();
      expect(await currentFolder(page)).toBe('assets');
    });

    it('names each rectangle with its size, its share and what it does', async () => {
      const page = await openSize();
      const list = page.getByRole('list', { name: 'Contents by size' });
      expect(await list.count()).toBe(1);
      const labels = await list
        .locator('[aria-label]')
        .evaluateAll((elements) => elements.map((element) => element.getAttribute('aria-label')));
      expect(labels.slice(0, 3)).toEqual([
        expect.stringMatching(/^assets\/ 185\.5 KiB, \d+%\. Show contents\.$/),
        expect.stringMatching(/^res\/ /),
        expect.stringMatching(/^readme\.bin 19\.5 KiB, \d+%$/),
      ]);
      expect(await list.getByRole('listitem').count()).toBe(labels.length);
    });

    it('works by links without script', async () => {
      const page = await openSize({ javaScriptEnabled: false });
      await tile(page, 'assets/').click();
      await page.waitForURL(/in=assets%2F/);
      expect(await names(page)).toEqual(['maps/', 'sounds/']);
      await page.locator(`${shown} table`).getByRole('link', { name: 'maps/' }).click();
      await page.waitForURL(/maps/);
      expect(await names(page)).toEqual(['north.bin', 'south.bin']);
      await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Package' }).click();
      expect(await currentFolder(page)).toBe('Package');
    });

    it('is accessible at both widths and in both color schemes', async () => {
      const page = await openSize();
      expect(await faultsOf(page)).toEqual([]);
      await visit(page, `${sizePath}?in=assets/`);
      expect(await faultsOf(page)).toEqual([]);
      await visit(page, sizePath.replace('/binaries/1', ''));
      expect(await faultsOf(page)).toEqual([]);
    });
  },
);
