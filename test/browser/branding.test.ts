/** Pages with accent colors that are hard to read, in a real browser. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import {
  bringCookie,
  browserTimeoutMs,
  complaintsOf,
  hasChromium,
  openPage,
  visit,
} from '../support/chromium.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { faultsOf } from '../support/page-checks.ts';
import { formOf } from '../support/page-forms.ts';

const site = '/administration/branding';

describe.skipIf(!hasChromium)(
  'branded pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
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
    });
    afterAll(async () => {
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
      const page = await openPage(slipway);
      await bringCookie(page, cookie, slipway.origin);
      const complaints = complaintsOf(page, slipway.origin);
      for (const path of paths) {
        await visit(page, path);
        const stylesheet = page.locator('link[href^="/branding/"]');
        expect(await stylesheet.getAttribute('href')).toBe(`/branding/1-${accent.slice(1)}.css`);
        expect([path, await faultsOf(page)]).toEqual([path, []]);
        const shown = await page
          .locator('img.brand-logo')
          .first()
          .evaluate((one: HTMLImageElement) => ({ loaded: one.naturalWidth, height: one.clientHeight }));
        expect([path, shown]).toEqual([path, { loaded: 512, height: 28 }]);
      }
      expect(complaints).toEqual([]);
    });
  },
);
