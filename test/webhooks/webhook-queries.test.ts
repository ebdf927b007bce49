/** Every query about jobs, events and webhooks at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installation, lanes } from '../../src/jobs/outbox.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addUser } from '../support/sample-rows.ts';
import { testClaim } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about jobs, events and webhooks on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  it('stores jobs until they are finished', async () => {
    const { builds, mail } = lanes;
    await data.outbox.add({ kind: 'draw-icon', buildId: 'b1' }, 100);
    expect(await data.outbox.nextRunAt(builds)).toBe(100);
    const [claimed] = await data.outbox.claim(builds, 100, 5);
    expect(claimed).toMatchObject({ job: { kind: 'draw-icon', buildId: 'b1' }, attempts: 1 });
    await data.outbox.retryLater(claimed?.id ?? '', 500, 'no luck');
    expect(await data.outbox.nextRunAt(builds)).toBe(500);
    await data.outbox.claim(builds, 500, 5);
    await data.outbox.release(testClaim);
    expect(await data.outbox.claim(builds, 500, 5)).toMatchObject([{ attempts: 3 }]);
    await data.outbox.finish(claimed?.id ?? '');
    await data.outbox.add({ kind: 'draw-icon', buildId: 'b2' }, 100);
    const [other] = await data.outbox.claim(builds, 500, 5);
    expect(other).toMatchObject({ job: { buildId: 'b2' } });
    await data.outbox.remove(other?.id ?? '');
    expect(await data.outbox.nextRunAt(builds)).toBeNull();
    await data.outbox.addAll([{ kind: 'send-mail', mailId: 'm1', until: 9 }], 7);
    expect(await data.outbox.nextRunAt(builds)).toBeNull();
    expect(await data.outbox.nextRunAt(mail)).toBe(7);
    const round = { kind: 'retention-round', scope: { kind: 'everything' }, after: '' } as const;
    for (const runAt of [8, 9]) await data.outbox.addOnce('round', round, 1, runAt);
    expect(await data.outbox.claim(lanes.retention, 9, 5)).toEqual([
      { id: 'round', job: round, attempts: 1, ownerId: installation },
    ]);
  });

  it('lists the events of an owner in the order in which they were recorded', async () => {
    const owner = await addUser(data, 'busy');
    const event = {
      ownerId: owner.id,
      app: 'ios/one',
      type: 'build.edited',
      at: 90,
      data: '{"n":1}',
    } as const;
    const append = (id: string, now: number, changes = {}) =>
      data.recordedEvents.append({ ...event, id, ...changes }, now);
    expect([await append('e1', 100), await append('e1', 101)]).toEqual([true, false]);
    // Clocks of nodes differ.
    expect(await append('e2', 50, { app: null, type: 'key.created' })).toBe(true);
    expect(await append('e3', 400, { app: 'ios/two' })).toBe(true);
    const list = async (
      filter: { type?: 'build.edited'; app?: string } = {},
      page: { after?: number; since?: number; limit?: number } = {},
    ) =>
      (
        await data.recordedEvents.list(
          owner.id,
          { type: null, app: null, ...filter },
          { after: 0, since: 0, limit: 9, ...page },
        )
      ).map(({ id, position }) => [id, position]);
    expect(await list()).toEqual([
      ['e1', 100],
      ['e2', 101],
      ['e3', 400],
    ]);
    expect(await list({ type: 'build.edited' }, { after: 100 })).toEqual([['e3', 400]]);
    expect(await list({ app: 'ios/one' })).toEqual([['e1', 100]]);
    expect(await list({}, { limit: 1 })).toEqual([['e1', 100]]);
    expect(await list({}, { since: 91 })).toEqual([]);
    await data.recordedEvents.deleteOld(90);
    expect(await list()).toHaveLength(3);
    await data.recordedEvents.deleteOld(91);
    expect(await list()).toEqual([]);
  });

  it('keeps the newest events of an owner, and those of others', async () => {
    const [owner, other] = [await addUser(data, 'flooding'), await addUser(data, 'quiet')];
    const event = { app: null, type: 'key.created', at: 90, data: '{}' } as const;
    const count = async (ownerId: string) =>
      (await data.recordedEvents.list(ownerId, { type: null, app: null }, { after: 0, since: 0, limit: 999 }))
        .length;
    await data.recordedEvents.append({ ...event, id: 'q', ownerId: other.id }, 100, 10);
    for (let at = 1; at <= 200; at++)
      await data.recordedEvents.append({ ...event, id: `f${at}`, ownerId: owner.id }, 1000, 10);
    expect(await count(owner.id)).toBeGreaterThanOrEqual(10);
    expect(await count(owner.id)).toBeLessThan(60);
    expect(await count(other.id)).toBe(1);
  });

  it('stores webhooks, their events and the delivery status', async () => {
    const owner = await addUser(data, 'hooked');
    const { appId } = await addApp(data, owner.id);
    const place = { ownerId: owner.id, appId };
    const encrypted = { shownAddress: 'https://x', encryptedAddress: 'a', encryptedSecret: 's' };
    const webhook = {
      id: 'hook-1',
      ...place,
      name: 'n',
      kind: 'slack',
      oldSecretUntil: null,
      state: 'on',
      ...encrypted,
      subscribedEvents: ['build.uploaded'],
    } as const;
    await data.webhooks.insertWebhook(webhook, 5);
    await data.webhooks.insertWebhook({ ...webhook, id: 'hook-2', appId: null }, 6);
    expect(await data.webhooks.listWebhooks(place)).toEqual([{ ...webhook, createdAt: 5 }]);
    expect(await data.webhooks.countWebhooks({ ...place, appId: null })).toBe(1);
    expect([
      await data.webhooks.findWebhook(place, 'hook-2'),
      await data.webhooks.findWebhook(place, 'none'),
    ]).toEqual([null, null]);
    const subscribers = async (event: 'build.uploaded' | 'build.deleted') =>
      (await data.webhooks.listSubscribed({ ownerId: owner.id, appId }, event)).map(({ id }) => id);
    expect([await subscribers('build.uploaded'), await subscribers('build.deleted')]).toEqual([
      ['hook-1', 'hook-2'],
      [],
    ]);
    const event = { type: 'build.uploaded', buildId: 'b', pageId: null } as const;
    const eventId = await data.events.dispatch(owner.id, event, 41);
    const [job, ...more] = await data.outbox.claim(lanes.events, 50, 20);
    const edited = { type: 'build.edited', buildId: 'b' } as const;
    const together = await data.events.dispatchAll(owner.id, [edited, event], 42);
    expect(together.toSorted()).toEqual(together);
    for (const id of together) expect(await data.outbox.claim(lanes.events, 50, 1)).toMatchObject([{ id }]);
    for (const id of together) await data.outbox.finish(id);
    expect([job?.job, more]).toEqual([{ kind: 'dispatch-event', eventId, at: 41, event }, []]);
    expect(await data.events.isPending(appId, eventId)).toBe(true);
    await data.outbox.putOff(eventId, 60);
    expect(await data.outbox.claim(lanes.events, 60, 20)).toEqual([{ ...job, attempts: 1 }]);
    await data.outbox.finish(eventId);
    expect(await data.events.isPending(appId, eventId)).toBe(false);

    const nothing = { status: null, fault: null, durationMs: null, attemptLog: [] };
    const attempt = {
      ...({ at: 1, kind: 'json', headers: { a: 'b' }, status: 500, fault: null } as const),
      ...{ detail: null, durationMs: 12, answer: { headers: {}, body: 'no' } },
    };
    const draft = (id: string) => ({
      id,
      webhookId: 'hook-1',
      event: 'test' as const,
      facts: '{}',
      attempts: 0,
      dueAt: 7,
      ...nothing,
      state: 'waiting' as const,
    });
    expect(await data.webhooks.insertDeliveries([draft('d1')], 'news-1', 8)).toEqual(['d1']);
    expect(await data.webhooks.insertDeliveries([draft('d2')], 'news-1', 8)).toEqual([]);
    expect(await data.webhooks.insertDeliveries([draft('d3')], 'news-2', 9)).toEqual(['d3']);
    expect(await data.events.isPending(appId, 'news-1')).toBe(true);
    const found = await data.webhooks.findDelivery('d3');
    expect(found).toMatchObject({ delivery: draft('d3'), webhook: { id: 'hook-1' } });
    expect(await data.webhooks.findDelivery('d2')).toBeNull();
    expect(found && (await data.webhooks.countWaitingBefore(found.delivery, 9))).toBe(1);
    expect([await data.webhooks.beginTry('d1', 10), await data.webhooks.beginTry('d2', 10)]).toEqual([
      true,
      false,
    ]);
    const result = {
      state: 'dead',
      dueAt: 11,
      status: 500,
      fault: null,
      durationMs: 12,
      attemptLog: [attempt],
    } as const;
    await data.webhooks.settle('d1', result, 13);
    await data.webhooks.settle('d1', { ...result, status: 200 }, 14);
    expect(await data.events.isPending(appId, 'news-1')).toBe(false);
    const deliveries = await data.webhooks.listDeliveries('hook-1', 9);
    expect(deliveries.map(({ id }) => id)).toEqual(['d3', 'd1']);
    expect(deliveries[1]).toMatchObject({ ...result, attempts: 1, createdAt: 8, updatedAt: 13 });
    expect([await data.webhooks.beginTry('d1', 15), await data.webhooks.revive('hook-2', 'd1', 15)]).toEqual([
      false,
      false,
    ]);
    expect([
      await data.webhooks.revive('hook-1', 'd1', 15),
      await data.webhooks.revive('hook-1', 'd1', 15),
    ]).toEqual([true, false]);
    await data.webhooks.forgetDeliveries('hook-1');
    expect(await data.webhooks.listDeliveries('hook-1', 9)).toHaveLength(2);

    await data.webhooks.setState('hook-1', 'gone');
    expect(await subscribers('build.uploaded')).toEqual(['hook-2']);
    expect(await data.webhooks.saveWebhook({ ...webhook, name: 'another' })).toBe(true);
    expect(await data.webhooks.saveWebhook({ ...webhook, id: 'none' })).toBe(false);
    expect((await data.webhooks.listWebhooks(place))[0]).toMatchObject({ name: 'another', state: 'on' });
    expect([
      await data.webhooks.deleteWebhook('hook-1'),
      await data.webhooks.deleteWebhook('hook-1'),
    ]).toEqual([true, false]);
    expect(await data.webhooks.findDelivery('d1')).toBeNull();
    const leaving = async (page: { after: string; limit: number }) =>
      (await data.ownerDeletion.listSubscribedWebhooks(owner.id, page)).webhooks.map(({ id, app }) => [
        id,
        app?.packageName,
      ]);
    expect(await leaving({ after: '', limit: 9 })).toEqual([]);
    const subscribed = { ...webhook, subscribedEvents: ['build.uploaded', 'owner.deleted'] } as const;
    for (const id of ['hook-3', 'hook-4', 'hook-5'])
      await data.webhooks.insertWebhook({ ...subscribed, id }, 7);
    await data.webhooks.setState('hook-5', 'off');
    await data.webhooks.saveWebhook({ ...subscribed, id: 'hook-2', appId: null });
    const afterSecond = { after: 'hook-2', limit: 1 };
    expect(await data.ownerDeletion.listSubscribedWebhooks(owner.id, afterSecond)).toEqual({
      webhooks: [
        {
          id: 'hook-3',
          kind: 'slack',
          oldSecretUntil: null,
          sealedAddress: 'a',
          sealedSecret: 's',
          app: { platform: 'android', packageName: 'com.example.sample', name: 'Sample' },
        },
      ],
      next: 'hook-3',
    });
    const named = 'com.example.sample';
    expect(await leaving({ after: '', limit: 9 })).toEqual([
      ['hook-2', undefined],
      ['hook-3', named],
      ['hook-4', named],
    ]);
    await data.appDeletion.hideApp(appId, 98);
    expect((await leaving({ after: '', limit: 9 })).map(([, name]) => name)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await data.ownerDeletion.remove({ id: owner.id, kind: 'user', email: null }, 99);
    expect(await data.webhooks.listWebhooks({ ...place, appId: null })).toEqual([]);
  });

  it('are all covered by these tests', () => {
    test.expectCovered(
      ['outbox', 'webhooks', 'events', 'recordedEvents'],
      ['outbox.queueDue', 'outbox.nextDueAt', 'outbox.releaseExpired'],
    );
  });
});
