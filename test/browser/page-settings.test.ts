/** Page settings in a real browser: phone and desktop, light and dark, and without JavaScript. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import {
  axeRules,
  browserTimeoutMs,
  hasChromium,
  launchChromium,
  looks,
  violationsOf,
} from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const appPath = '/users/admin/platforms/android/apps/com.example.tides';

describe.skipIf(!hasChromium)(
  'page settings in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let browser: Browser;
    let settings: string;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      browser = await launchChromium();
      for (const name of ['jo', 'a-person-with-a-rather-long-name-of-sixty-three-characters-in-a']) {
        await slipway.user(name);
      }
      const put = (versionName: string, fields: Record<string, string>) =>
        uploaded(slipway, {
          file: buildApk({ packageName: 'com.example.tides', label: 'Tidewatch', versionName }),
          fields,
        });
      const first = await put('2.3.0', {
        distribution_name: 'main',
        message: 'Offline tables',
        branch: 'main',
      });
      const key = first.distribution?.access_key ?? '';
      await put('2.3.1', {
        distribution_key: key,
        message: 'Fixes a **crash** at the start',
        branch: 'release/2.3',
      });
      await put('2.4.0', {
        distribution_key: key,
        message: 'A banner for storms.\n\n- red\n- amber',
        label: 'PR 412',
      });
      await put('2.4.1', { distribution_name: 'feature/storm-banner-with-a-long-branch-name' });
      settings = `/distributions/${key}/settings`;
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const open = async (page: Page, path: string) => {
      const answer = await page.goto(`${slipway.origin}${path}`, { waitUntil: 'load' });
      expect(answer?.status(), path).toBe(200);
    };
    const signedIn = async (context: BrowserContext): Promise<Page> => {
      const page = await context.newPage();
      await open(page, '/sign-in');
      await page.fill('#login', 'admin');
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      return page;
    };

    it.each(looks)(
      'render completely and are accessible at $width px, $scheme',
      async ({ width, scheme }) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
        const page = await signedIn(context);
        const look = async (name: string) => {
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
          expect(await violationsOf(page, axeRules[scheme]), name).toEqual([]);
        };
        await open(page, settings);
        await look('settings');
        await page
          .getByRole('link', { name: /^Roll back to this build/ })
          .last()
          .click();
        await page.getByRole('button', { name: 'Roll back', exact: true }).waitFor();
        await look('roll back');
        for (const fold of await page.locator('main details').all()) await fold.locator('summary').click();
        await look('open settings');
        await page.fill('#name', 'feature/storm-banner-with-a-long-branch-name');
        await page.getByLabel('Anyone with the link and a passcode').check();
        await page.fill('#passcode', 'abc');
        await page.getByLabel('Allow only certain networks').check();
        await page.fill('#networks', 'the office\n10.0.0.0/8');
        await page.getByLabel('Limit the number of installs').check();
        await page.fill('#installs', 'a few');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').waitFor();
        await look('refused settings');
        await page.getByRole('alert').getByRole('link', { name: 'Networks' }).click();
        expect(await page.evaluate(() => document.activeElement?.id ?? location.hash)).toMatch(/networks|^$/);
        await open(page, `${appPath}/pages/new`);
        await look('new page');
        await open(page, appPath);
        await look('app');
        await open(page, `${appPath}/people`);
        for (const login of [
          'jo',
          'a-person-with-a-rather-long-name-of-sixty-three-characters-in-a',
          'nobody',
        ]) {
          await page.fill('#login', login);
          await page.getByRole('button', { name: 'Give access' }).click();
          await look(`people after ${login}`);
        }
        await context.close();
      },
    );

    it('work without scripts', async () => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      const page = await signedIn(context);
      await open(page, appPath);
      await page.getByRole('link', { name: 'New page' }).click();
      await page.fill('#name', 'beta testers');
      await page.selectOption('#build', '2');
      await page.getByRole('button', { name: 'Create page' }).click();
      await page.getByRole('status').waitFor();
      await page.getByLabel('Anyone with the link and a passcode').check();
      await page.fill('#passcode', 'high tide');
      await page.getByLabel('On a date').check();
      await page.fill('#expires', '2099-01-31T18:00');
      await page.selectOption('#build', '3');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
      expect(await page.inputValue('#expires')).toBe('2099-01-31T18:00');
      expect(await page.inputValue('#passcode')).toBe('');

      const address = page.url().replace(/\/settings.*/, '');
      const tester = await browser.newContext({ javaScriptEnabled: false });
      const visit = await tester.newPage();
      expect((await visit.goto(address))?.status()).toBe(403);
      expect(await visit.textContent('body')).not.toContain('Tidewatch');

      await page.getByRole('button', { name: 'Withdraw build #2' }).click();
      await page.getByRole('button', { name: 'Restore build #2' }).waitFor();
      await page.locator('summary', { hasText: 'Rotate link' }).click();
      await page.getByRole('button', { name: 'Rotate link' }).click();
      await page.getByRole('status').waitFor();
      expect((await visit.goto(address))?.status()).toBe(404);
      await page.locator('summary', { hasText: 'Delete page' }).click();
      await page.fill('#confirmation', 'beta testers');
      await page.getByRole('button', { name: 'Delete page' }).click();
      expect(new URL(page.url()).pathname).toBe(appPath);
      expect(await page.textContent('main')).not.toContain('beta testers');
      await tester.close();
      await context.close();
    });
  },
);
