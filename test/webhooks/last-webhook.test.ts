/** The last delivery when the owner of webhooks is deleted: sent once each, and no other data remains. */
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import { createEncryption } from '../../src/core/encrypted-text.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createOwnerDeletion } from '../../src/projects/deletion/owner-deletion.ts';
import { newWebhookSecret } from '../../src/webhooks/payload/webhook-signature.ts';
import { attemptsWithin } from '../../src/webhooks/send-last-webhook.ts';
import { encryptSecrets } from '../../src/webhooks/send-webhook.ts';
import { retryDelaysMs, type Webhook } from '../../src/webhooks/webhook.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa } from '../support/build-ipa.ts';
import type { TestQueries } from '../support/every-query.ts';
import { createFailingQueries } from '../support/failing-queries.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import {
  answer,
  isSignatureValid,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const serverSecret = 's'.repeat(64);
const oldSecret = newWebhookSecret();

describe.each(dialects)('last delivery of a webhook on %s', (dialect) => {
  let slipway: TestService;
  let data: TestQueries;
  let database: Database;
  let people: SignedInPeople;
  let receiver: WebhookReceiver;
  let log = '';
  let clock = Date.UTC(2026, 10, 21, 9, 40);
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: {
        SLIPWAY_URL: 'https://apps.example.com',
        SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8',
        SLIPWAY_SECRET: serverSecret,
      },
      outbound: { resolve: async () => [] },
      logger: pino(
        { level: 'debug' },
        new Writable({
          write: (chunk, _encoding, done) => {
            log += String(chunk);
            done();
          },
        }),
      ),
    });
    data = slipway.data;
    database = await openDatabase(slipway.config.database);
    people = await signInPeople(slipway, ['olga', 'pia', 'sole', 'admin']);
    receiver = await startWebhookReceiver();
  });
  afterEach(() => {
    receiver.respond = answer(204);
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await database?.close();
    await slipway?.close();
    await receiver?.close();
  });

  const addWebhook = async (
    name: string,
    place: { ownerId: string; appId?: string },
    changes: Partial<Webhook> = {},
    address = `http://127.0.0.1:${receiver.port}/hooks/${name}`,
  ): Promise<string> => {
    const [id, secret] = [`hook-${name}-${Math.random()}`, newWebhookSecret()];
    const webhook: Webhook = {
      id,
      ownerId: place.ownerId,
      appId: place.appId ?? null,
      name,
      kind: 'json',
      oldSecretUntil: null,
      state: 'on',
      shownAddress: 'http://127.0.0.1/…',
      subscribedEvents: ['build.uploaded', 'build.deleted', 'owner.deleted', 'page.published'],
      createdAt: clock,
      ...encryptSecrets(createEncryption(serverSecret, 'hooks'), id, { address, secret, oldSecret }),
      ...changes,
    };
    await data.webhooks.insertWebhook(webhook, clock);
    return secret;
  };
  const createProject = async (name: string) => {
    await slipway.project(name, { members: { olga: 'owner' } });
    return people.idOf(name);
  };
  const put = (owner: string, file: Buffer) => uploaded(slipway, { owner, file });
  const eraseProject = async (name: string) => {
    const form = { confirmation: name, proof: testPassword };
    expect((await people.post('olga', `/organizations/${name}/delete`, form)).status).toBe(303);
  };
  const settle = async (later = 0) => {
    clock += later;
    await settleOutbox(slipway);
  };
  const toldAt = () => receiver.received.map(({ path }) => path).sort();
  const bodyAt = (path: string) =>
    JSON.parse(receiver.received.find((came) => came.path === path)?.body ?? 'null');
  const owed = async () =>
    database.queries.selectFrom('outbox').selectAll().where('kind', '=', 'send-last-webhook').execute();

  it('reports a deleted Project to its active webhooks, and those of its apps, that subscribe to deletions', async () => {
    const crew = await createProject('crew');
    const kept = await createProject('kept');
    for (let build = 0; build < 2; build++) {
      await put('crew', buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' }));
    }
    await put('crew', buildApk({ packageName: 'com.example.two' }));
    await settle();
    const appId = (await data.apps.findApp(crew, 'ios', 'com.example.tidewatch'))?.id ?? '';
    const secret = await addWebhook('wide', { ownerId: crew }, { oldSecretUntil: clock + 60_000 });
    await addWebhook('own', { ownerId: crew, appId });
    await addWebhook('slack', { ownerId: crew }, { kind: 'slack' });
    await addWebhook('teams', { ownerId: crew, appId }, { kind: 'teams' });
    await addWebhook('off', { ownerId: crew }, { state: 'off' });
    await addWebhook('gone', { ownerId: crew, appId }, { state: 'gone' });
    await addWebhook(
      'unsubscribed',
      { ownerId: crew },
      { subscribedEvents: ['build.uploaded', 'page.published'] },
    );
    await addWebhook('other', { ownerId: kept });
    await addWebhook('person', { ownerId: await people.idOf('olga') });

    receiver.respond = answer(503);
    await eraseProject('crew');
    expect(await data.webhooks.listWebhooks({ ownerId: crew, appId: null })).toEqual([]);
    await settle();
    const all = ['/hooks/own', '/hooks/slack', '/hooks/teams', '/hooks/wide'];
    expect(toldAt()).toEqual(all);
    const [first] = receiver.received.filter(({ path }) => path === '/hooks/wide');
    // Pending deliveries cannot be read with the database only.
    const waiting = JSON.stringify(await owed());
    expect(waiting).not.toContain(secret);
    expect(waiting).not.toContain('127.0.0.1');
    expect(waiting).not.toContain('/hooks/');

    receiver.respond = answer(204);
    receiver.received.length = 0;
    await settle(15_000);
    expect(toldAt()).toEqual(all);
    const second = receiver.received.find(({ path }) => path === '/hooks/wide');
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(second && isSignatureValid(second, secret)).toBe(true);
    expect(second && isSignatureValid(second, oldSecret)).toBe(true);
    expect(second && isSignatureValid(second, newWebhookSecret())).toBe(false);
    const said = {
      type: 'owner.deleted',
      timestamp: new Date(clock - 15_000).toISOString(),
      owner: 'crew',
      data: { owner: { kind: 'project', name: 'crew' }, deleted: { apps: 2, builds: 3, by: 'olga' } },
    };
    expect(bodyAt('/hooks/wide')).toEqual({ id: second?.headers['webhook-id'], ...said });
    expect(bodyAt('/hooks/own')).toMatchObject(said);
    const sentence = 'The Project crew was deleted, with 2 apps and 3 builds';
    const last = 'This webhook was deleted with it.';
    expect(bodyAt('/hooks/slack').text).toBe(`${sentence}\n${last}\nby olga`);
    expect(bodyAt('/hooks/teams').attachments[0].content.body[0].inlines[0].text).toBe(
      `Tidewatch (iOS) was deleted. ${sentence}`,
    );

    await settle(60_000);
    expect([receiver.received.length, await owed()]).toEqual([all.length, []]);
    const actions = await data.audit.page({ ownerId: crew, action: 'project.deleted' }, { limit: 9 });
    expect(actions).toMatchObject([
      { actorName: 'olga', subject: 'crew', details: { apps: 2, builds: 3, memberships: 2 } },
    ]);
  });

  it('reports a deleted person and their apps, but no app deleted before', async () => {
    const pia = await people.idOf('pia');
    const { key } = await createIssueKey({ data, now: () => clock })({
      ownerKind: 'user',
      ownerName: 'pia',
      name: 'own',
      expiresAt: null,
      by: 'command-line',
    });
    for (const packageName of ['com.example.one', 'com.example.two']) {
      await uploaded(slipway, { owner: 'pia', key, file: buildApk({ packageName }) });
    }
    const appId = (await data.apps.findApp(pia, 'android', 'com.example.one'))?.id ?? '';
    await addWebhook('pia', { ownerId: pia, appId });
    receiver.respond = answer(503);
    await people.post('pia', '/users/pia/platforms/android/apps/com.example.one/delete', {
      confirmation: 'com.example.one',
    });
    await settle();
    receiver.respond = answer(204);
    receiver.received.length = 0;
    await people.post('pia', '/users/pia/delete', { confirmation: 'pia' });
    await settle(60_000);
    expect(toldAt()).toEqual(['/hooks/pia']);
    expect(bodyAt('/hooks/pia')).toMatchObject({
      type: 'owner.deleted',
      data: { owner: { kind: 'user', name: 'pia' }, deleted: { apps: 1, builds: 1, by: 'pia' } },
    });
  });

  it('is not created when nothing is deleted', async () => {
    const id = await createProject('staying');
    await addWebhook('staying', { ownerId: id });
    const sole = await people.idOf('sole');
    await addWebhook('sole', { ownerId: sole });
    await slipway.project('alone', { members: { sole: 'owner' } });
    await data.owners.removeTeamMember(await people.idOf('alone'), 'owner', await people.idOf('admin'));
    const form = { confirmation: 'nothing' };
    expect((await people.post('olga', '/organizations/staying/delete', form)).status).toBe(400);
    const hindered = { confirmation: 'sole' };
    expect((await people.post('sole', '/users/sole/delete', hindered)).status).toBe(409);

    const owner = await data.owners.findOwner('staying');
    const user = await data.owners.findOwner('olga');
    if (!owner || user?.kind !== 'user') throw new Error('nobody is there');
    let written = 0;
    const failing = createFailingQueries(database, ({ kind, table }) => {
      if (kind === 'insert' && table === 'outbox') written += 1;
      return kind === 'insert' && table === 'audit_rows' ? new Error('the disk is full') : null;
    });
    const { deleteOwner } = createOwnerDeletion({
      data: failing,
      now: () => clock,
      wakeOutbox: () => undefined,
    });
    await expect(deleteOwner({ kind: 'user', user }, owner, 'staying')).rejects.toThrow('the disk is full');
    await settle();
    expect([written, await owed(), receiver.received]).toEqual([1, [], []]);
    expect(await data.webhooks.listWebhooks({ ownerId: id, appId: null })).toHaveLength(1);
  });

  it('is retried for a day, obeys the allowed networks and stops on 410', async () => {
    const id = await createProject('unheard');
    await addWebhook('dead', { ownerId: id });
    await addWebhook('inside', { ownerId: id }, {}, 'http://169.254.169.254/latest/meta-data/');
    receiver.respond = answer(500);
    log = '';
    await eraseProject('unheard');
    await settle();
    for (const [index, pause] of retryDelaysMs.entries()) {
      expect(receiver.received).toHaveLength(index + 1);
      expect(await owed()).toHaveLength(2);
      await settle(pause - 1);
      expect(receiver.received).toHaveLength(index + 1);
      await settle(1);
    }
    expect(receiver.received).toHaveLength(retryDelaysMs.length + 1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await owed()).toEqual([]);
    const ended = log.split('\n').filter((line) => line.includes('the last delivery of a webhook failed'));
    expect(ended.map((line) => JSON.parse(line))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ status: 500, fault: null }),
        expect.objectContaining({ status: null, fault: 'not-allowed' }),
      ]),
    );
    expect(ended).toHaveLength(2);
    expect(log).not.toContain('/hooks/dead');
    expect(log).not.toContain('169.254.169.254');

    receiver.received.length = 0;
    receiver.respond = answer(410);
    await addWebhook('enough', { ownerId: await createProject('enough') });
    await eraseProject('enough');
    await settle();
    expect([toldAt(), await owed()]).toEqual([['/hooks/enough'], []]);
  });

  it('is sent once per webhook, however many there are', async () => {
    const id = await createProject('many');
    const count = 503;
    for (let webhook = 0; webhook < count; webhook++) await addWebhook(`many-${webhook}`, { ownerId: id });
    const owner = await data.owners.findOwner('many');
    const user = await data.owners.findOwner('olga');
    if (!owner || user?.kind !== 'user') throw new Error('nobody is there');
    const { deleteOwner } = createOwnerDeletion({ data, now: () => clock, wakeOutbox: () => undefined });
    expect(await deleteOwner({ kind: 'user', user }, owner, 'many')).toBe('deleted');
    const jobs = await data.outbox.claim(lanes.webhooks, clock, 2 * count);
    const ids = jobs.flatMap(({ job }) => (job.kind === 'send-last-webhook' ? [job.hook.id] : []));
    expect([jobs.length, new Set(ids).size]).toEqual([count, count]);
    expect(JSON.stringify(jobs).length / count).toBeLessThan(1024);
  });
});

it('the attempt count includes the attempts that fit into a period', () => {
  expect([-1, 0, 9999, 10_000, 69_999, 70_000].map(attemptsWithin)).toEqual([1, 1, 1, 2, 2, 3]);
  expect(attemptsWithin(365 * 24 * 60 * 60_000)).toBe(retryDelaysMs.length + 1);
});
