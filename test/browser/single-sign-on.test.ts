/** Single sign-on in a real browser. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { buildApk } from '../support/build-apk.ts';
import { browserTimeoutMs, hasChromium, openPage } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-provider-server.ts';
import { faultsOf } from '../support/page-checks.ts';
import { hasS3 } from '../support/s3-service.ts';
import { startTestService, testPassword } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'single sign-on in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let provider: OidcServer;
    let slipway: AccountsService;
    let closed: AccountsService;
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
    });
    afterAll(async () => {
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

    it.skipIf(!hasS3)('leads from a sign-in to a file on S3 (needs radosgw)', async () => {
      const onS3 = await startTestService({ blobs: 's3' });
      try {
        const { file } = await uploaded(onS3, { file: buildApk({ packageName: 'com.example.tides' }) });
        const page = await openPage(onS3);
        await page.goto(`${onS3.origin}/sign-in?to=${new URL(file).pathname}`);
        await page.fill('#login', 'admin');
        await page.fill('#password', testPassword);
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        expect((await download).suggestedFilename()).toMatch(/\.apk$/);
      } finally {
        await onS3.close();
      }
    });

    it('redirects to the provider and back', async () => {
      const page = await openPage(slipway);
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      const go = (name: string) => page.getByRole('link', { name, exact: true }).click();

      await page.goto(`${slipway.origin}/sign-in?to=/settings`);
      await look('sign-in');
      await go('Continue with Example');
      await atProvider(page, null);
      await look('cancelled');
      await go('Try again');
      await atProvider(page, 'mina-there');
      await look('uninvited');
      await page.context().clearCookies();

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

      const second = await openPage(slipway);
      await second.goto(`${slipway.origin}/sign-in?to=/settings`);
      await second.getByRole('link', { name: 'Continue with Example' }).focus();
      await second.keyboard.press('Enter');
      await atProvider(second, 'mina-there');
      await second.waitForURL(`${slipway.origin}/settings`);
      expect((await second.context().cookies()).map(({ name }) => name)).not.toContain('slipway_sso');

      await page.goto(`${slipway.origin}/settings`);
      await page.getByLabel('Unlink mina@work.example').click();
      await page.getByRole('button', { name: 'Unlink', exact: true }).click();
      await page.getByText('Unlinked. You can no longer').waitFor();
      provider.cut(true);
      try {
        await page.context().clearCookies();
        await page.goto(`${closed.origin}/sign-in`);
        await look('no-passwords');
        await go('Continue with Example');
        await page.getByRole('heading', { name: 'Example can’t be reached' }).waitFor();
        await look('unreachable');
      } finally {
        provider.cut(false);
      }
    });
  },
);
