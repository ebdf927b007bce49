/** Account pages in a real browser: phone and desktop, light and dark, and without JavaScript. */
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
  openAccountMenu,
  violationsOf,
} from '../support/chromium.ts';
import { maxPageBytes } from '../support/page-weight.ts';
import { testPassword } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'account pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
    let browser: Browser;
    beforeAll(async () => {
      // Without a public origin, forms have the origin of the browser's address.
      slipway = await startAccountsService('sqlite', ['mina', 'newcomer', 'leaver'], {
        mail: false,
        settings: { SLIPWAY_SIGN_UP: 'open' },
      });
      await slipway.project('harbour', { members: { mina: 'owner' } });
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
    });

    const open = async (page: Page, path: string, status = 200) => {
      const answer = await page.goto(`${slipway.origin}${path}`, { waitUntil: 'load' });
      expect(answer?.status(), path).toBe(status);
    };
    const signIn = async (page: Page, login: string, password = testPassword) => {
      await open(page, '/sign-in');
      await page.fill('#login', login);
      await page.fill('#password', password);
      await page.click('main button[type=submit]');
    };

    it.each(looks)('are complete, small and accessible at $width px, $scheme', async ({ width, scheme }) => {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      const page = await context.newPage();
      const look = async (name: string) => {
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
        expect(await violationsOf(page, axeRules[scheme]), name).toEqual([]);
        expect(await bytesOf(page), name).toBeLessThan(maxPageBytes);
      };
      for (const [name, path, status] of [
        ['sign in', '/sign-in', 200],
        ['sign up', '/sign-up', 200],
        ['forgotten', '/forgot-password', 200],
        ['reset that is gone', '/reset-password/x', 404],
        ['invitation that is gone', '/invitation/x', 404],
      ] as const) {
        await open(page, path, status);
        await look(name);
      }
      await page.goto(`${slipway.origin}/sign-up`);
      await page.fill('#name', 'Mina');
      await page.fill('#password', 'seven grey gulls');
      await page.fill('#again', 'seven grey gulls!');
      await page.click('main button[type=submit]');
      await look('refused sign up');
      await signIn(page, 'mina');
      for (const [name, path] of [
        ['profile', '/settings'],
        ['password', '/settings/password'],
        ['sessions', '/settings/sessions'],
        ['mail', '/settings/mail'],
        ['invitations', '/organizations/harbour/invitations'],
      ] as const) {
        await open(page, path);
        await look(name);
      }
      await page.selectOption('#team', 'developer');
      await page.getByRole('button', { name: 'Invite' }).click();
      await look('invited');
      const link = await page.getByLabel('Invitation link').textContent();
      for (const path of ['/settings/keys', '/organizations/harbour/keys']) {
        await open(page, path);
        await look(`keys ${path}`);
        await page.fill('#name', 'Nightly builds');
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByText('Copy it now.').waitFor();
        await look(`made ${path}`);
      }
      await open(page, '/settings/keys');
      await page.locator('summary', { hasText: 'Revoke' }).first().click();
      await look('revoking');
      await open(page, new URL(link ?? '').pathname);
      await look('invitation for me');
      await context.clearCookies();
      await open(page, new URL(link ?? '').pathname);
      await look('invitation for somebody');
      await mustChange(slipway, 'newcomer');
      await signIn(page, 'newcomer');
      await look('welcome');
      await mustChange(slipway, 'admin');
      await context.clearCookies();
      await signIn(page, 'admin');
      await look('welcome of the administrator');
      await context.close();
    });

    it('work with the keyboard only and without scripts', async () => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 844 },
      });
      const page = await context.newPage();
      await mustChange(slipway, 'leaver');
      await open(page, '/sign-in');
      await page.focus('#login');
      await page.keyboard.type('leaver');
      await page.keyboard.press('Tab');
      await page.keyboard.type(testPassword);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Choose your password' }).waitFor();
      await page.focus('#password');
      await page.keyboard.type('seven grey gulls');
      await page.keyboard.press('Tab');
      await page.keyboard.type('seven grey gulls');
      await page.keyboard.press('Enter');
      await openAccountMenu(page);
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.fill('#name', 'Laptop');
      await page.selectOption('#expires', 'date');
      await page.fill('#until', '2026-12-24');
      await page.getByRole('button', { name: 'Create key' }).click();
      expect(await page.getByLabel('The key', { exact: true }).textContent()).toMatch(/^slw_/);
      await page.getByLabel('Revoke Laptop', { exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Revoke Laptop now' }).click();
      await page.getByRole('status').filter({ hasText: 'Key revoked.' }).waitFor();
      await page.getByRole('link', { name: 'Sessions' }).click();
      expect(await page.locator('main').textContent()).toContain('Chrome on Linux');
      await context.close();
    });
  },
);

async function mustChange(slipway: AccountsService, name: string): Promise<void> {
  const owner = await slipway.data.owners.findOwner(name);
  const account = await slipway.data.accounts.findAccount(owner?.id ?? '');
  await slipway.data.accounts.setPassword(owner?.id ?? '', account?.passwordHash ?? '', true);
}
