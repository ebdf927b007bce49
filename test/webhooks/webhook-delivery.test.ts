/** Webhook deliveries from creation to their final state: at least once, always with the same id. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { App, Build } from '../../src/apps/app.ts';
import { createEncryption } from '../../src/core/encrypted-text.ts';
import { createOutbound } from '../../src/core/outbound/outbound-target.ts';
import { type EventCause, maxReportedRevisions } from '../../src/events/events.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createOutboxRunner, type OutboxRunner } from '../../src/jobs/outbox-runner.ts';
import { openWebhooks, type Webhooks } from '../../src/webhooks/open-webhooks-http.ts';
import { newWebhookSecret } from '../../src/webhooks/payload/webhook-signature.ts';
import { encryptSecrets } from '../../src/webhooks/send-webhook.ts';
import {
  maxConcurrentSends,
  maxKeptDeliveries,
  retryDelaysMs,
  type Webhook,
} from '../../src/webhooks/webhook.ts';
import type { WebhookScope } from '../../src/webhooks/webhook-queries.ts';
import type { TestQueries } from '../support/every-query.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { idleHandlers } from '../support/idle-handlers.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addPage, addUser } from '../support/sample-rows.ts';
import { closeTestClaims, createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';
import {
  answer,
  isSignatureValid,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const serverSecret = 's'.repeat(64);
const day = 24 * 60 * 60_000;

describe.each(dialects)('webhook deliveries on %s', (dialect) => {
  let test: TestData;
  let data: TestQueries;
  let clock: number;
  let app: App;
  let build: Build;
  let receiver: WebhookReceiver;
  let runners: OutboxRunner[];
  let logged: unknown[];
  const receivers: WebhookReceiver[] = [];
  let ownerName: string;
  let tests = 0;
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = test.data;
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    await test.database.queries.deleteFrom('outbox').execute();
    [runners, logged] = [[], []];
    tests += 1;
    ownerName = `ada-${tests}`;
    const ada = await addUser(data, ownerName);
    const made = await addApp(data, ada.id, { platform: 'ios' });
    const found = await data.apps.findAppById(made.appId);
    const [first] = made.builds;
    if (!first || !found) throw new Error('nothing was made');
    [app, build] = [found, first];
    clock = Date.UTC(2026, 10, 21, 9, 40);
    receiver = await startWebhookReceiver();
    receivers.push(receiver);
  });
  afterEach(async () => {
    for (const runner of runners) await runner.stop();
    await closeTestClaims();
    for (const one of receivers.splice(0)) await one.close();
  });

  const open = (
    on: TestQueries,
    options: { secret?: string; timeoutMs?: number; wake?: () => void } = {},
  ): Webhooks =>
    openWebhooks({
      data: on,
      secret: options.secret ?? serverSecret,
      now: () => clock,
      version: '1.2.3',
      origin: 'https://apps.example.com',
      log: { warn: (fields, message) => logged.push({ ...fields, message }) },
      wakeOutbox: options.wake ?? (() => undefined),
      outbound: createOutbound(['127.0.0.0/8'], {
        resolve: async () => [],
        timeoutMs: options.timeoutMs ?? 20_000,
      }),
    });
  const startNode = (on: TestQueries = data, options: Parameters<typeof open>[1] = {}): OutboxRunner => {
    const runner: OutboxRunner = createOutboxRunner({
      data: on,
      claims: createTestClaims(on),
      handlers: { ...idleHandlers, ...open(on, { ...options, wake: () => runner.wake() }).handlers },
      now: () => clock,
      log: { error: (fields, message) => logged.push({ ...fields, message }) },
    });
    runners.push(runner);
    return runner;
  };
  const run = async (runner: OutboxRunner) => {
    runner.wake();
    await runner.idle();
  };
  const addWebhook = async (
    changes: Partial<Webhook> = {},
    address = receiver.address,
    place: WebhookScope = { ownerId: app.owner.id, appId: app.id },
  ): Promise<Webhook & { secret: string; oldSecret: string }> => {
    const [id, secret, oldSecret] = [`hook-${Math.random()}`, newWebhookSecret(), newWebhookSecret()];
    const webhook: Webhook = {
      id,
      ...place,
      name: '',
      kind: 'json',
      oldSecretUntil: null,
      state: 'on',
      shownAddress: 'http://127.0.0.1/…',
      ...encryptSecrets(createEncryption(serverSecret, 'hooks'), id, { address, secret, oldSecret }),
      subscribedEvents: ['build.uploaded', 'build.deleted', 'owner.deleted', 'page.published'],
      createdAt: clock,
      ...changes,
    };
    await data.webhooks.insertWebhook(webhook, clock);
    return { ...webhook, secret, oldSecret };
  };
  const dispatch = (event: EventCause = { type: 'build.uploaded', buildId: build.id, pageId: null }) =>
    data.events.dispatch(app.owner.id, event, clock);
  const states = async (webhook: Webhook) =>
    (await data.webhooks.listDeliveries(webhook.id, 200)).map(({ state }) => state).reverse();
  const only = async (webhook: Webhook) => {
    const [delivery] = await data.webhooks.listDeliveries(webhook.id, 2);
    if (!delivery) throw new Error('there is no delivery');
    return delivery;
  };
  const waitingJobs = async () => [
    await data.outbox.nextRunAt(lanes.events),
    await data.outbox.nextRunAt(lanes.webhooks),
  ];

  it('go to each subscribed webhook of the app and its owner once, signed', async () => {
    const own = await addWebhook();
    const wide = await addWebhook({}, receiver.address, { ownerId: app.owner.id, appId: null });
    const unsubscribed = await addWebhook({
      subscribedEvents: ['build.deleted', 'owner.deleted', 'page.published'],
    });
    const off = await addWebhook({ state: 'off' });
    const stranger = await addUser(data, `${ownerName}-too`);
    const other = await addApp(data, app.owner.id, { packageName: 'com.example.other' });
    await addWebhook({}, receiver.address, { ownerId: stranger.id, appId: null });
    await addWebhook({}, receiver.address, { ownerId: app.owner.id, appId: other.appId });
    const node = startNode();
    await dispatch();
    await run(node);
    await run(node);
    expect(receiver.received).toHaveLength(2);
    for (const webhook of [own, wide]) {
      const delivery = await only(webhook);
      const came = receiver.received.find(({ headers }) => headers['webhook-id'] === delivery.id);
      expect(came && isSignatureValid(came, webhook.secret)).toBe(true);
      expect(came && isSignatureValid(came, newWebhookSecret())).toBe(false);
      expect(came && isSignatureValid(came, webhook.oldSecret)).toBe(false);
      expect(came?.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Slipway/1.2.3',
        'webhook-timestamp': String(clock / 1000),
      });
      expect(delivery).toMatchObject({ state: 'sent', attempts: 1, status: 204, fault: null });
    }
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'build.uploaded',
      timestamp: '2026-11-21T09:40:00.000Z',
      data: {
        app: { package_name: 'com.example.sample', platform: 'ios', owner: ownerName },
        build: {
          revision: 1,
          version_name: '1.2',
          url: `https://apps.example.com/users/${ownerName}/platforms/ios/apps/com.example.sample/binaries/1`,
        },
        page: null,
      },
    });
    expect([await states(unsubscribed), await states(off)]).toEqual([[], []]);
    expect(await waitingJobs()).toEqual([null, null]);
    expect(logged).toEqual([]);
  });

  it('are not created without a subscribed webhook', async () => {
    const webhook = await addWebhook({ subscribedEvents: ['page.published'] });
    await dispatch();
    await run(startNode());
    expect([await states(webhook), await waitingJobs()]).toEqual([[], [null, null]]);
  });

  it('exist exactly if the transaction commits', async () => {
    await addWebhook();
    const rolledBack = data.transaction(async (tx) => {
      await tx.events.dispatch(
        app.owner.id,
        { type: 'build.deleted', appId: app.id, revisions: [1], by: 'ada' },
        clock,
      );
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await waitingJobs()).toEqual([null, null]);
  });

  it('are retried for a day with backoff and the same ID and body, and then fail', async () => {
    const webhook = await addWebhook();
    receiver.respond = answer(500);
    const node = startNode();
    await dispatch();
    await run(node);
    const began = clock;
    for (const [index, pause] of retryDelaysMs.entries()) {
      expect(receiver.received).toHaveLength(index + 1);
      expect(await only(webhook)).toMatchObject({
        state: 'waiting',
        attempts: index + 1,
        status: 500,
        dueAt: clock + pause,
      });
      clock += pause - 1;
      await run(node);
      expect(receiver.received).toHaveLength(index + 1);
      clock += 1;
      await run(node);
    }
    expect(clock - began).toBeGreaterThan(0.9 * day);
    expect(clock - began).toBeLessThan(1.1 * day);
    const delivery = await only(webhook);
    expect(delivery).toMatchObject({ state: 'dead', attempts: retryDelaysMs.length + 1, status: 500 });
    clock += day;
    await run(node);
    expect(receiver.received).toHaveLength(retryDelaysMs.length + 1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([delivery.id]),
    );
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    // Each attempt has its own timestamp and a signature that covers it.
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(9);
    for (const came of receiver.received) expect(isSignatureValid(came, webhook.secret)).toBe(true);
    expect(logged).toEqual([
      expect.objectContaining({
        webhook: webhook.id,
        delivery: delivery.id,
        status: 500,
        message: expect.any(String),
      }),
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret');
    expect(await waitingJobs()).toEqual([null, null]);
  });

  it('are signed with the old secret, too, for a time after a rotation', async () => {
    const webhook = await addWebhook({ oldSecretUntil: clock + 1000 });
    const node = startNode();
    for (const passedMs of [0, 999, 1]) {
      clock += passedMs;
      await dispatch();
      await run(node);
    }
    const valid = receiver.received.map((came) => [
      isSignatureValid(came, webhook.secret),
      isSignatureValid(came, webhook.oldSecret),
    ]);
    expect(valid).toEqual([
      [true, true],
      [true, true],
      [true, false],
    ]);
  });

  it('arrive after a dropped connection, a stall, a redirect and an unresolved name', async () => {
    const webhook = await addWebhook();
    const node = startNode(data, { timeoutMs: 300 });
    const trouble: [WebhookReceiver['respond'], object][] = [
      [(_hook, response) => response.destroy(), { fault: 'cut' }],
      [() => undefined, { fault: 'timeout' }],
      [answer(302, { Location: 'http://169.254.169.254/' }), { status: 302, fault: null }],
    ];
    await dispatch();
    for (const [index, [respond, expected]] of trouble.entries()) {
      receiver.respond = respond;
      await run(node);
      expect(await only(webhook)).toMatchObject({ state: 'waiting', attempts: index + 1, ...expected });
      clock += retryDelaysMs[index] ?? 0;
    }
    receiver.respond = answer(200);
    // On a machine that is busy for more than 300 ms, the last one may need another attempt.
    for (let attempts = 0; (await only(webhook)).state === 'waiting' && attempts < 5; attempts++) {
      await run(node);
      clock = (await only(webhook)).dueAt;
    }
    expect(await only(webhook)).toMatchObject({ state: 'sent', status: 200, fault: null });
    const lost = await addWebhook({}, 'https://no-such-name.example/');
    await dispatch();
    await run(node);
    expect(await only(lost)).toMatchObject({ state: 'waiting', fault: 'no-such-name', status: null });
  });

  it('never reach disallowed networks, even if they were allowed when the webhook was saved', async () => {
    const tx = await addWebhook({}, 'http://169.254.169.254/latest/meta-data/');
    const priv = await addWebhook({}, 'https://10.0.0.1/');
    const node = startNode();
    await dispatch();
    await run(node);
    for (const webhook of [tx, priv]) {
      expect(await only(webhook)).toMatchObject({ state: 'waiting', fault: 'not-allowed', status: null });
    }
  });

  it('wait as long as the receiver requests', async () => {
    const webhook = await addWebhook();
    receiver.respond = answer(503, { 'Retry-After': '600' });
    const node = startNode();
    await dispatch();
    await run(node);
    expect(await only(webhook)).toMatchObject({ state: 'waiting', dueAt: clock + 600_000 });
  });

  it('stop permanently when the receiver returns 410, which stops the webhook', async () => {
    const webhook = await addWebhook();
    receiver.respond = answer(503);
    const node = startNode();
    await dispatch();
    await run(node);
    receiver.respond = answer(410);
    clock += 1;
    await dispatch();
    await run(node);
    expect((await data.webhooks.findWebhook(webhook, webhook.id))?.state).toBe('gone');
    expect(await states(webhook)).toEqual(['waiting', 'dead']);
    clock += day;
    await dispatch();
    await run(node);
    expect(await states(webhook)).toEqual(['stopped', 'dead']);
    expect(receiver.received).toHaveLength(2);
    expect(await waitingJobs()).toEqual([null, null]);
  });

  it('are repeated with the same ID when a node dies before it records the result', async () => {
    const webhook = await addWebhook();
    await dispatch();
    let died = false;
    const dying = createFailingQueries(test.database, () => {
      died ||= receiver.received.length > 0;
      return died ? new Error('gone') : null;
    });
    await run(startNode(dying));
    expect([died, receiver.received.length]).toEqual([true, 1]);
    expect(await only(webhook)).toMatchObject({ state: 'waiting', attempts: 1 });
    const second = startNode((await test.openSecond()).data);
    await run(second);
    expect(receiver.received).toHaveLength(1);
    // From here on, other processes treat this one as dead.
    await data.claims.releaseAll();
    await run(second);
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await only(webhook)).toMatchObject({ state: 'sent', attempts: 2 });
  });

  it('are created once, even if a node dies after creating them', async () => {
    const webhook = await addWebhook();
    await dispatch();
    const dying = createFailingQueries(test.database, ({ kind, table }) =>
      kind === 'delete' && table === 'outbox' ? new Error('gone') : null,
    );
    const first = startNode(dying);
    await run(first);
    await first.stop();
    // From here on, other processes treat this one as dead.
    await data.claims.releaseAll();
    await run(startNode());
    expect(await states(webhook)).toEqual(['sent']);
  });

  it('to one slow receiver do not delay others, and are limited in concurrency', async () => {
    const slow = await startWebhookReceiver();
    receivers.push(slow);
    const held: (() => void)[] = [];
    let [open, limit] = [0, 0];
    slow.respond = (_hook, response) => {
      open += 1;
      limit = Math.max(limit, open);
      held.push(() => {
        open -= 1;
        response.writeHead(204).end();
      });
    };
    const stuck = await addWebhook({}, slow.address);
    const quick = await addWebhook();
    const all = 6;
    for (let index = 0; index < all; index++) await dispatch();
    const node = startNode();
    const sent = async () => {
      clock += 10_000;
      node.wake();
      return (await states(quick)).filter((state) => state === 'sent').length;
    };
    await expect.poll(sent, { timeout: 20_000 }).toBe(all);
    await expect.poll(() => held.length, { timeout: 20_000 }).toBe(maxConcurrentSends);
    expect(await states(stuck)).toEqual(Array.from({ length: all }, () => 'waiting'));
    for (let round = 0; (await states(stuck)).includes('waiting') && round < 100; round++) {
      for (const release of held.splice(0)) release();
      slow.respond = answer(204);
      await node.idle();
      clock += 60_000;
      await run(node);
    }
    expect(await states(stuck)).toEqual(Array.from({ length: all }, () => 'sent'));
    expect(await states(quick)).toEqual(Array.from({ length: all }, () => 'sent'));
    expect(limit).toBeLessThanOrEqual(maxConcurrentSends);
    expect(new Set(slow.received.map(({ headers }) => headers['webhook-id'])).size).toBe(
      slow.received.length,
    );
  });

  it('to a fast receiver follow each other without pauses', async () => {
    const webhook = await addWebhook();
    const all = 40;
    for (let index = 0; index < all; index++) await dispatch();
    const node = startNode();
    const startedAt = clock;
    await run(node);
    while ((await states(webhook)).includes('waiting') && clock - startedAt < 60_000) {
      clock += 100;
      await run(node);
    }
    expect(await states(webhook)).toEqual(Array.from({ length: all }, () => 'sent'));
    expect(clock - startedAt).toBeLessThan(all * 250);
  });

  it('report deleted builds and published pages, and use the formats of chats', async () => {
    const page = await addPage(data, app.id, build.id, {
      accessKey: 'c'.repeat(40),
      releaseNote: 'Call @channel <!here> *now*',
    });
    await addWebhook();
    const slack = await startWebhookReceiver();
    const teams = await startWebhookReceiver();
    receivers.push(slack, teams);
    await addWebhook({ kind: 'slack' }, slack.address);
    await addWebhook({ kind: 'teams' }, teams.address);
    const node = startNode();
    await dispatch({ type: 'page.published', pageId: page.id });
    await run(node);
    await dispatch({ type: 'build.deleted', appId: app.id, revisions: [1, 3], by: 'ada' });
    await run(node);
    const bodies = (of: WebhookReceiver) => of.received.map(({ body }) => JSON.parse(body));
    const address = `https://apps.example.com/distributions/${'c'.repeat(40)}`;
    expect(bodies(receiver)).toMatchObject([
      {
        type: 'page.published',
        data: { build: { revision: 1 }, page: { name: 'main', url: address } },
      },
      {
        type: 'build.deleted',
        data: {
          deleted: { revisions: [1, 3], count: 2, by: 'ada', app_deleted: false },
        },
      },
    ]);
    expect(bodies(slack)[0].text).toBe(
      [
        '“main” now serves Sample 1.2 (7) #1 for iOS',
        'Call @\u200bchannel &lt;!here&gt; *now*',
        'by sample · page main',
        address,
      ].join('\n'),
    );
    expect(bodies(slack)[0].blocks[1]).toEqual({
      type: 'section',
      text: { type: 'plain_text', text: 'Call @channel <!here> *now*', emoji: false },
    });
    expect(bodies(slack)[1].text).toContain('Deleted from Sample (iOS): builds 1, 3\nby ada');
    expect(bodies(teams)[0].attachments[0]).toMatchObject({
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        type: 'AdaptiveCard',
        body: [
          { inlines: [{ type: 'TextRun', text: '“main” now serves Sample 1.2 (7) #1 for iOS' }] },
          { inlines: [{ text: 'Call @channel <!here> *now*' }] },
          { inlines: [{ text: 'by sample · page main' }] },
        ],
        actions: [{ type: 'Action.OpenUrl', url: address }],
      },
    });
  });

  it('report an upload whose build was deleted before its event was dispatched', async () => {
    await addWebhook();
    await dispatch();
    await data.buildDeletion.hideBuilds([build.id], 'ada', clock);
    await dispatch({ type: 'build.deleted', appId: app.id, revisions: [1], by: 'ada' });
    await run(startNode());
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toMatchObject([
      { type: 'build.uploaded', data: { build: { revision: 1, sha256: build.sha256 }, page: null } },
      { type: 'build.deleted', data: { deleted: { revisions: [1] } } },
    ]);
  });

  it('stay small for ten thousand deleted builds, and describe a deleted app', async () => {
    await addWebhook();
    const slack = await startWebhookReceiver();
    receivers.push(slack);
    await addWebhook({ kind: 'slack' }, slack.address);
    const node = startNode();
    const many = {
      type: 'build.deleted' as const,
      appId: app.id,
      count: 1_000_000,
      by: 'the retention rule',
      revisions: Array.from({ length: maxReportedRevisions }, (_, index) => 1_000_000 + 2 * index),
    };
    await dispatch(many);
    await run(node);
    expect(receiver.received[0]?.body.length).toBeLessThan(16 * 1024);
    expect(JSON.parse(receiver.received[0]?.body ?? '').data.deleted).toEqual({
      revisions: many.revisions,
      count: many.count,
      by: many.by,
      app_deleted: false,
    });
    expect(slack.received[0]?.body.length).toBeLessThan(4 * 1024);
    expect(JSON.parse(slack.received[0]?.body ?? '').text).toContain(
      '1000020, 1000022 and 999988 more\nby the retention rule',
    );

    const owner = { id: app.owner.id, kind: app.owner.kind, name: app.owner.name };
    const { platform, packageName } = app;
    await data.appDeletion.hideApp(app.id, clock);
    const history = { lastRevision: 1, createdAt: 1, lastUploadAt: 1 };
    const gone = { owner, platform, packageName, name: 'Sample', history };
    await dispatch({ type: 'build.deleted', appId: app.id, revisions: [1], count: 1, by: 'ada', gone });
    await run(node);
    expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({
      type: 'build.deleted',
      data: {
        app: {
          name: 'Sample',
          package_name: packageName,
          platform: 'ios',
          owner: ownerName,
        },
        deleted: { revisions: [1], count: 1, by: 'ada', app_deleted: true },
      },
    });
    expect(JSON.parse(slack.received[1]?.body ?? '').text).toBe(
      'Sample (iOS) was deleted with its only build\nby ada',
    );
  });

  it('cannot be decrypted with a different server secret, and report it', async () => {
    const webhook = await addWebhook();
    await dispatch();
    await run(startNode(data, { secret: 't'.repeat(64) }));
    expect(await only(webhook)).toMatchObject({ state: 'waiting', fault: 'unreadable' });
    expect(receiver.received).toHaveLength(0);
  });

  it('are kept up to a limit, the newest first', async () => {
    const webhook = await addWebhook();
    const nothing = {
      attempts: 1,
      dueAt: 1,
      status: 204,
      fault: null,
      durationMs: 1,
      facts: '{}',
      attemptLog: [],
    };
    for (let index = 0; index < maxKeptDeliveries + 5; index++) {
      const draft = {
        id: `msg_0${String(index).padStart(4, '0')}`,
        webhookId: webhook.id,
        event: 'test' as const,
        ...nothing,
      };
      const state = index === 0 ? ('waiting' as const) : ('sent' as const);
      await data.webhooks.insertDeliveries([{ ...draft, state }], `n${index}`, 1);
    }
    await data.webhooks.forgetDeliveries(webhook.id);
    const left = await data.webhooks.listDeliveries(webhook.id, 1000);
    // Pending deliveries are never removed.
    expect(left).toHaveLength(maxKeptDeliveries + 1);
    expect(left.at(-1)?.state).toBe('waiting');
  });
});
