/** Retention in a real browser: phone and desktop, light and dark; preview and saving without JavaScript. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  browserTimeoutMs,
  bytesOf,
  hasChromium,
  launchChromium,
  looks,
  violationsOf,
} from '../support/chromium.ts';
import { maxPageBytes } from '../support/page-weight.ts';
import { addApp } from '../support/sample-rows.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';

const packageName = 'com.example.tidewatch.with.a.rather.long.name';
const ofApp = `/users/ferry/platforms/android/apps/${packageName}/retention`;

describe.skipIf(!hasChromium)(
  'the retention page in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let browser: Browser;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      browser = await launchChromium();
      await slipway.owners.createWorkspace({
        name: 'harbour',
        displayName: 'Harbour Labs',
        iconUrl: null,
        ownerName: 'admin',
        by: 'command-line',
      });
      await slipway.project('ferry', { workspace: 'harbour' });
      const ferry = await slipway.data.owners.findOwner('ferry');
      await addApp(slipway.data, ferry?.id ?? '', { packageName, count: 70 });
      await addApp(slipway.data, ferry?.id ?? '', { packageName, platform: 'ios', count: 12 });
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const open = async (page: Page, path: string, status = 200) => {
      const answer = await page.goto(`${slipway.origin}${path}`, { waitUntil: 'load' });
      expect(answer?.status(), path).toBe(status);
    };
    const signedIn = async (context: BrowserContext): Promise<Page> => {
      const page = await context.newPage();
      await open(page, '/sign-in');
      await page.fill('#login', 'admin');
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      await page.waitForURL((url) => url.pathname !== '/sign-in');
      return page;
    };

    it.each(looks)(
      'renders completely, stays small and is accessible at $width px, $scheme',
      async ({ width, scheme }) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
        const page = await signedIn(context);
        const query = '?keep=some&newest=20&days=';
        const paths: Record<string, [path: string, status: number]> = {
          'retention-app-dry': [`${ofApp}${query}`, 200],
          'retention-app-refused': [`${ofApp}?keep=some&newest=many&days=`, 400],
          'retention-project-dry': ['/organizations/ferry/retention?keep=some&newest=5&days=30', 200],
          'retention-user': ['/users/admin/retention', 200],
          'retention-workspace-dry': ['/enterprises/harbour/retention?keep=some&newest=5&days=', 200],
        };
        for (const [name, [path, status]] of Object.entries(paths)) {
          await open(page, path, status);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
          if (process.env.SHOTS) {
            const file = `${process.env.SHOTS}/${name}-${width}-${scheme}.png`;
            await page.screenshot({ path: file, fullPage: true });
          }
          expect(await violationsOf(page), name).toEqual([]);
          expect(await bytesOf(page), name).toBeLessThan(maxPageBytes);
        }
        await context.close();
      },
    );

    it('previews and saves a rule without scripts', async () => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      const page = await signedIn(context);
      const text = () => page.textContent('main');
      await open(page, `/users/ferry/platforms/android/apps/${packageName}`);
      await page.locator('.tabs').getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Change retention' }).click();
      expect(await text()).toContain('Slipway keeps every build.');
      await page.getByLabel('Delete old builds').check();
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('Enter a number of builds');
      await page.getByLabel('Newest builds').fill('10');
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('Slipway keeps the newest 10 builds and deletes older ones.');
      expect(
        await page.getByRole('list', { name: 'Builds that will be deleted' }).getByRole('listitem').count(),
      ).toBe(50);
      await page.getByRole('link', { name: 'Next' }).click();
      expect(
        await page.getByRole('list', { name: 'Builds that will be deleted' }).getByRole('listitem').count(),
      ).toBe(10);
      await page.getByRole('button', { name: 'Save and delete 60 builds' }).click();
      await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
      expect(await text()).toContain('Set for this app.');
      expect(await page.getByLabel('Newest builds').inputValue()).toBe('10');
      await slipway.service.outbox.idle();
      await page.getByRole('button', { name: 'Preview' }).click();
      expect(await text()).toContain('No builds will be deleted now.');
      await open(page, '/organizations/ferry/audit');
      expect(await page.textContent('.audit')).toContain('deleted builds by retention rule');
      await context.close();
    });
  },
);
