/** Queries about jobs, events and webhooks: races, order and differences between databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addUser } from '../support/sample-rows.ts';
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

  it('keep with events that wait what they are about', async () => {
    const { id: ownerId } = await addUser(data, 'dave');
    const page = { type: 'page.created', pageId: 'p1' } as const;
    const otherPage = { type: 'page.created', pageId: 'p2' } as const;
    const device = { type: 'device.registered', ownerId, deviceId: 'd1' } as const;
    const ids = await data.events.dispatchAll(ownerId, [page, otherPage, device], 10);
    const kept = { resource: { name: 'main' }, buildId: 'b1' };
    await data.events.keepSubject(ownerId, 'p1', kept);
    await data.events.keepSubject(ownerId, 'd1', { resource: { udid: 'u' } });
    const found = await Promise.all([...ids, 'unknown'].map((id) => data.events.findEvent(id)));
    expect(found).toEqual([
      { ...page, kept },
      otherPage,
      { ...device, kept: { resource: { udid: 'u' } } },
      null,
    ]);
    const earlier = () => Promise.all(ids.map((id) => data.events.hasEarlier(ownerId, id)));
    expect(await earlier()).toEqual([false, true, true]);
    await data.outbox.remove(ids[0] ?? '');
    expect(await earlier()).toEqual([false, false, true]);
  });

  it('deliver an event to a webhook once, and settle each delivery once', async () => {
    const owner = await addUser(data, 'hooked');
    const { webhooks } = data;
    for (const id of ['h1', 'h2'])
      await webhooks.insertWebhook(
        {
          ...{
            id,
            ownerId: owner.id,
            appId: null,
            name: 'n',
            kind: 'slack',
            oldSecretUntil: null,
            state: 'on',
          },
          ...{ shownAddress: 'https://x', encryptedAddress: 'a', encryptedSecret: 's', subscribedEvents: [] },
        },
        5,
      );
    const nothing = { status: null, fault: null, durationMs: null, attemptLog: [] };
    const draft = (id: string) => ({
      ...{ id, webhookId: 'h1', event: 'test' as const, facts: '{}', attempts: 0, dueAt: 7, ...nothing },
      state: 'waiting' as const,
    });
    expect(await webhooks.insertDeliveries([draft('d1')], 'news', 8)).toEqual(['d1']);
    expect(await webhooks.insertDeliveries([draft('d2')], 'news', 8)).toEqual([]);
    expect([await webhooks.beginTry('d1', 10), await webhooks.beginTry('d2', 10)]).toEqual([true, false]);
    const dead = { ...nothing, state: 'dead', dueAt: 11, status: 500 } as const;
    await webhooks.settle('d1', dead, 13);
    await webhooks.settle('d1', { ...dead, status: 200 }, 14);
    expect(await webhooks.listDeliveries('h1', 9)).toMatchObject([
      { status: 500, attempts: 1, updatedAt: 13 },
    ]);
    expect(await webhooks.beginTry('d1', 15)).toBe(false);
    const revived = [];
    for (const webhook of ['h2', 'h1', 'h1']) revived.push(await webhooks.revive(webhook, 'd1', 15));
    expect(revived).toEqual([false, true, false]);
    expect([await webhooks.deleteWebhook('h1'), await webhooks.deleteWebhook('h1')]).toEqual([true, false]);
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
