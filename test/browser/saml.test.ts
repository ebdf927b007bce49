/** Single sign-on by SAML in a real browser, which decides about the cookies of forms from another site. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserTimeoutMs, hasChromium, openPage } from '../support/chromium.ts';
import { faultsOf } from '../support/page-checks.ts';
import { metadataOf } from '../support/saml-provider.ts';
import {
  type Forwarder,
  type SamlProviderServer,
  startForwarder,
  startSamlProviderServer,
} from '../support/saml-provider-server.ts';
import { addProvider, type SamlService, startSamlService } from '../support/saml-service.ts';
import { testPassword } from '../support/test-service.ts';

describe.skipIf(!hasChromium)(
  'single sign-on by SAML in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let provider: SamlProviderServer;
    let forwarder: Forwarder;
    let saml: SamlService;
    beforeAll(async () => {
      provider = await startSamlProviderServer();
      forwarder = await startForwarder();
      saml = await startSamlService('sqlite', ['mina'], {
        origin: forwarder.origin,
        entityId: `${provider.origin}/saml`,
        settings: { SLIPWAY_SAML_SIGN_UP: 'open' },
      });
      forwarder.port = saml.slipway.port;
      await saml.writeMetadata(metadataOf(saml.provider, { signOut: true }));
      provider.serve(saml.provider);
    });
    afterAll(async () => {
      await saml?.close();
      await forwarder?.close();
      await provider?.close();
    });

    it('signs in from either side, and out at both', async () => {
      const { origin } = forwarder;
      const page = await openPage(saml.slipway, { baseURL: origin });
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      const atProvider = () => page.getByRole('button', { name: 'Sign in at Example' }).click();

      await page.goto(`${origin}/sign-in?to=/settings/sessions`);
      await look('sign-in');
      await page.getByRole('link', { name: 'Continue with Example' }).click();
      await page.waitForURL(`${provider.origin}/**`);
      await atProvider();
      await page.waitForURL(`${origin}/settings/sessions`);
      const names = (await page.context().cookies()).map(({ name }) => name);
      expect(names.filter((name) => /sso|saml/.test(name))).toEqual([]);

      await page.locator('summary', { hasText: 'Account and menu' }).click();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL(`${origin}/`);
      await page.goto(`${origin}/settings`);
      await page.waitForURL(`${origin}/sign-in?**`);

      // The provider begins, and the server then asks it for a response.
      await page.goto(`${provider.origin}/start`);
      await atProvider();
      await page.waitForURL(`${provider.origin}/sign-in?**`);
      await atProvider();
      await page.waitForURL(`${origin}/settings`);

      await page.context().clearCookies();
      await page.goto(`${origin}/saml/sign-in`);
      await page.waitForURL(`${provider.origin}/**`);
      const forged = await page.content();
      await page.setContent(forged.replace(/value="PH[^"]*"/, 'value="PHg+"'));
      await atProvider();
      await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
      await page.getByText('The response is not valid.').waitFor();
      await look('refused');
    });

    it('reaches the provider of a Workspace after a sign-in with a password, and links the account', async () => {
      const { origin } = forwarder;
      const { slipway } = saml;
      await slipway.workspace('quay', 'admin');
      const quay = {
        ...saml.provider,
        acs: `${origin}/enterprises/quay/saml/acs`,
        audience: `${origin}/enterprises/quay/saml/metadata`,
      };
      await addProvider(slipway, 'quay', quay);
      provider.serve(quay, { nameId: 'mina-1', attributes: [['email', 'mina@example.com']] });
      const page = await openPage(slipway, { baseURL: origin });
      const faults = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      const atProvider = async () => {
        await page.waitForURL(`${provider.origin}/**`);
        await page.getByRole('button', { name: 'Sign in at Example' }).click();
      };

      await page.goto(`${origin}/enterprises/quay/saml/sign-in?to=/settings`);
      await atProvider();
      await page.getByText('sign in to it another way first').waitFor();
      await faults('another way');
      await page.getByRole('link', { name: 'Sign in another way' }).click();
      await page.fill('#login', 'mina');
      await page.fill('#password', testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await atProvider();
      await page.getByRole('button', { name: 'Link', exact: true }).click();
      await atProvider();
      await page.waitForURL(`${origin}/settings`);
    });
  },
);
