/** Forms of the console with script: local times, unsaved changes, and errors where the server would show them. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, launchChromium } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'forms of the console in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let browser: Browser;
    let page: Page;
    let settings: string;
    const app = '/users/admin/platforms/android/apps/com.example.tides';
    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      browser = await launchChromium();
      const file = buildApk({ packageName: 'com.example.tides' });
      await uploaded(slipway, { file, fields: { distribution_name: 'QA' } });
      const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
      page = await context.newPage();
      await page.goto(`${slipway.origin}/sign-in`);
      await page.fill('#login', 'admin');
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      await page.goto(`${slipway.origin}${app}/pages`);
      settings = (await page.locator('tbody th a').getAttribute('href')) ?? '';
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const open = () => page.goto(`${slipway.origin}${settings}`);
    const storedPage = async () => {
      const appId = (
        await slipway.data.apps.findAppsByPackageName(
          (await slipway.data.owners.findOwner('admin'))?.id ?? '',
          'com.example.tides',
        )
      )[0]?.id;
      return (await slipway.data.appPages.listPages(appId ?? '', 1))[0];
    };

    it('show fields only when they apply', async () => {
      await open();
      for (const id of ['#passcode', '#expires', '#installs', '#networks']) {
        expect([id, await page.locator(id).isVisible()]).toEqual([id, false]);
      }
      await page.getByLabel('Anyone with the link and a passcode').check();
      await page.getByLabel('Limit the number of installs').check();
      expect(await page.locator('#passcode').isVisible()).toBe(true);
      expect(await page.locator('#installs').isVisible()).toBe(true);
      page.once('dialog', (dialog) => dialog.accept());
    });

    it('take and show times in the time zone of the visitor', async () => {
      await open();
      await page.getByLabel('On a date').check();
      expect(await page.textContent('[data-time-zone]')).toContain('Asia/Tokyo');
      await page.fill('#expires', '2099-01-31T18:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await storedPage())?.expiresAt).toBe(Date.UTC(2099, 0, 31, 9));
      expect(await page.inputValue('#expires')).toBe('2099-01-31T18:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect((await storedPage())?.expiresAt).toBe(Date.UTC(2099, 0, 31, 9));
    });

    it('say that there are unsaved changes, and ask before they are lost', async () => {
      await open();
      const note = page.getByText('Unsaved changes');
      expect(await note.isVisible()).toBe(false);
      await page.fill('#name', 'Beta');
      expect(await note.isVisible()).toBe(true);
      const asked = page.waitForEvent('dialog');
      const left = page.goto(`${slipway.origin}/`).catch(() => null);
      const dialog = await asked;
      expect(dialog.type()).toBe('beforeunload');
      await dialog.dismiss();
      await left;
      expect(await page.inputValue('#name')).toBe('Beta');
      await page.fill('#name', 'QA');
      expect(await note.isVisible()).toBe(false);
    });

    it('show errors of the browser below their field', async () => {
      await open();
      await page.fill('#name', '');
      await page.getByRole('button', { name: 'Save' }).click();
      const error = page.locator('#name-invalid');
      await error.waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('name');
      expect(await page.getAttribute('#name', 'aria-describedby')).toContain('name-invalid');
      await page.fill('#name', 'QA');
      await page.locator('#name').blur();
      expect(await error.count()).toBe(0);
    });
  },
);
