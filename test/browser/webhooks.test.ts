/** Webhook pages in a real browser: phone and desktop, light and dark, without JavaScript. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIpa } from '../support/build-ipa.ts';
import {
  axeRules,
  browserTimeoutMs,
  hasChromium,
  launchChromium,
  looks,
  violationsOf,
} from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { answer, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const appWebhooks = '/users/ferry/platforms/ios/apps/com.example.tidewatch/hooks';
const file = buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' });

describe.skipIf(!hasChromium)(
  'webhook pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let browser: Browser;
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      slipway = await startTestService({
        blobs: 'memory',
        settings: { SLIPWAY_HOOK_NETWORKS: '127.0.0.1' },
        webhooks: { resolve: async () => [] },
      });
      browser = await launchChromium();
      receiver = await startWebhookReceiver();
      await slipway.user('olga');
      await slipway.project('ferry', { members: { olga: 'owner' } });
      await uploaded(slipway, { owner: 'ferry', file });
    });
    afterAll(async () => {
      await browser?.close();
      await slipway?.close();
      await receiver?.close();
    });

    const open = async (page: Page, path: string) => {
      const opened = await page.goto(`${slipway.origin}${path}`, { waitUntil: 'load' });
      expect(opened?.status(), path).toBe(200);
    };
    const signedIn = async (context: BrowserContext): Promise<Page> => {
      const page = await context.newPage();
      await open(page, '/sign-in');
      await page.fill('#login', 'olga');
      await page.fill('#password', testPassword);
      await page.click('main button[type=submit]');
      await page.waitForURL((url) => url.pathname !== '/sign-in');
      return page;
    };
    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

    it.each(looks)(
      'render completely and are accessible at $width px, $scheme',
      async ({ width, scheme }) => {
        const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
        const page = await signedIn(context);
        const look = async (name: string) => {
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
          if (process.env.SHOTS) {
            const path = `${process.env.SHOTS}/${name}-${width}-${scheme}.png`;
            await page.screenshot({ path, fullPage: true });
          }
          expect(await violationsOf(page, axeRules[scheme]), name).toEqual([]);
        };
        await open(page, '/organizations/ferry/hooks');
        await page.fill('#address', 'https://127.0.0.2/');
        await page.uncheck('[id="event-build.uploaded"]');
        await press(page, 'Add webhook');
        await look('hooks-refused');

        await open(page, appWebhooks);
        await page.fill('#address', receiver.address);
        await page.fill('#name', `Builds at ${width} ${scheme}`);
        await page.getByLabel('Slack and compatible').check();
        await press(page, 'Add webhook');
        await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
        await look('hook-made');
        receiver.respond = answer(500);
        await open(page, appWebhooks);
        await page.getByRole('link', { name: `Builds at ${width} ${scheme}` }).click();
        await press(page, 'Send test');
        await page.getByRole('status').getByText('returned 500').waitFor();
        await uploaded(slipway, { owner: 'ferry', file });
        await settleOutbox(slipway);
        receiver.respond = answer(204);
        await uploaded(slipway, { owner: 'ferry', file });
        await settleOutbox(slipway);
        await press(page, 'Send test');
        await page.getByRole('status').getByText('returned 204').waitFor();
        await page.getByText('Delete webhook').first().click();
        await look('hook');
        await open(page, appWebhooks);
        await look('hooks');
        await context.close();
      },
    );

    it('show what becomes of a delivery without a reload', async () => {
      const context = await browser.newContext();
      const page = await signedIn(context);
      await page.clock.install();
      await open(page, appWebhooks);
      await page.fill('#address', receiver.address);
      await page.fill('#name', 'Live');
      await press(page, 'Add webhook');
      const received = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      receiver.respond = (webhook, response) => {
        received.resolve();
        answered.promise.then(() => answer(204)(webhook, response));
      };
      await uploaded(slipway, { owner: 'ferry', file });
      await received.promise;
      await open(page, appWebhooks);
      await page.getByRole('link', { name: 'Live', exact: true }).click();
      const list = page.locator('#delivery-list');
      await list.getByText('Waiting').waitFor();
      answered.resolve();
      await settleOutbox(slipway);
      await page.clock.fastForward(5000);
      await list.getByText('Sent', { exact: true }).waitFor();
      expect(await list.getByText('Waiting').count()).toBe(0);
      expect(await page.locator('[data-live-pending]').count()).toBe(0);
      await context.close();
    });

    it('work without scripts', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await signedIn(context);
      await open(page, '/organizations/ferry/hooks');
      await page.fill('#address', receiver.address);
      await press(page, 'Add webhook');
      await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
      await open(page, '/organizations/ferry/hooks');
      await page.getByRole('link', { name: /^http:\/\/127/ }).click();
      await press(page, 'Send test');
      await page.getByRole('status').waitFor();
      await page.getByText('Delete webhook').first().click();
      await press(page, 'Delete webhook');
      await page.getByRole('status').getByText('Webhook deleted.').waitFor();
      await context.close();
    });
  },
);
