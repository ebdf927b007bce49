/** Pages with accent colors that are hard to read, in a real browser: phone and desktop, light and dark. */
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import {
  browserTimeoutMs,
  hasChromium,
  launchChromium,
  looks,
  overflowOf,
  violationsOf,
} from '../support/chromium.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { formOf } from '../support/page-forms.ts';

const site = '/administration/branding';

describe.skipIf(!hasChromium)(
  'branded pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
    let browser: Browser;
    let cookie: string;
    let paths: string[];
    beforeAll(async () => {
      slipway = await startAccountsService('sqlite', [], { mail: false });
      const built = await uploaded(slipway, { fields: { distribution_name: 'main' } });
      paths = ['/', site, new URL(built.distribution?.url ?? '').pathname];
      const logo = sharp({ create: { width: 600, height: 100, channels: 4, background: '#888888' } });
      const admin = await slipway.browser('admin');
      const csrf = await admin.csrf();
      const { contentType, body } = multipart([
        { name: 'csrf', value: csrf },
        { name: 'logo', fileName: 'logo.png', content: await logo.png().toBuffer() },
      ]);
      const headers = { 'Content-Type': contentType, Cookie: admin.cookie };
      const sent = await send(slipway.port, `${site}/logo`, { method: 'POST', headers, body });
      expect(sent.status).toBe(303);
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const save = async (accent: string) => {
      const admin = await slipway.browser('admin');
      cookie = admin.cookie;
      const brand = {
        name: 'Quay and Harbor Mobile Application Distribution Department',
        accent,
        support: 'help@example.com',
      };
      const shown = await admin.submit(site, 'save', brand);
      if (shown.status === 303) return;
      const { fields } = formOf(shown.text, 'save');
      expect((await admin.post(`${site}/save`, fields)).status).toBe(303);
    };

    it.each(['#ffee00', '#0a0a50'])('have readable text with the accent color %s', async (accent) => {
      await save(accent);
      for (const { width, scheme } of looks) {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
        const [name = '', value = ''] = cookie.split('=');
        await context.addCookies([{ name, value, url: `http://127.0.0.1:${slipway.port}` }]);
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
        for (const path of paths) {
          await page.goto(`http://127.0.0.1:${slipway.port}${path}`);
          const stylesheet = page.locator('link[href^="/branding/"]');
          expect(await stylesheet.getAttribute('href')).toBe(`/branding/1-${accent.slice(1)}.css`);
          expect([path, scheme, await violationsOf(page)]).toEqual([path, scheme, []]);
          const shown = await page
            .locator('img.brand-logo')
            .first()
            .evaluate((one: HTMLImageElement) => ({ loaded: one.naturalWidth, height: one.clientHeight }));
          expect([path, shown]).toEqual([path, { loaded: 512, height: 28 }]);
          expect([path, await overflowOf(page)]).toEqual([path, 0]);
        }
        expect(complaints).toEqual([]);
        await context.close();
      }
    });
  },
);
