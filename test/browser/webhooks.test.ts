/** Webhook pages in a real browser: after actions, and without JavaScript. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildIpa } from '../support/build-ipa.ts';
import { browserTimeoutMs, hasChromium, openPage, visit } from '../support/chromium.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { faultsOf } from '../support/page-checks.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { answer, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const appWebhooks = '/users/ferry/platforms/ios/apps/com.example.tidewatch/hooks';
const file = buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' });

describe.skipIf(!hasChromium)(
  'webhook pages in Chromium (needs /usr/bin/chromium)',
  { timeout: browserTimeoutMs },
  () => {
    let slipway: TestService;
    let receiver: WebhookReceiver;

    beforeAll(async () => {
      slipway = await startTestService({
        blobs: 'memory',
        settings: { SLIPWAY_HOOK_NETWORKS: '127.0.0.1' },
        outbound: { resolve: async () => [] },
      });
      receiver = await startWebhookReceiver();
      await slipway.user('olga');
      await slipway.project('ferry', { members: { olga: 'owner' } });
      await uploaded(slipway, { owner: 'ferry', file });
    });
    afterAll(async () => {
      await slipway?.close();
      await receiver?.close();
    });

    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

    it('are accessible after actions, at both widths and in both color schemes', async () => {
      const page = await openPage(slipway, { person: 'olga' });
      const look = async (name: string) => expect([name, await faultsOf(page)]).toEqual([name, []]);
      await visit(page, '/organizations/ferry/hooks');
      await page.fill('#url', 'https://127.0.0.2/');
      await page.uncheck('[id="event-build.uploaded"]');
      await press(page, 'Add webhook');
      await look('hooks-refused');

      await visit(page, appWebhooks);
      await page.fill('#url', receiver.address);
      await page.fill('#name', 'Builds');
      await page.getByLabel('Slack and compatible').check();
      await press(page, 'Add webhook');
      await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
      await look('hook-made');
      receiver.respond = answer(500);
      await visit(page, appWebhooks);
      await page.getByRole('link', { name: 'Builds', exact: true }).click();
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
      await visit(page, appWebhooks);
      await look('hooks');
    });

    it('show what becomes of a delivery without a reload', async () => {
      const page = await openPage(slipway, { person: 'olga' });
      await page.clock.install();
      await visit(page, appWebhooks);
      await page.fill('#url', receiver.address);
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
      await visit(page, appWebhooks);
      await page.getByRole('link', { name: 'Live', exact: true }).click();
      const list = page.locator('#delivery-list');
      await list.getByText('Waiting').waitFor();
      answered.resolve();
      await settleOutbox(slipway);
      await page.clock.fastForward(5000);
      await list.getByText('Sent', { exact: true }).waitFor();
      expect(await list.getByText('Waiting').count()).toBe(0);
      expect(await page.locator('[data-live-pending]').count()).toBe(0);
    });

    it('work without scripts', async () => {
      const page = await openPage(slipway, { person: 'olga', javaScriptEnabled: false });
      await visit(page, '/organizations/ferry/hooks');
      await page.fill('#url', receiver.address);
      await press(page, 'Add webhook');
      await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
      await visit(page, '/organizations/ferry/hooks');
      await page.getByRole('link', { name: /^http:\/\/127/ }).click();
      await press(page, 'Send test');
      await page.getByRole('status').waitFor();
      await page.getByText('Delete webhook').first().click();
      await press(page, 'Delete webhook');
      await page.getByRole('status').getByText('Webhook deleted.').waitFor();
    });
  },
);
