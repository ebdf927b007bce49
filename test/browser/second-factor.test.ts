/** Second factors in a real browser: authenticator apps, and passkeys with Chromium's virtual authenticator. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import {
  browserTimeoutMs,
  hasChromium,
  openAccountMenu,
  openPage,
  type PageOptions,
  visit,
} from '../support/chromium.ts';
import { faultsOf } from '../support/page-checks.ts';
import { readApp, recoveryCodesOn } from '../support/second-factors.ts';
import { testPassword } from '../support/test-service.ts';

const optionsPattern = '**/sign-in/passkey/options';

describe.skipIf(!hasChromium)(
  'second factors in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: AccountsService;
    beforeAll(async () => {
      slipway = await startAccountsService('sqlite', ['mina', 'olga', 'pia', 'rosa', 'lena'], {
        mail: false,
      });
    });
    afterAll(async () => {
      await slipway?.close();
    });

    /** Passkeys are bound to a host name, and need no https on this one. */
    const newPage = (options: PageOptions = {}) =>
      openPage(slipway, { baseURL: `http://localhost:${slipway.port}`, ...options });
    const signIn = async (page: Page, login: string) => {
      await visit(page, '/sign-in');
      await page.fill('#login', login);
      await page.fill('#password', testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    const beginPasskey = async (page: Page, name: string) => {
      await page.fill('#passkey-name', name);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('button', { name: 'Create passkey' }).click();
    };
    const addPasskey = async (page: Page, name: string) => {
      await visit(page, '/settings/security');
      await beginPasskey(page, name);
      await page.getByRole('status').filter({ hasText: 'Passkey added.' }).waitFor();
    };
    const setUpApp = async (page: Page) => {
      await visit(page, '/settings/security/app');
      const app = readApp(slipway, await page.content());
      await page.fill('#code', app.code());
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      return { ...app, recoveryCodes: recoveryCodesOn(await page.content()) };
    };
    const isSignedIn = (page: Page) => page.locator('.account').waitFor();

    it('support adding a passkey and signing in with it by button, by autofill and after the password', async () => {
      const page = await newPage({ person: 'mina' });
      const authenticator = await pretendAuthenticator(page);
      await visit(page, '/settings/security');
      await addPasskey(page, 'Laptop');
      expect(recoveryCodesOn(await page.content())).toHaveLength(10);
      expect(await authenticator.credentials()).toBe(1);
      await beginPasskey(page, 'Again');
      await page.getByText('This device already has one of your passkeys.').waitFor();

      await page.context().clearCookies();
      await authenticator.answers(false);
      const offered = page.waitForResponse(optionsPattern);
      await visit(page, '/sign-in?to=/settings/sessions');
      await offered;
      // The button ends autofill in the field; only then is the authenticator touched.
      const touched = Promise.withResolvers<void>();
      await page.route(optionsPattern, async (route) => {
        await touched.promise;
        await route.continue();
      });
      const asked = page.waitForRequest(optionsPattern);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await asked;
      await authenticator.answers(true);
      touched.resolve();
      await page.getByRole('heading', { name: 'Sessions' }).waitFor();

      await page.unroute(optionsPattern);
      await page.context().clearCookies();
      // Chromium's authenticator accepts autofill immediately, as if the user had selected the passkey.
      await page.goto(`/sign-in?to=/settings/keys`);
      await page.getByRole('heading', { name: 'API keys' }).waitFor();

      await page.context().clearCookies();
      await authenticator.answers(false);
      await signIn(page, 'mina');
      await page.getByRole('heading', { name: 'One more step' }).waitFor();
      await authenticator.answers(true);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await isSignedIn(page);

      await visit(page, '/settings/security');
      await page.getByLabel('Remove Laptop', { exact: true }).click();
      await page.getByRole('button', { name: 'Remove Laptop now' }).click();
      await page.getByText('Passkey removed.').waitFor();
      expect(await page.locator('main').textContent()).toContain('No passkeys yet');
    });

    it('report a failed user verification and a missing passkey', async () => {
      const page = await newPage({ person: 'olga' });
      const authenticator = await pretendAuthenticator(page);
      await authenticator.verifies(false);
      await visit(page, '/settings/security');
      await beginPasskey(page, 'Laptop');
      await page.getByText('You canceled, or it took too long.').waitFor();
      await authenticator.verifies(true);
      await addPasskey(page, 'Laptop');
      const owner = await slipway.data.owners.findOwner('olga');
      await slipway.data.secondFactors.deletePasskeysOf(owner?.id ?? '');
      await page.context().clearCookies();
      await page.goto(`/sign-in`);
      await page.getByText('this passkey is not registered here.').waitFor();
      await page.getByRole('link', { name: 'Try again' }).focus();
    });

    it('support codes and recovery codes with the keyboard only and without scripts', async () => {
      const page = await newPage({ person: 'pia', javaScriptEnabled: false });
      await visit(page, '/');
      await openAccountMenu(page);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Security' }).click();
      expect(await page.getByRole('button', { name: 'Add a passkey' }).isVisible()).toBe(false);
      const { code, recoveryCodes } = await setUpApp(page);
      await page.context().clearCookies();
      await visit(page, '/sign-in');
      expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false);
      await page.focus('#login');
      await page.keyboard.type('pia');
      await page.keyboard.press('Tab');
      await page.keyboard.type(testPassword);
      await page.keyboard.press('Enter');
      await page.focus('#code');
      await page.keyboard.type('000000');
      await page.keyboard.press('Enter');
      await page.getByText('The code is wrong or was already used.').waitFor();
      await page.focus('#code');
      await page.keyboard.type(code(1));
      await page.keyboard.press('Enter');
      await isSignedIn(page);
      await page.context().clearCookies();
      await signIn(page, 'pia');
      await page.getByText('Use a recovery code').focus();
      await page.keyboard.press('Enter');
      await page.focus('#recovery');
      await page.keyboard.type(recoveryCodes[0] ?? '');
      await page.keyboard.press('Enter');
      await isSignedIn(page);
    });

    it('confirm access with the password by keyboard only, or with a passkey', async () => {
      const page = await newPage({ person: 'rosa' });
      await pretendAuthenticator(page);
      const createKey = async (name: string) => {
        slipway.clock.now += 10 * 60_000;
        await visit(page, '/settings/keys');
        await page.getByLabel('Name').fill(name);
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByRole('heading', { name: 'Confirm access' }).waitFor();
      };
      await createKey('by password');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('proof');
      await page.keyboard.type('not the password');
      await page.keyboard.press('Enter');
      await page.getByText('Incorrect password.').waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('proof');
      await page.keyboard.type(testPassword);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your new key' }).waitFor();

      await addPasskey(page, 'Laptop');
      await createKey('by passkey');
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByRole('heading', { name: 'Your new key' }).waitFor();
      expect(await page.locator('main').textContent()).toContain('by passkey');
    });

    it('are small and accessible after actions, at both widths and in both color schemes', async () => {
      const page = await newPage();
      const authenticator = await pretendAuthenticator(page);
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      await visit(page, '/sign-in');
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
      await look('sign-in');
      await signIn(page, 'lena');
      await isSignedIn(page);
      await visit(page, '/settings/security/app');
      await page.fill('#code', '000000');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await look('app-refused');
      await setUpApp(page);
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ media: 'print' });
        expect(
          await page.locator('.made-key .button, .settings-nav, .top').locator('visible=true').count(),
        ).toBe(0);
        const codes = await page.locator('.made-key .scroll').boundingBox();
        expect(codes?.width).toBeGreaterThan(width / 3);
        await page.emulateMedia({ media: 'screen' });
      }
      await page.setViewportSize({ width: 390, height: 900 });
      await addPasskey(page, 'Laptop');
      await page.getByLabel('Rename Laptop', { exact: true }).click();
      await page.getByLabel('Remove Laptop', { exact: true }).click();
      await page.locator('summary', { hasText: 'Create new codes' }).click();
      await look('passkey');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await look('add-passkey');
      slipway.clock.now += 10 * 60_000;
      await visit(page, '/settings/security');
      await page.getByLabel('Remove Laptop', { exact: true }).click();
      await page.getByRole('button', { name: 'Remove Laptop now' }).click();
      await look('confirm-access');
      await page.fill('#proof', 'not the password');
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('Incorrect password or code.').waitFor();
      await look('confirm-access-refused');
      await page.context().clearCookies();
      await authenticator.answers(false);
      await signIn(page, 'lena');
      await page.getByText('Use a recovery code').click();
      await page.fill('#recovery', '0000-0000-0000-0000');
      await page.getByRole('button', { name: 'Sign in with recovery code' }).click();
      await look('step-refused');
    });
  },
);

/** https://chromedevtools.github.io/devtools-protocol/tot/WebAuthn: the built-in authenticator of a phone, with user verification. */
async function pretendAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    /** Whether a user touches it. */
    answers: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    verifies: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}
