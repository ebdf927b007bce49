/** The events of an owner: their data, their list in the API, and the webhooks that they go to. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRemovalHandlers } from '../../src/apps/deletion/purge-deleted.ts';
import { eventTypes } from '../../src/events/events.ts';
import { type JobHandlers, lanes, NotReady } from '../../src/jobs/outbox.ts';
import { createOutboxRunner } from '../../src/jobs/outbox-runner.ts';
import { createDispatchEvent } from '../../src/webhooks/dispatch-event.ts';
import { eventRetentionMs } from '../../src/webhooks/webhook.ts';
import { type ApiClient, createApiClient } from '../api/api-client.ts';
import { buildIpa } from '../support/build-ipa.ts';
import { causeEveryEvent, type ExpectedEvent } from '../support/every-event.ts';
import { idleHandlers } from '../support/idle-handlers.ts';
import { uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { registerLikeIos } from '../support/profile-service-peer.ts';
import { closeTestClaims, createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { isSignatureValid, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

interface ListedEvent {
  id: string;
  type: string;
  timestamp: string;
  owner: string;
  data: Record<string, unknown> & { app?: { package_name: string } };
}

describe.each(dialects)('events on %s', (dialect) => {
  let slipway: TestService;
  let api: ApiClient;
  let receiver: WebhookReceiver;
  let secret: string;
  let expected: ExpectedEvent[];
  let now = Date.UTC(2026, 10, 21, 9, 40);
  const owner = 'tidewatch-mobile';
  beforeAll(async () => {
    slipway = await startTestService({
      dialect,
      now: () => now++,
      settings: { SLIPWAY_URL: 'https://apps.example.com', SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8' },
    });
    api = await createApiClient(slipway);
    receiver = await startWebhookReceiver();
    await slipway.project(owner, { members: { admin: 'owner' } });
    await settleOutbox(slipway);
    const body = { url: receiver.address, events: ['*'] };
    secret = (await api.call('createWebhook', 201, { params: { owner }, body })).value.secret;
    expected = await causeEveryEvent(slipway, api, owner);
    // Deliveries beyond the limit of concurrent ones have waited.
    now += 60_000;
    await settleOutbox(slipway);
  });
  afterAll(async () => {
    await closeTestClaims();
    await slipway.close();
    await receiver.close();
  });

  const list = async (query: Record<string, string> = {}, options: { key?: string; status?: number } = {}) =>
    (
      await api.call('listEvents', options.status ?? 200, {
        params: { owner },
        query,
        ...(options.key ? { key: options.key } : {}),
      })
    ).value;

  it('have exactly the resources of the API as data', async () => {
    const { data } = await list({ limit: '200' });
    const listed = data.map(({ type, data }: ListedEvent) => [type, data]);
    // Analyzed at the same time as the signature is verified.
    const isChecked = ([type]: readonly unknown[]) => type === 'build.checked';
    expect(listed.filter((event: unknown[]) => !isChecked(event))).toEqual(
      expected.filter((event) => !isChecked(event)),
    );
    expect(listed.find(isChecked)).toEqual(expected.find(isChecked));
    const seen = new Set(data.map(({ type }: ListedEvent) => type));
    expect(eventTypes.filter((type) => !seen.has(type))).toEqual(['owner.deleted']);
    for (const event of data) {
      expect(event).toMatchObject({ owner, id: expect.stringMatching(/^[0-9a-z]{26}$/) });
      expect(Date.parse(event.timestamp)).toBeLessThan(now);
    }
  });

  it('are sent to webhooks as they are listed', async () => {
    const { data } = await list({ limit: '200' });
    const came = receiver.received.map(({ body }) => JSON.parse(body));
    expect(came.toSorted(byId)).toEqual(data.toSorted(byId));
    for (const one of receiver.received) expect(isSignatureValid(one, secret)).toBe(true);
  });

  it('are paged, and read on after the last page', async () => {
    const all = (await list({ limit: '200' })).data;
    const read: ListedEvent[] = [];
    let cursor: string | undefined;
    const readOn = async () => {
      for (let more = true; more; ) {
        const page = await api.call('listEvents', 200, {
          params: { owner },
          query: { limit: '5', ...(cursor ? { cursor } : {}) },
        });
        const { data, next_cursor: next, has_more: hasMore } = page.value;
        read.push(...data);
        expect(page.headers.link).toBe(
          hasMore ? `</api/v1/owners/${owner}/events?limit=5&cursor=${next}>; rel="next"` : undefined,
        );
        [cursor, more] = [next, hasMore];
      }
    };
    await readOn();
    expect(read).toEqual(all);
    const seen = cursor;
    await readOn();
    expect([read.length, cursor]).toEqual([all.length, seen]);
    const params = { owner, platform: 'ios', package: 'com.example.tidewatch', revision: 1 };
    await api.call('updateBuild', 200, { params, body: { protected: true } });
    await settleOutbox(slipway);
    await readOn();
    expect(read.slice(all.length)).toMatchObject([
      { type: 'build.edited', data: { build: { revision: 1, protected: true } } },
    ]);
    const none = await api.call('listEvents', 200, {
      params: { owner: 'admin' },
      query: { type: 'page.edited' },
    });
    expect(none.value).toEqual({ data: [], next_cursor: expect.any(String), has_more: false });
    const { next_cursor: start } = none.value;
    const again = { params: { owner: 'admin' }, query: { type: 'page.edited', cursor: start } };
    expect((await api.call('listEvents', 200, again)).value).toEqual(none.value);
  });

  it('are filtered by type and app', async () => {
    const { data } = await list({ limit: '200' });
    const filtered = async (query: Record<string, string>) => (await list({ limit: '200', ...query })).data;
    const ofType = data.filter(({ type }: ListedEvent) => type === 'page.published');
    expect(ofType).toHaveLength(2);
    expect(await filtered({ type: 'page.published' })).toEqual(ofType);
    const ofApp = data.filter(
      ({ data: { app } }: ListedEvent) => app?.package_name === 'com.example.tidewatch',
    );
    expect(await filtered({ app: 'ios/com.example.tidewatch' })).toEqual(ofApp);
    expect(await filtered({ app: 'ios/com.example.tidewatch', type: 'page.published' })).toEqual(ofType);
    expect(await filtered({ app: 'android/com.example.tidewatch' })).toEqual([]);
    for (const [query, pointer] of [
      [{ type: 'owner.deleted' }, 'type'],
      [{ type: 'page.unknown' }, 'type'],
      [{ app: 'com.example.tidewatch' }, 'app'],
      [{ app: `ios/${'a'.repeat(300)}` }, 'app'],
      [{ cursor: 'x' }, 'cursor'],
      [{ cursor: Buffer.from('[-1]').toString('base64url') }, 'cursor'],
      [{ limit: '201' }, 'limit'],
    ] as const)
      expect((await list(query, { status: 400 })).errors[0].parameter, JSON.stringify(query)).toBe(pointer);
  });

  it('are listed for people who manage the owner and see its apps', async () => {
    const olga = await slipway.user('olga');
    const dev = await slipway.user('dev');
    for (const [user, team] of [
      ['olga', 'owner'],
      ['dev', 'developer'],
    ] as const)
      await slipway.owners.addToTeam({
        projectName: owner,
        team,
        userName: user,
        by: 'command-line',
        notify: false,
      });
    await settleOutbox(slipway);
    expect((await list({}, { key: olga })).data).not.toEqual([]);
    expect((await list({}, { key: dev, status: 404 })).code).toBe('resource_not_found');
    expect((await list({}, { key: await slipway.user('stranger'), status: 404 })).code).toBe(
      'resource_not_found',
    );
    expect((await list({}, { key: await slipway.projectKey(owner), status: 403 })).code).toBe(
      'user_key_required',
    );
    const issue = (scopes: string[], restricted_to: string[] = []) =>
      api.call('createKey', 201, { params: { owner: 'admin' }, body: { name: 'x', scopes, restricted_to } });
    const upload = (await issue(['upload'])).value.api_key;
    expect((await list({}, { key: upload, status: 403 })).code).toBe('insufficient_scope');
    // The events of an owner are those of all its apps.
    const ofApp = (await issue(['read'], [`${owner}/ios/com.example.tidewatch`])).value.api_key;
    expect((await list({}, { key: ofApp, status: 404 })).code).toBe('resource_not_found');
    const ofOwner = (await issue(['read'], [owner])).value.api_key;
    expect((await list({}, { key: ofOwner })).data).not.toEqual([]);
    const ofOther = (await issue(['read'], ['admin'])).value.api_key;
    await list({}, { key: ofOther, status: 404 });
  });

  it('are listed for 30 days, and then deleted', async () => {
    const rows = async () => {
      const ownerId = (await slipway.data.owners.findOwner(owner))?.id ?? '';
      const all = { after: 0, since: 0, limit: 200 };
      return (await slipway.data.recordedEvents.list(ownerId, { type: null, app: null }, all)).length;
    };
    // A waiting job would delete the oldest events while the clock jumps.
    await settleOutbox(slipway);
    const before = await list({ limit: '200' });
    const last = before.next_cursor;
    const causedAt = ({ timestamp }: ListedEvent) => Date.parse(timestamp);
    const since = causedAt(before.data[12]);
    now = since + eventRetentionMs;
    const left = (await list({ limit: '200' })).data;
    // Events are listed in the order in which they were recorded, which is not always that of their causes.
    const oldest = Math.min(...left.map(causedAt));
    expect(oldest).toBeGreaterThanOrEqual(since);
    expect(left).toEqual(before.data.filter((event: ListedEvent) => causedAt(event) >= oldest));
    expect(left.length).toBeLessThan(before.data.length);
    now += eventRetentionMs;
    expect((await list()).data).toEqual([]);
    const params = { owner, platform: 'ios', package: 'com.example.tidewatch', revision: 1 };
    await api.call('updateBuild', 200, { params, body: { protected: false } });
    await settleOutbox(slipway);
    expect(await rows()).toBe(1);
    expect((await list({ cursor: last })).data).toMatchObject([{ type: 'build.edited' }]);
  });

  it('are deleted with their owner', async () => {
    const { id = '' } = (await slipway.data.owners.findOwner(owner)) ?? {};
    await slipway.data.ownerDeletion.remove({ id, kind: 'project', email: null }, now);
    const all = { after: 0, since: 0, limit: 1 };
    expect(await slipway.data.recordedEvents.list(id, { type: null, app: null }, all)).toEqual([]);
    // One whose cause was committed before is dropped.
    const event = { type: 'member.added', ownerId: id, person: { name: 'mina', teams: [] } } as const;
    await slipway.data.events.dispatch(id, event, now);
    await settleOutbox(slipway);
    expect(await slipway.data.recordedEvents.list(id, { type: null, app: null }, all)).toEqual([]);
    expect(await slipway.data.outbox.nextRunAt(lanes.events)).toBeNull();
  });

  it('are recorded even if everything that they are about is deleted before', async () => {
    const name = 'gone-soon';
    await slipway.project(name, { members: { admin: 'owner' } });
    await settleOutbox(slipway);
    await slipway.service.outbox.stop();
    const app = { owner: name, platform: 'ios', package: 'com.example.brief' };
    const { distribution } = await uploaded(slipway, {
      owner: name,
      file: buildIpa({ bundleIdentifier: app.package }),
      fields: { distribution_name: 'brief' },
    });
    const accessKey = distribution?.access_key ?? '';
    await registerLikeIos(slipway, accessKey);
    const show = async (id: string, params: Record<string, string | number>) =>
      (await api.call(id, 200, { params })).value;
    const known = { app: await show('getApp', app), build: await show('getBuild', { ...app, revision: 1 }) };
    const page = await show('getPage', { accessKey });
    const [device] = (await show('listDevices', { owner: name })).data;
    const { data } = slipway;
    const ownerId = (await data.owners.findOwner(name))?.id ?? '';
    const appId = (await data.apps.findAppsByPackageName(ownerId, app.package))[0]?.id ?? '';
    const clock = () => now++;
    const runOnly = async (more: Partial<JobHandlers>) => {
      const removals = createRemovalHandlers({ data, blobs: slipway.blobs, now: clock });
      const handlers = { ...idleHandlers, ...removals, ...more };
      const log = { error: () => undefined };
      const claims = createTestClaims(data);
      const runner = createOutboxRunner({ data, claims, handlers, now: clock, log });
      runner.wake();
      await runner.idle();
      await runner.stop();
    };
    // One node is too slow, so that another dispatches the events late.
    const claimed: Parameters<JobHandlers['dispatch-event']>[0][] = [];
    await runOnly({
      'dispatch-event': async (job) => {
        claimed.push(job);
        throw new NotReady(now + 1000);
      },
    });
    await api.call('deletePage', 204, { params: { accessKey } });
    await api.call('deleteDevice', 204, { params: { owner: name, device: device.id } });
    await api.call('deleteApp', 204, { params: app });

    const dispatch = createDispatchEvent({
      data,
      origin: 'https://apps.example.com',
      now: clock,
      wakeOutbox: () => undefined,
    });
    for (const job of claimed) if (job.event.type === 'page.published') await dispatch(job);
    await runOnly({ 'dispatch-event': () => Promise.reject(new NotReady(now + 1000)) });
    expect(await data.apps.findStoredApp(appId)).toMatchObject({ packageName: app.package });
    now += 1000;
    await runOnly({ 'dispatch-event': dispatch });
    const events = await api.call('listEvents', 200, { params: { owner: name }, query: { limit: '200' } });
    const listed = events.value.data.map(({ type, data }: ListedEvent) => [type, data]);
    const served = { ...known, page };
    expect(listed).toEqual([
      ['page.published', served],
      ['build.uploaded', served],
      ['page.created', served],
      ['device.registered', { device }],
      ['page.deleted', { app: known.app, page }],
      ['device.removed', { device }],
      [
        'build.deleted',
        { app: known.app, deleted: { revisions: [1], count: 1, by: 'admin', app_deleted: true } },
      ],
    ]);
    now += 10_000;
    await runOnly({});
    expect(await data.apps.findStoredApp(appId)).toBeNull();
  });
});

const byId = (one: ListedEvent, other: ListedEvent) => (one.id < other.id ? -1 : 1);
