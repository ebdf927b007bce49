/** The search palette in a real browser with the keyboard only, and the search page without script. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, newPage, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { faultsOf, overflowOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const packageName = 'com.example.tides';
const appPath = `/users/admin/platforms/android/apps/${packageName}`;

describe.skipIf(!hasChromium)(
  'the search in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let page: Page;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      for (const versionCode of [380, 381]) {
        const file = buildApk({ packageName, label: 'Tideline', versionCode, versionName: '3.8.0' });
        await uploaded(slipway, { file });
      }
      page = await newPage(slipway, { person: 'admin', viewport: { width: 1440, height: 900 } });
    });
    afterAll(async () => {
      await page?.context().close();
      await slipway?.close();
    });
    beforeEach(() => visit(page, '/'));

    const focused = () => page.evaluate(() => document.activeElement?.id);
    const isOpen = () =>
      page.locator('dialog.palette-dialog').evaluate((dialog) => dialog.hasAttribute('open'));
    const selected = () => page.locator('.palette-list [aria-selected=true]').getAttribute('href');
    const status = (text: string) =>
      page.waitForFunction(
        (expected) => document.querySelector('dialog [role=status]')?.textContent === expected,
        text,
      );

    it('opens with /, finds a build, moves with the arrow keys and opens with Enter', async () => {
      await page.keyboard.press('/');
      expect(await page.locator('dialog [role=combobox]').evaluate((field) => field.matches(':focus'))).toBe(
        true,
      );
      await page.waitForSelector('.palette-list >> text=Recent apps');
      await page.keyboard.type('tide 381');
      await status('1 result');
      expect(await selected()).toBe(`${appPath}/binaries/2`);
      const active = await page.locator('dialog [role=combobox]').getAttribute('aria-activedescendant');
      expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('Backspace');
      await status('2 results');
      await page.keyboard.press('ArrowDown');
      expect(await selected()).toBe(`${appPath}/binaries/1`);
      await page.keyboard.press('ArrowDown');
      expect(await selected()).toBe(`${appPath}/binaries/2`);
      await page.keyboard.press('ArrowUp');
      await Promise.all([page.waitForURL(`**${appPath}/binaries/1`), page.keyboard.press('Enter')]);
    });

    it.each(['Control+k', 'Meta+k'])(
      'opens with %s even in a field, and Escape returns there',
      async (keys) => {
        await page.focus('#q');
        await page.keyboard.press('/');
        expect(await page.inputValue('#q')).toBe('/');
        await page.keyboard.press(keys);
        expect(await isOpen()).toBe(true);
        await page.keyboard.press('Escape');
        expect([await isOpen(), await focused()]).toEqual([false, 'q']);
      },
    );

    it('opens from the header field with what was typed, and not by Tab alone', async () => {
      await page.focus('#find');
      expect(await page.locator('dialog[open]').count()).toBe(0);
      await page.keyboard.type('tide');
      expect(await page.inputValue('dialog [role=combobox]')).toBe('tide');
      await page.waitForSelector('.palette-list mark');
      await page.keyboard.press('Escape');
      expect([await isOpen(), await focused(), await page.inputValue('#find')]).toEqual([false, 'find', '']);
    });

    it('announces that nothing was found, and Enter then opens the search page', async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('nowhere');
      await status('No results for “nowhere”');
      await Promise.all([page.waitForURL('**/search?q=nowhere'), page.keyboard.press('Enter')]);
      expect(await page.textContent('main')).toContain('No results for “nowhere”');
    });

    it('keeps its size and the page while results change, and passes axe', async () => {
      await page.keyboard.press('/');
      await page.waitForSelector('.palette-list [role=option]');
      // Without the scale of the opening animation.
      const layout = () =>
        page.locator('.palette').evaluate((palette: HTMLElement) => {
          const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = palette;
          return { offsetLeft, offsetTop, offsetWidth, offsetHeight };
        });
      const before = await layout();
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.type('nowhere');
      await status('No results for “nowhere”');
      expect(await layout()).toEqual(before);
      expect(await faultsOf(page)).toEqual([]);
    });

    it('leads to the sign-in when the session has ended', async () => {
      const other = await openPage(slipway, { person: 'admin' });
      await visit(other, '/');
      await other.keyboard.press('/');
      await other.waitForSelector('.palette-list [role=option]');
      await other.context().clearCookies();
      await other.keyboard.type('t');
      await other.waitForURL('**/sign-in**');
    });

    it('works without script, on a phone', async () => {
      const phone = await openPage(slipway, { person: 'admin', javaScriptEnabled: false });
      await visit(phone, '/');
      await phone.getByRole('link', { name: 'Search' }).click();
      await phone.fill('#q', 'tide');
      await phone.keyboard.press('Enter');
      await phone.waitForURL('**/search?q=tide');
      expect(await phone.locator('main .option').count()).toBeGreaterThan(1);
      expect(await overflowOf(phone)).toBe(0);
      await phone.fill('#q', 'tide 381');
      await phone.keyboard.press('Enter');
      await phone.waitForURL('**/search?q=tide+381');
      expect(await overflowOf(phone)).toBe(0);
      await phone.locator('main .option').first().click();
      expect(new URL(phone.url()).pathname).toBe(`${appPath}/binaries/2`);
    });
  },
);
