/** Account pages in a real browser: after actions, and without JavaScript. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { browserTimeoutMs, hasChromium, openAccountMenu, openPage, visit } from '../support/chromium.ts';
import { faultsOf } from '../support/page-checks.ts';
import { testPassword } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'account pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
    beforeAll(async () => {
      // Without a public origin, forms have the origin of the browser's address.
      slipway = await startAccountsService('sqlite', ['mina', 'newcomer', 'leaver'], {
        mail: false,
        settings: { SLIPWAY_SIGN_UP: 'open' },
      });
      await slipway.project('harbour', { members: { mina: 'owner' } });
    });
    afterAll(async () => {
      await slipway?.close();
    });

    const signIn = async (page: Page, login: string) => {
      await visit(page, '/sign-in');
      await page.fill('#login', login);
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
    };

    it('are accessible after actions, at both widths and in both color schemes', async () => {
      const page = await openPage(slipway);
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      await visit(page, '/sign-up');
      await look('sign up');
      await page.fill('#name', 'Mina');
      await page.fill('#password', 'seven grey gulls');
      await page.fill('#again', 'seven grey gulls!');
      await page.click('main button[type=submit]');
      await look('refused sign up');
      await signIn(page, 'mina');
      await visit(page, '/organizations/harbour/invitations');
      await page.selectOption('#team', 'developer');
      await page.getByRole('button', { name: 'Invite' }).click();
      await look('invited');
      const link = await page.locator('.made-key code').textContent();
      for (const path of ['/settings/keys', '/organizations/harbour/keys']) {
        await visit(page, path);
        await page.fill('#name', 'Nightly builds');
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByText('Copy it now.').waitFor();
        await look(`made ${path}`);
      }
      await visit(page, '/settings/keys');
      await page.locator('summary', { hasText: 'Revoke' }).first().click();
      await look('revoking');
      await visit(page, new URL(link ?? '').pathname);
      await look('invitation for me');
      await page.context().clearCookies();
      await visit(page, new URL(link ?? '').pathname);
      await look('invitation for somebody');
      await mustChange(slipway, 'newcomer');
      await signIn(page, 'newcomer');
      await look('welcome');
      await mustChange(slipway, 'admin');
      await page.context().clearCookies();
      await signIn(page, 'admin');
      await look('welcome of the administrator');
    });

    it('handle sign-in with a wrong and a correct password, and sign-out', async () => {
      const page = await openPage(slipway);
      await visit(page, '/settings/sessions');
      await page.fill('#login', 'mina');
      await page.fill('#password', 'wrong password');
      await page.click('main button[type=submit]');
      await page.getByRole('alert').waitFor();
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      expect(new URL(page.url()).pathname).toBe('/settings/sessions');
      await openAccountMenu(page);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('slipway_session');
    });

    it('work with the keyboard only and without scripts', async () => {
      const page = await openPage(slipway, { javaScriptEnabled: false });
      await mustChange(slipway, 'leaver');
      await visit(page, '/sign-in');
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
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByRole('status').filter({ hasText: 'Key revoked.' }).waitFor();
      await page.getByRole('link', { name: 'Sessions' }).click();
      expect(await page.locator('main').textContent()).toContain('Chrome on Linux');
    });
  },
);

async function mustChange(slipway: AccountsService, name: string): Promise<void> {
  const owner = await slipway.data.owners.findOwner(name);
  const account = await slipway.data.accounts.findAccount(owner?.id ?? '');
  await slipway.data.accounts.setPassword(owner?.id ?? '', account?.passwordHash ?? '', true);
}
