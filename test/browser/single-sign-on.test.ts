/** Single sign-on in a real browser: phone and desktop, light and dark. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import {
  axeRules,
  browserTimeoutMs,
  bytesOf,
  hasChromium,
  launchChromium,
  looks,
  overflowOf,
  violationsOf,
} from '../support/chromium.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-provider-server.ts';
import { maxPageBytes } from '../support/page-weight.ts';
import { testPassword } from '../support/test-service.ts';

/** The folder for screenshots of every page; without it, none are taken. */
const pictures = process.env.SLIPWAY_TEST_PICTURES;

describe.skipIf(!hasChromium)(
  'single sign-on in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let provider: OidcServer;
    let slipway: AccountsService;
    let closed: AccountsService;
    let browser: Browser;
    beforeAll(async () => {
      provider = await startOidcServer();
      slipway = await startAccountsService('sqlite', ['mina'], { mail: false, settings: provider.settings });
      closed = await startAccountsService('sqlite', [], {
        mail: false,
        settings: { ...provider.settings, SLIPWAY_PASSWORDS: 'off' },
      });
      const origins = [slipway.origin, closed.origin];
      provider.allow(...origins.map((origin) => `${origin}/sign-in/sso/callback`));
      provider.people.set('mina-there', { email: 'mina@work.example', email_verified: true });
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await closed?.close();
      await slipway?.close();
      await provider?.close();
    });

    const atProvider = async (page: Page, login: string | null) => {
      await page.waitForURL(`${provider.issuer}/**`);
      if (login !== null) await page.fill('#login', login);
      await page.getByRole('button', { name: login === null ? 'Cancel' : 'Sign in at Example' }).click();
      await page.waitForURL((url) => url.origin !== provider.issuer);
    };

    it.each(looks)('redirects to the provider and back at $width px, $scheme', async ({ width, scheme }) => {
      const newContext = () => browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      const context = await newContext();
      const page = await context.newPage();
      const look = async (name: string, shown = page) => {
        expect(await overflowOf(shown), `${name} scrolls sideways`).toBeLessThanOrEqual(0);
        expect(await violationsOf(shown, axeRules[scheme]), name).toEqual([]);
        expect(await bytesOf(shown), name).toBeLessThan(maxPageBytes);
        if (pictures) await shown.screenshot({ path: `${pictures}/${name}-${width}-${scheme}.png` });
      };
      const go = (name: string) => page.getByRole('link', { name, exact: true }).click();

      await page.goto(`${slipway.origin}/sign-in?to=/settings`);
      await look('sign-in');
      await go('Continue with Example');
      await atProvider(page, null);
      await look('cancelled');
      await go('Try again');
      await atProvider(page, 'mina-there');
      await look('uninvited');
      await context.clearCookies();

      await page.goto(`${slipway.origin}/sign-in?to=/settings`);
      await page.fill('#login', 'mina');
      await page.fill('#password', testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.waitForURL('**/settings');
      await look('unlinked');
      slipway.clock.now += 10 * 60_000;
      await go('Link Example');
      await atProvider(page, 'mina-there');
      await page.getByRole('heading', { name: 'Link Example?' }).waitFor();
      await look('confirm');
      await page.getByRole('button', { name: 'Link', exact: true }).click();
      await page.getByRole('heading', { name: 'Confirm access' }).waitFor();
      for (const password of ['not my password', testPassword]) {
        await page.fill('#proof', password);
        await page.getByRole('button', { name: 'Confirm', exact: true }).click();
      }
      await page.getByText('Linked. You can').waitFor();
      await look('linked');

      const other = await newContext();
      const second = await other.newPage();
      await second.goto(`${slipway.origin}/sign-in?to=/settings`);
      await second.getByRole('link', { name: 'Continue with Example' }).focus();
      await second.keyboard.press('Enter');
      await atProvider(second, 'mina-there');
      await second.waitForURL(`${slipway.origin}/settings`);
      expect((await other.cookies()).map(({ name }) => name)).not.toContain('slipway_sso');
      await other.close();

      await page.goto(`${slipway.origin}/settings`);
      await page.getByRole('button', { name: 'Unlink mina@work.example' }).click();
      await page.getByText('Unlinked. You can no longer').waitFor();
      provider.cut(true);
      try {
        await context.clearCookies();
        await page.goto(`${closed.origin}/sign-in`);
        await look('no-passwords');
        await go('Continue with Example');
        await page.getByRole('heading', { name: 'Example can’t be reached' }).waitFor();
        await look('unreachable');
      } finally {
        provider.cut(false);
      }
      await context.close();
    });
  },
);
