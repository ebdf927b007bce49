/** The pages of testers in Japanese, on a phone. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserTimeoutMs, hasChromium, newPage } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { ipa } from '../support/mail-service.ts';
import { overflowOf } from '../support/page-checks.ts';
import { phones } from '../support/page-visits.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'pages of testers in Japanese (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let page: Page;
    let path: string;

    beforeAll(async () => {
      slipway = await startTestService({ blobs: 'memory' });
      await slipway.project('harbour');
      const fields = { distribution_name: 'Beta' };
      const answer = await uploaded(slipway, { owner: 'harbour', file: ipa, fields });
      path = new URL(answer.distribution?.url ?? '').pathname;
      page = await newPage(slipway, {
        locale: 'ja-JP',
        userAgent: phones.iphone,
        isMobile: true,
        hasTouch: true,
      });
    });
    afterAll(async () => {
      await page?.context().close();
      await slipway?.close();
    });

    it.each([
      ['the distribution page', () => path],
      ['the registration of a device', () => `${path}/device`],
      ['sign-in', () => '/sign-in'],
      ['a forgotten password', () => '/forgot-password'],
      ['an error', () => '/nothing'],
    ])('show %s without English and without sideways scrolling', async (_name, pathOf) => {
      await page.goto(pathOf());
      expect(await page.locator('html').getAttribute('lang')).toBe('ja');
      expect(await page.locator('h1').count()).toBe(1);
      expect(await overflowOf(page)).toBe(0);
      expect(await page.evaluate(() => getComputedStyle(document.body).fontFamily)).toContain(
        'Hiragino Sans',
      );
      // Proper names and versions stay as they are, and so do commands.
      const text = await page.evaluate(() => {
        for (const code of document.querySelectorAll('code, pre')) code.remove();
        return document.body.textContent;
      });
      expect(text.match(/\b[A-Za-z]+(?: [A-Za-z]+){2,}/g)).toBeNull();
    });
  },
);
