import { expect } from 'vitest';
import { buildApk } from '../../support/build-apk.ts';
import { uploaded } from '../../support/interface-client.ts';
import { settleOutbox } from '../../support/mail-service.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import type { Walk } from './walk.ts';

export const webhookWalk: Walk = {
  title: 'adds webhooks, tests them, rotates their secrets and sends deliveries again',
  run: async ({ slipway, api }) => {
    const receiver = await startWebhookReceiver();
    const packageName = 'com.example.webhooks';
    await uploaded(slipway, { file: buildApk({ packageName }) });
    await settleOutbox(slipway);
    const app = { owner: 'admin', platform: 'android', package: packageName };
    const owner = { owner: 'admin' };
    for (const [part, place] of [
      ['App', app],
      ['', owner],
    ] as const) {
      const body = { url: receiver.address, name: 'chat', events: ['build.uploaded', 'page.published'] };
      const made = await api.call(`create${part}Webhook`, 201, { params: place, body });
      const { webhook, secret } = made.value;
      expect(secret).toMatch(/^whsec_/);
      expect(webhook).toMatchObject({
        name: 'chat',
        kind: 'json',
        state: 'on',
        events: ['build.uploaded', 'page.published'],
      });
      const refused = await api.call(`create${part}Webhook`, 400, {
        params: place,
        body: { ...body, url: 'http://10.0.0.1/' },
      });
      expect(refused.value.errors[0].pointer).toBe('/url');
      expect((await api.call(`list${part}Webhooks`, 200, { params: place })).value.data).toEqual([webhook]);
      const one = { params: { ...place, webhook: webhook.id } };
      expect((await api.call(`get${part}Webhook`, 200, one)).value).toEqual(webhook);

      const tested = await api.call(`test${part}Webhook`, 200, { ...one, body: {} });
      expect(tested.value).toMatchObject({ event: 'test', state: 'sent', status: 204, attempts: 1 });
      expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(tested.value.id);
      const deliveries = await api.call(`list${part}WebhookDeliveries`, 200, one);
      expect(deliveries.value.data).toEqual([tested.value]);
      const params = { ...one.params, delivery: tested.value.id };
      const shown = await api.call(`get${part}WebhookDelivery`, 200, { params });
      expect(shown.value).toMatchObject({
        delivery: tested.value,
        attempts: [{ status: 204, error: null, request_headers: { 'webhook-id': tested.value.id } }],
      });
      expect(shown.value.request_body).toBe(receiver.received.at(-1)?.body);
      await api.call(`get${part}WebhookDelivery`, 404, { params: { ...params, delivery: 'msg_none' } });
      const again = { params, body: {} };
      expect((await api.call(`redeliver${part}Webhook`, 200, again)).value).toEqual({ waiting: true });
      const rotated = await api.call(`rotate${part}WebhookSecret`, 200, { ...one, body: {} });
      expect(rotated.value.secret).not.toBe(secret);
      expect(rotated.value.webhook.old_secret_works_until).not.toBeNull();

      const changed = await api.call(`update${part}Webhook`, 200, {
        ...one,
        body: { name: 'Chat', kind: 'slack', events: ['*'], state: 'off' },
      });
      expect(changed.value).toEqual({
        ...rotated.value.webhook,
        name: 'Chat',
        kind: 'slack',
        events: ['*'],
        state: 'off',
      });
      await api.call(`update${part}Webhook`, 400, { ...one, body: { events: [] } });
      const ofOwner = { ...one, body: { events: ['key.created'] } };
      await api.call(`update${part}Webhook`, part === 'App' ? 400 : 200, ofOwner);
      await api.call(`delete${part}Webhook`, 204, one);
      await api.call(`get${part}Webhook`, 404, one);
    }
    const events = await api.call('listEvents', 200, {
      params: owner,
      query: { app: `android/${packageName}`, type: 'build.uploaded' },
    });
    expect(events.value.data.map(({ type }: { type: string }) => type)).toEqual(['build.uploaded']);
    await receiver.close();
  },
};
