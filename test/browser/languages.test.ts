/** The pages of testers in Japanese, on a phone. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium, overflowOf, violationsOf } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { ipa } from '../support/mail-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const userAgent =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

describe.skipIf(!hasChromium)(
  'pages of testers in Japanese (needs /usr/bin/chromium)',
  { timeout: 120_000 },
  () => {
    let slipway: TestService;
    let browser: Browser;
    let path: string;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      await slipway.project('harbour');
      const fields = { distribution_name: 'Beta' };
      const answer = await uploaded(slipway, { owner: 'harbour', file: ipa, fields });
      path = new URL(answer.distribution?.url ?? '').pathname;
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    it.each([
      ['the distribution page', () => path],
      ['the registration of a device', () => `${path}/device`],
      ['sign-in', () => '/sign-in'],
      ['a forgotten password', () => '/forgot-password'],
      ['an error', () => '/nothing'],
    ])('show %s without English, without sideways scrolling and accessibly', async (_name, pathOf) => {
      const context = await browser.newContext({
        locale: 'ja-JP',
        userAgent,
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
      });
      const page = await context.newPage();
      await page.goto(`${slipway.origin}${pathOf()}`);
      expect(await page.locator('html').getAttribute('lang')).toBe('ja');
      expect(await page.locator('h1').count()).toBe(1);
      expect(await overflowOf(page)).toBe(0);
      expect(await page.evaluate(() => getComputedStyle(document.body).fontFamily)).toContain(
        'Hiragino Sans',
      );
      expect(await violationsOf(page)).toEqual([]);
      // Proper names and versions stay as they are, and so do commands.
      const text = await page.evaluate(() => {
        for (const code of document.querySelectorAll('code, pre')) code.remove();
        return document.body.textContent;
      });
      expect(text.match(/\b[A-Za-z]+(?: [A-Za-z]+){2,}/g)).toBeNull();
      await context.close();
    });
  },
);
