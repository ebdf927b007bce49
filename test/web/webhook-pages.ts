/** The webhook pages, with all their fields filled through `text`. */
import { maxWebhooksPerScope, type Webhook, type WebhookDelivery } from '../../src/webhooks/webhook.ts';
import { renderWebhookPage } from '../../src/webhooks/webhook-page.tsx';
import { renderWebhooksPage } from '../../src/webhooks/webhooks-page.tsx';
import { createProject, makeApp, makeAppHead, makeFrame, now, type TextOf } from './hostile.ts';
import { every } from './project-pages.ts';

export function webhookPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const app = makeApp(text);
  const project = createProject(text);
  const ofApp = { owner: app.owner, app, head: makeAppHead(text) };
  const ofProject = { owner: project, app: null, area: { owner: project, permissions: every } };
  const webhook: Webhook = {
    id: 'h1',
    ownerId: 'p1',
    appId: null,
    name: text('#builds'),
    kind: 'slack',
    payloadVersion: 1,
    oldSecretUntil: null,
    state: 'on',
    shownAddress: text('https://hooks.slack.com/…x7Qp'),
    encryptedAddress: text('a'),
    encryptedSecret: text('s'),
    subscribedEvents: ['build.uploaded', 'page.published'],
    createdAt: now,
  };
  const delivery: WebhookDelivery = {
    id: text('msg_1'),
    webhookId: 'h1',
    event: 'build.uploaded',
    facts: text('{}'),
    state: 'sent',
    attempts: 1,
    dueAt: now,
    status: 200,
    fault: null,
    durationMs: 84,
    createdAt: now - 60_000,
    updatedAt: now,
  };
  const failed = { status: null, fault: 'timeout', durationMs: 10_004, attempts: 3 } as const;
  const deliveries: WebhookDelivery[] = [
    { ...delivery, id: text('msg_5'), event: 'test', state: 'dead', status: 404 },
    {
      ...delivery,
      id: text('msg_4'),
      ...failed,
      state: 'waiting',
      dueAt: now + 300_000,
      event: 'page.changed',
    },
    { ...delivery, id: text('msg_3'), ...failed, state: 'dead', event: 'build.deleted' },
    { ...delivery, id: text('msg_2'), ...failed, state: 'stopped' },
    delivery,
  ];
  const submitted = {
    name: text('#builds'),
    address: text('https://x'),
    kind: text('odd'),
    payloadVersion: 2 as const,
    oldSecretUntil: null,
    subscribedEvents: ['build.uploaded'],
  };
  const problem = [text('No.')];
  const errors = { name: problem, address: problem, kind: problem, events: problem };
  const list = { frame, home: ofApp, hasOrigin: true, submitted, errors: {}, done: null };
  const one = {
    frame,
    home: ofApp,
    webhook,
    readable: true,
    deliveries,
    submitted,
    errors: {},
    secret: null,
  };
  const nothing = { tested: false, done: null };
  return {
    webhooks: renderWebhooksPage({
      ...list,
      webhooks: [
        { webhook, last: delivery },
        { webhook: { ...webhook, id: 'h2', name: '', state: 'off' }, last: null },
        { webhook: { ...webhook, id: 'h3', state: 'gone' }, last: deliveries[1] ?? null },
      ],
      done: text('Done.'),
    }),
    'no hooks': renderWebhooksPage({ ...list, webhooks: [], hasOrigin: false, errors }),
    'hooks of a Project': renderWebhooksPage({
      ...list,
      home: ofProject,
      webhooks: Array.from({ length: maxWebhooksPerScope }, (_, at) => ({
        webhook: { ...webhook, id: `h${at}` },
        last: null,
      })),
    }),
    webhook: renderWebhookPage({ ...one, tested: true, done: null }),
    'new hook': renderWebhookPage({ ...one, ...nothing, deliveries: [], secret: text('whsec_secret') }),
    'hook that cannot be read': renderWebhookPage({
      ...one,
      home: ofProject,
      webhook: { ...webhook, state: 'gone' as const },
      readable: false,
      errors,
      tested: false,
      done: text('Done.'),
    }),
  };
}
