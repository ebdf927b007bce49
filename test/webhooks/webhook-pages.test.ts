/** The webhook pages: adding, testing and editing webhooks, their events, and permissions. */
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResolvedAddress } from '../../src/core/outbound/outbound-target.ts';
import { defineQueries } from '../../src/db/data.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { maxKeptAttempts, maxShownDeliveries, maxWebhooksPerScope } from '../../src/webhooks/webhook.ts';
import { webhookTexts } from '../../src/webhooks/webhook-texts.ts';
import { type SignedInPeople, signInPeople } from '../support/administration-users.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import {
  answer,
  isSignatureValid,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';

const file = buildIpa({ bundleIdentifier: 'com.example.tidewatch', name: 'Tidewatch' });
const appPath = '/users/crew/platforms/ios/apps/com.example.tidewatch';
const appWebhooks = `${appPath}/hooks`;
const crewWebhooks = '/organizations/crew/hooks';
const minaWebhooks = '/users/mina/hooks';
const actions = ['test', 'pause', 'resume', 'save', 'rotate-secret', 'delete'];
const hooksOf = defineQueries((db) => ({ clear: () => db.deleteFrom('hooks').execute() }));

describe('webhook pages', () => {
  let slipway: TestService;
  let people: SignedInPeople;
  let receiver: WebhookReceiver;
  let log = '';
  let now = Date.UTC(2026, 10, 21, 9, 40);
  const known = new Map<string, ResolvedAddress[]>();
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      now: () => ++now,
      settings: { SLIPWAY_URL: 'https://apps.example.com', SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' },
      outbound: { resolve: async (name) => known.get(name) ?? [] },
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
    people = await signInPeople(slipway, ['olga', 'mina', 'jo', 'stranger', 'admin', 'leaving']);
    await slipway.project('crew', { members: { olga: 'owner', mina: 'developer', jo: 'tester' } });
    // The user who creates a Project on the command line becomes its owner.
    const crew = await slipway.data.owners.findOwner('crew');
    await slipway.data.owners.removeTeamMember(crew?.id ?? '', 'owner', await people.idOf('admin'));
    await uploaded(slipway, { owner: 'crew', key: await slipway.projectKey('crew'), file });
    // No webhook receives its event.
    await settleOutbox(slipway);
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    receiver.respond = answer(204);
    receiver.received.length = 0;
    await hooksOf(slipway.service.data).clear();
    now += 20 * 60_000;
  });
  afterAll(async () => {
    await slipway?.close();
    await receiver?.close();
  });

  const webhooksAt = async (by: string, place: string) => [
    ...new Set(
      [...(await people.get(by, place)).text.matchAll(/href="([^"]+\/hooks\/[^"]+)"/g)].map(
        ([, path = '']) => path,
      ),
    ),
  ];
  const fields = (changes: Record<string, string | readonly string[]> = {}) => ({
    name: 'builds',
    url: receiver.address,
    kind: 'json',
    event: 'build.uploaded' as string | readonly string[],
    proof: testPassword,
    ...changes,
  });
  const placeOfApp = async () => {
    const ownerId = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    const app = await slipway.data.apps.findApp(ownerId, 'ios', 'com.example.tidewatch');
    return { ownerId, appId: app?.id ?? '' };
  };
  const make = async (
    by = 'mina',
    place = appWebhooks,
    changes: Record<string, string | readonly string[]> = {},
  ) => {
    const page = await people.post(by, `${place}/create`, fields(changes));
    expect(page.status, page.text).toBe(200);
    const secret = /whsec_[A-Za-z0-9+/=]+/.exec(page.text)?.[0] ?? '';
    const path = (await webhooksAt(by, place)).at(-1) ?? '';
    return { path, secret, page };
  };
  const put = async (extra: Record<string, string> = {}) =>
    uploaded(slipway, { owner: 'crew', key: await slipway.projectKey('crew'), file, fields: extra });

  it('show the secret once, and sign deliveries with it', async () => {
    const { path, secret, page } = await make();
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    expect(page.headers['cache-control']).toContain('no-store');
    const again = await people.get('mina', path);
    expect(again.status).toBe(200);
    const list = await people.get('mina', appWebhooks);
    for (const { text } of [again, list]) {
      expect(text).not.toContain('whsec_');
      expect(text).not.toContain('a-path-that-is-a-secret');
      expect(text).toContain(`http://127.0.0.1:${receiver.port}/…cret`);
    }
    await put({ message: 'A banner', disable_notify: 'true' });
    await settleOutbox(slipway);
    const [came] = receiver.received;
    expect(came && isSignatureValid(came, secret)).toBe(true);
    expect(JSON.parse(came?.body ?? '')).toMatchObject({
      type: 'build.uploaded',
      data: { build: { message: 'A banner' }, app: { name: 'Tidewatch' } },
    });
    const told = (await people.get('mina', path)).text;
    expect(told).toContain('New build');
    expect(told).toContain('HTTP 204');
    // The secret is readable neither in the database nor in the logs.
    const database = await openDatabase(slipway.config.database);
    try {
      const { rows } = await sql`select * from hooks`.execute(database.queries);
      const { rows: audit } = await sql`select * from audit_rows`.execute(database.queries);
      expect(rows).toHaveLength(1);
      expect(JSON.stringify(audit)).toContain(`127.0.0.1:${receiver.port} for com.example.tidewatch (ios)`);
      for (const text of [JSON.stringify(rows), JSON.stringify(audit), log]) {
        expect(text).not.toContain('a-path-that-is-a-secret');
        expect(text).not.toContain(secret);
      }
    } finally {
      await database.close();
    }
  });

  it('have one address each, even for people with access to another', async () => {
    const own = await make('mina', appWebhooks);
    const wide = await make('olga', crewWebhooks);
    // A webhook has only one address, even for people with access to the other.
    const id = wide.path.split('/').at(-1);
    expect((await people.get('olga', `${appWebhooks}/${id}`)).status).toBe(404);
    for (const action of actions) {
      const elsewhere = await people.post('olga', `${appWebhooks}/${id}/${action}`, fields());
      expect(elsewhere.status, action).toBe(404);
      expect((await people.postAsIs('mina', `${own.path}/${action}`, fields())).status, action).toBe(403);
    }
    expect((await people.get('olga', wide.path)).status).toBe(200);
    expect(receiver.received).toHaveLength(0);
  });

  it('send a test immediately, and show the status but not the content of the response', async () => {
    const { path, secret } = await make('mina', appWebhooks, { kind: 'slack' });
    receiver.respond = answer(418, {}, 'a secret of the inside');
    const sent = await people.post('mina', `${path}/test`, {});
    expect([sent.status, sent.headers.location]).toEqual([303, `${path}?done=tested`]);
    const [came] = receiver.received;
    expect(came && isSignatureValid(came, secret)).toBe(true);
    expect(JSON.parse(came?.body ?? '').text).toContain('Test message from Slipway');
    const page = await people.get('mina', `${path}?done=tested`);
    expect(page.text).toContain('Rejected. The receiver returned 418 in');
    expect(page.text).not.toContain('a secret of the inside');
    receiver.respond = answer(200);
    await people.post('mina', `${path}/test`, {});
    expect((await people.get('mina', `${path}?done=tested`)).text).toContain('The receiver returned 200 in');
    // A test delivery is attempted once.
    await settleOutbox(slipway);
    expect(receiver.received).toHaveLength(2);
    receiver.respond = answer(410);
    await people.post('mina', `${path}/test`, {});
    expect((await people.get('mina', path)).text).toContain(webhookTexts.goneTitle);
  });

  it('show what each delivery is about, sent and got, and resend it from its page', async () => {
    const { path } = await make();
    receiver.respond = answer(500, { 'Content-Type': 'text/plain', 'X-Request-Id': 'r-77' }, 'inside');
    const { revision } = await put({ message: 'Ropes', distribution_name: 'Deck' });
    await settleOutbox(slipway);
    const list = (await people.get('mina', path)).text;
    const link = new RegExp(`href="(${path}/deliveries/msg_[0-9a-z]{26})"`).exec(list)?.[1] ?? '';
    expect(list).toMatch(new RegExp(`<bdi>Tidewatch [^<]*#${revision}</bdi>`));
    expect(list).toContain('<bdi>Deck</bdi>');
    const failed = (await people.get('mina', link)).text;
    expect(failed).toContain(`href="${appPath}/binaries/${revision}"`);
    expect(failed).toContain('webhook-signature: v1,…');
    expect(failed).toContain('x-request-id: r-77');
    expect(failed).toContain('&quot;message&quot;: &quot;Ropes&quot;');
    expect(failed).toContain('data-live-pending');
    // A receiver in a private network could be anything.
    expect(failed).not.toContain('inside');
    expect(failed).not.toContain('a-path-that-is-a-secret');
    expect(failed).not.toMatch(/v1,[A-Za-z0-9+/]/);
    const port = receiver.port;
    await receiver.close();
    now += 60_000;
    await settleOutbox(slipway);
    expect((await people.get('mina', link)).text).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect((await people.get('mina', path)).text).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    receiver = await startWebhookReceiver();
    const id = link.split('/').at(-1) ?? '';
    for (let tries = 0; tries < 20 && !(await people.get('mina', link)).text.includes('/retry"'); tries++) {
      now += 13 * 60 * 60_000;
      await settleOutbox(slipway);
    }
    // Nine attempts and a resent one: the oldest is no longer kept.
    const again = formOf((await people.get('mina', link)).text, 'retry');
    const outcome = await people.postAsIs('mina', again.action, again.fields);
    expect(outcome.headers.location).toBe(`${link}?done=again`);
    await settleOutbox(slipway);
    const found = await slipway.data.webhooks.findDelivery(id);
    expect(found?.delivery.attemptLog).toHaveLength(maxKeptAttempts);
    for (const by of ['jo', 'stranger', 'olga']) {
      const status = by === 'olga' ? 200 : 404;
      expect((await people.get(by, link)).status, by).toBe(status);
    }
    const other = await make('olga', crewWebhooks);
    expect((await people.get('olga', `${other.path}/deliveries/${id}`)).status).toBe(404);
  });

  it('resend failed deliveries, and show the number of attempts', async () => {
    const { path } = await make();
    receiver.respond = answer(500);
    await put();
    await settleOutbox(slipway);
    const waiting = (await people.get('mina', path)).text;
    expect(waiting).toContain('HTTP 500');
    // The browser then asks until it is settled.
    expect(waiting).toContain('data-live-pending');
    for (
      let attempts = 0;
      attempts < 20 && !(await people.get('mina', path)).text.includes('/retry"');
      attempts++
    ) {
      now += 13 * 60 * 60_000;
      await settleOutbox(slipway);
    }
    const page = await people.get('mina', path);
    expect(page.text).toContain('9 attempts');
    receiver.respond = answer(200);
    const again = formOf(page.text, 'retry');
    const outcome = await people.postAsIs('mina', again.action, again.fields);
    expect(outcome.headers.location).toBe(`${path}?done=again`);
    await settleOutbox(slipway);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([10, 1]);
    const settled = (await people.get('mina', path)).text;
    expect(settled).toContain('HTTP 200');
    expect(settled).not.toContain('data-live-pending');
    const other = await people.post('mina', `${path}/deliveries/msg_none/retry`, {});
    expect(other.headers.location).toBe(path);
  });

  it('reject invalid URLs and keep the input', async () => {
    known.set('inside.example', [{ address: '10.0.0.1', family: 4 }]);
    known.set('mixed.example', [
      { address: '93.184.216.34', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ]);
    known.set('outside.example', [{ address: '93.184.216.34', family: 4 }]);
    const { errors, deliveryErrors } = webhookTexts;
    const refused: Record<string, string> = {
      '': errors.form,
      'ftp://outside.example/': errors.scheme,
      'https://me:pw@outside.example/': errors.login,
      'https://outside.example:22/': errors.port,
      [`https://outside.example/${'a'.repeat(2048)}`]: errors.long({ limit: 2048 }),
      'https://10.0.0.1/': deliveryErrors['not-allowed'],
      'http://outside.example/': deliveryErrors['not-allowed'],
      'https://inside.example/': deliveryErrors['not-allowed'],
      'https://mixed.example/': deliveryErrors['not-allowed'],
      'https://169.254.169.254/': deliveryErrors['not-allowed'],
      'https://[::ffff:169.254.169.254]/': deliveryErrors['not-allowed'],
      'https://nowhere.example/': deliveryErrors['no-such-name'],
    };
    for (const [address, sentence] of Object.entries(refused)) {
      const page = await people.post(
        'mina',
        `${appWebhooks}/create`,
        fields({ url: address, name: 'typed name' }),
      );
      expect(page.status, address).toBe(400);
      expect(page.text, address).toContain(sentence);
      expect(page.text).toContain('value="typed name"');
    }
    const { event: _event, ...unsubscribed } = fields();
    for (const submitted of [fields({ kind: 'odd' }), fields({ name: 'n'.repeat(101) }), unsubscribed]) {
      expect((await people.post('mina', `${appWebhooks}/create`, submitted)).status).toBe(400);
    }
    expect(await webhooksAt('mina', appWebhooks)).toEqual([]);
    await make('mina', appWebhooks, { url: 'https://outside.example/x', name: 'n'.repeat(100) });
  });

  it('change the events, URL and state of a webhook', async () => {
    const { path, secret } = await make('mina', appWebhooks, { name: '' });
    const other = await startWebhookReceiver({ path: '/another' });
    try {
      const save = (event: string, changes: Record<string, string> = {}) =>
        people.post('mina', `${path}/save`, fields({ name: 'now named', url: '', event, ...changes }));
      expect((await save('build.deleted')).status).toBe(303);
      await put();
      await settleOutbox(slipway);
      expect((await save('build.uploaded')).status).toBe(303);
      const paused = await people.post('mina', `${path}/pause`, {});
      expect(paused.headers.location).toBe(`${path}?done=paused`);
      await put();
      await settleOutbox(slipway);
      expect((await save('build.uploaded', { url: other.address })).status).toBe(303);
      await put();
      await settleOutbox(slipway);
      const resumed = await people.post('mina', `${path}/resume`, {});
      expect(resumed.headers.location).toBe(`${path}?done=resumed`);
      await put();
      await settleOutbox(slipway);
      expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
      expect(other.received[0] && isSignatureValid(other.received[0], secret)).toBe(true);
      const page = await people.post('mina', `${path}/rotate-secret`, fields());
      const fresh = /whsec_[A-Za-z0-9+/=]+/.exec(page.text)?.[0] ?? '';
      expect(fresh).not.toBe(secret);
      await put();
      await settleOutbox(slipway);
      const [, last] = other.received;
      expect(last && [isSignatureValid(last, fresh), isSignatureValid(last, secret)]).toEqual([true, true]);
      for (const text of [page.text, (await people.get('mina', path)).text])
        expect(text).toContain('The old secret also signs until <time');
      const newest = /whsec_[A-Za-z0-9+/=]+/.exec(
        (await people.post('mina', `${path}/rotate-secret`, fields())).text,
      );
      await put();
      await settleOutbox(slipway);
      const after = other.received.at(-1);
      expect(after && [newest?.[0] ?? '', fresh, secret].map((one) => isSignatureValid(after, one))).toEqual([
        true,
        true,
        false,
      ]);
      const removed = await people.post('mina', `${path}/delete`, {});
      expect(removed.headers.location).toBe(`${appWebhooks}?done=deleted`);
      expect((await people.get('mina', path)).status).toBe(404);
      await put();
      await settleOutbox(slipway);
      expect(other.received).toHaveLength(3);
    } finally {
      await other.close();
    }
  });

  it('require reauthentication to add a webhook, change its URL or rotate its secret, but not to pause or delete it', async () => {
    const { path } = await make();
    const before = await slipway.data.webhooks.listWebhooks(await placeOfApp());
    now += 10 * 60_000;
    const unproved = fields({ name: 'stolen', url: 'https://thief.example/x', proof: '' });
    const guarded = [`${appWebhooks}/create`, `${path}/save`, `${path}/rotate-secret`];
    for (const address of guarded) {
      for (const proof of ['', 'wrong']) {
        const refused = await people.post('mina', address, { ...unproved, proof });
        expect([address, refused.status]).toEqual([address, 403]);
        const kept = formOf(refused.text, address.split('/').at(-1) ?? '').fields;
        expect(kept.name).toBe(address.endsWith('/rotate-secret') ? undefined : 'stolen');
      }
    }
    expect(await slipway.data.webhooks.listWebhooks(await placeOfApp())).toEqual(before);
    for (const action of ['test', 'pause', 'resume', 'delete']) {
      expect((await people.post('mina', `${path}/${action}`, {})).status, action).toBe(303);
    }
    expect(await webhooksAt('mina', appWebhooks)).toEqual([]);
  });

  it('stop deliveries to paused and stopped webhooks until they are resumed or get a new URL', async () => {
    const { path } = await make();
    const stateOf = async () => (await slipway.data.webhooks.listWebhooks(await placeOfApp()))[0]?.state;
    const save = (url: string) => people.post('mina', `${path}/save`, fields({ url }));
    await people.post('mina', `${path}/pause`, {});
    await save(receiver.address);
    expect(await stateOf()).toBe('off');
    receiver.respond = answer(410);
    await people.post('mina', `${path}/test`, {});
    expect(await stateOf()).toBe('gone');
    await save('');
    expect(await stateOf()).toBe('gone');
    await save(receiver.address);
    expect(await stateOf()).toBe('on');
    await people.post('mina', `${path}/test`, {});
    await people.post('mina', `${path}/resume`, {});
    await people.post('mina', `${path}/resume`, {});
    expect(await stateOf()).toBe('on');
    const actions = await slipway.data.audit.page({ ownerId: null }, { limit: 4 });
    expect(actions.map(({ action }) => action)).toEqual([
      'hook.resumed',
      'hook.changed',
      'hook.changed',
      'hook.changed',
    ]);
  });

  it('report deleted builds, published pages and every app of an owner', async () => {
    await make('olga', crewWebhooks, {
      event: ['build.uploaded', 'build.deleted', 'page.published', 'page.note_changed'],
    });
    const result = await put({ distribution_name: 'beta' });
    const first = await put();
    // Reported while it exists; after it is deleted, only the deletion is reported.
    await settleOutbox(slipway);
    const deleted = await people.post('olga', `${appPath}/binaries/${first.revision}/delete`, {});
    expect(deleted.status).toBe(303);
    await settleOutbox(slipway);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ type }) => type).sort()).toEqual([
      ...['build.deleted', 'build.uploaded', 'build.uploaded', 'page.published'],
    ]);
    expect(bodies.find(({ type }) => type === 'build.deleted')).toMatchObject({
      data: { deleted: { revisions: [first.revision], by: 'olga' }, app: { name: 'Tidewatch' } },
    });
    const settings = `/distributions/${result.distribution?.access_key}/settings`;
    const page = formOf((await people.get('olga', settings)).text, 'save');
    receiver.received.length = 0;
    await people.postAsIs('olga', page.action, { ...page.fields, note: 'Another note' });
    await settleOutbox(slipway);
    const [came] = receiver.received;
    expect(JSON.parse(came?.body ?? '{}')).toMatchObject({
      type: 'page.note_changed',
      data: { page: { name: 'beta', release_note: 'Another note' } },
    });
  });

  it(`limit webhooks to ${maxWebhooksPerScope} per app or owner, even under concurrency`, async () => {
    // One re-authentication for all: concurrent ones would exceed the limit on attempts.
    const { path } = await make();
    await people.post('mina', `${path}/delete`, {});
    const answers = await Promise.all(
      Array.from({ length: maxWebhooksPerScope + 4 }, (_, at) =>
        people.post('mina', `${appWebhooks}/create`, fields({ name: `hook ${at}` })),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: maxWebhooksPerScope }, () => 200), 409, 409, 409, 409]);
    expect(await webhooksAt('mina', appWebhooks)).toHaveLength(maxWebhooksPerScope);
    const page = await people.get('mina', appWebhooks);
    expect(page.text).toContain(webhookTexts.full({ limit: maxWebhooksPerScope }));
    expect(page.text).not.toContain(webhookTexts.createButton);
    // Another App or owner has a separate limit.
    await make('olga', crewWebhooks);
  });

  it('show the last deliveries, and rate-limit tests', async () => {
    const { path } = await make();
    const statuses: number[] = [];
    for (let at = 0; at < 62; at++) statuses.push((await people.post('mina', `${path}/test`, {})).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(59);
    expect(statuses.at(-1)).toBe(429);
    const page = (await people.get('mina', path)).text;
    expect(page.match(/HTTP 204/g)).toHaveLength(maxShownDeliveries);
  });

  it('report a deleted app with all its builds once, and then remove the webhooks of the app', async () => {
    const packageName = 'com.example.going';
    const expired = `/users/crew/platforms/ios/apps/${packageName}`;
    const upload = async () =>
      uploaded(slipway, {
        owner: 'crew',
        key: await slipway.projectKey('crew'),
        file: buildIpa({ bundleIdentifier: packageName, name: 'Going' }),
      });
    for (let build = 0; build < 3; build++) await upload();
    await settleOutbox(slipway);
    await make('mina', `${expired}/hooks`, { event: 'build.deleted' });
    await make('olga', crewWebhooks, { event: 'build.deleted' });
    const rows = async () => (await slipway.data.webhooks.listWebhooks({ ownerId: crewId, appId })).length;
    const crewId = (await slipway.data.owners.findOwner('crew'))?.id ?? '';
    const appId = (await slipway.data.apps.findApp(crewId, 'ios', packageName))?.id ?? '';
    receiver.respond = answer(503);
    const gone = await people.post('olga', `${expired}/delete`, { confirmation: packageName });
    expect(gone.status).toBe(303);
    await settleOutbox(slipway);
    // Both were attempted, and the delivery of the app's webhook can still be retried.
    expect(receiver.received).toHaveLength(2);
    expect([await rows(), (await people.get('mina', `${expired}/hooks`)).status]).toEqual([1, 404]);
    receiver.respond = answer(204);
    receiver.received.length = 0;
    now += 15_000;
    await settleOutbox(slipway);
    const [one, other] = receiver.received.map(({ body }) => JSON.parse(body));
    expect(receiver.received).toHaveLength(2);
    expect(one).toEqual(other);
    expect(one).toMatchObject({
      type: 'build.deleted',
      data: {
        app: { name: 'Going', package_name: packageName, last_revision: 3 },
        deleted: { revisions: [1, 2, 3], count: 3, by: 'olga', app_deleted: true },
      },
    });
    now += 15_000;
    await settleOutbox(slipway);
    expect([await rows(), receiver.received.length]).toEqual([0, 2]);
  });

  it('delete webhooks together with their owner and app', async () => {
    await make('mina', minaWebhooks);
    const database = await openDatabase(slipway.config.database);
    const count = async () => {
      const { rows } = await sql<{ count: number }>`select count(*) as count from hooks`.execute(
        database.queries,
      );
      return Number(rows[0]?.count);
    };
    try {
      await make('mina', appWebhooks);
      expect(await count()).toBe(2);
      await people.post('olga', `${appPath}/delete`, {
        confirmation: 'com.example.tidewatch',
        proof: testPassword,
      });
      await settleOutbox(slipway);
      expect(await count()).toBe(1);
      expect((await people.get('mina', appWebhooks)).status).toBe(404);
      const gone = { confirmation: 'leaving', proof: testPassword };
      await make('leaving', '/users/leaving/hooks');
      expect(await count()).toBe(2);
      expect((await people.post('leaving', '/users/leaving/delete', gone)).status).toBe(303);
      expect(await count()).toBe(1);
    } finally {
      await database.close();
    }
    await put();
  });
});
