/** Queries about pages, devices and attempts: races, order and differences between databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import { initialPageSettings, mapPageSettings } from '../../src/distributions/distribution-page.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addPage, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about pages, devices and attempts on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  describe('distribution pages', () => {
    it('are created once when many requests use a name at once', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist.parallel' });
      const second = await test.openSecond();
      const page = { appId, name: 'nightly', releaseNote: '', buildId: builds[0]?.id ?? '', now: 1 };
      const pages = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          (index % 2 ? data : second.data).transaction((tx) =>
            tx.distributions.putPageByName({ ...page, accessKey: newHexKey() }),
          ),
        ),
      );
      expect(new Set(pages.map(({ accessKey }) => accessKey)).size).toBe(1);
      expect(await data.distributions.listUpdates(pages[0]?.id ?? '', { limit: 99 })).toHaveLength(16);
    });
  });

  it('count attempts within a window', async () => {
    const counts = async (subjects: string[], now: number) => {
      const rows = await data.attempts.countAttempts(subjects, now, 100);
      return subjects.map((subject) => rows.find((row) => row.subject === subject)?.count);
    };
    const count = async (now: number) => (await counts(['subject'], now))[0];
    expect([await count(1), await count(50), await count(100)]).toEqual([1, 2, 3]);
    expect([await count(101), await count(102)]).toEqual([1, 2]);
    await data.attempts.resetAttempts('subject');
    expect(await count(103)).toBe(1);
    await data.attempts.refundAttempts('subject', 1);
    expect(await count(103)).toBe(1);
    await data.attempts.deleteOldAttempts(103);
    expect(await count(104)).toBe(2);
    await data.attempts.deleteOldAttempts(104);
    expect(await count(105)).toBe(1);
    const inOrder = (at: (number | undefined)[]) => at.sort((one, other) => Number(one) - Number(other));
    const eight = (subjects: string[]) =>
      Promise.all(Array.from({ length: 8 }, () => counts(subjects, 1))).then((at) => at.flat());
    expect(inOrder(await eight(['many']))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const both = await Promise.all([eight(['many', 'more']), eight(['more', 'many'])]);
    expect(inOrder(both.flat()).at(-1)).toBe(24);
    expect(await data.attempts.countAttempts(['more', 'new'], 50, 100)).toEqual(
      expect.arrayContaining([
        { subject: 'more', count: 17, since: 1 },
        { subject: 'new', count: 1, since: 50 },
      ]),
    );
    expect(await data.attempts.findAttempts('more')).toMatchObject({ count: 17, since: 1 });
    expect(await data.attempts.findAttempts('none')).toBeNull();
    // A clock that was a day ahead and is set back starts a new window.
    expect(await counts(['ahead'], 1_000_000)).toEqual([1]);
    expect(await counts(['ahead'], 999_950)).toEqual([2]);
    expect(await counts(['ahead'], 60)).toEqual([1]);
  });

  describe('page settings', () => {
    const makePage = async (packageName: string, count = 2) => {
      const { appId, builds } = await addApp(data, ada.id, { packageName, count });
      const page = await addPage(data, appId, builds[0]?.id ?? '', { releaseNote: 'one', now: 10 });
      return { appId, page, ids: builds.map(({ id }) => id) };
    };

    it('store every rule, and reset the counter only on request', async () => {
      const { appId, page } = await makePage('com.settings.rules');
      const flipped = mapPageSettings((name) => {
        const value = initialPageSettings[name];
        return typeof value === 'boolean' ? !value : value;
      });
      const rules = {
        ...flipped,
        name: 'Größer',
        access: 'passcode' as const,
        passcodeHash: '$argon2id$x',
        expiresAt: 5_000_000_000_000,
        maxInstalls: 7,
        networks: ['10.0.0.0/8', '::1'],
        mandatoryFrom: 3,
      };
      await data.pageSettings.saveRules(page.id, { ...rules, recount: false });
      expect(await data.pageSettings.lockPage(page.id)).toEqual({ ...page, ...rules });
      const counted = test.database.queries.updateTable('distribution_pages').set({ installs: 5 });
      await counted.where('id', '=', page.id).execute();
      await data.pageSettings.saveRules(page.id, { ...rules, recount: false });
      expect((await data.distributions.findPageById(page.id))?.installs).toBe(5);
      await data.pageSettings.saveRules(page.id, { ...rules, recount: true });
      expect((await data.distributions.findPageById(page.id))?.installs).toBe(0);
      expect(await data.pageSettings.lockPage('none')).toBeNull();
      expect((await data.pageSettings.lockBuild(appId, 2))?.message).toBe('message 2');
      expect(await data.pageSettings.lockBuild(appId, 3)).toBeNull();
      expect(await data.pageSettings.lockBuild('none', 1)).toBeNull();
    });
  });

  it('stores one row for many concurrent registrations of one device', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.devices.parallel' });
    const page = await addPage(data, appId, builds[0]?.id ?? '');
    const second = await test.openSecond();
    const same = { ownerId: ada.id, udid: 'same', browser: 'one', userId: null };
    const device = { ...same, name: 'n', product: 'p', osVersion: '' };
    const put = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? data : second.data).devices.putDevice({ ...device, pageId: page.id, now: index }, 1000),
      ),
    );
    expect(new Set(put.map((one) => one?.id)).size).toBe(1);
  });

  it('keeps the last refusal of a person who sees the app, and of a device', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.refused' });
    const buildId = builds[0]?.id ?? '';
    const made = { appId, name: 'main', accessKey: newHexKey(), buildId, releaseNote: '', now: 1 };
    const { id: pageId } = await data.distributions.putPageByName(made);
    const friend = await addUser(data, 'refused-friend');
    const stranger = await addUser(data, 'refused-stranger');
    await data.appTesters.add({ appId, userId: friend.id, limit: 9, now: 1 });
    const phone = { ownerId: ada.id, udid: 'refused', name: 'phone', product: 'iPhone14,5', osVersion: '' };
    const device = await data.devices.putDevice(
      { ...phone, userId: null, browser: 'refused', pageId, now: 1 },
      99,
    );
    const deviceId = device?.id ?? '';
    const record = (userId: string | null, ofDevice: string | null, reason: string, at: number) =>
      data.refusedVisits.record({ userId, deviceId: ofDevice }, { pageId, reason, system: 'iOS 18', at });
    await record(friend.id, deviceId, 'closed', 10);
    await record(friend.id, null, 'expired', 20);
    await record(stranger.id, null, 'closed', 21);
    await record(ada.id, null, 'closed', 22);
    await record(null, deviceId, 'passcode', 30);
    await record('gone', null, 'closed', 40);
    await record(null, 'gone', 'closed', 40);
    const list = await data.refusedVisits.listRefused(pageId, 9);
    expect(list.map(({ userName, device: shown, refusal }) => [userName, shown?.id, refusal.reason])).toEqual(
      [
        [null, deviceId, 'passcode'],
        ['Ada', undefined, 'closed'],
        ['refused-friend', undefined, 'expired'],
      ],
    );
    expect(await data.refusedVisits.listRefused(pageId, 1)).toHaveLength(1);
    const last = (userId: string | null, ofDevice: string | null) =>
      data.refusedVisits.findLast(pageId, { userId, deviceId: ofDevice });
    expect(await last(friend.id, deviceId)).toEqual({ reason: 'passcode', system: 'iOS 18', at: 30 });
    expect(await last(friend.id, null)).toMatchObject({ reason: 'expired' });
    expect([await last(null, null), await last('gone', null)]).toEqual([null, null]);
    await data.refusedVisits.deleteBefore(30);
    expect(await data.refusedVisits.listRefused(pageId, 9)).toHaveLength(1);
  });

  it('change a page only if there is something to change', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.changed', count: 2 });
    const [first = '', second = ''] = builds.map(({ id }) => id);
    const made = { appId, name: 'main', releaseNote: 'one', buildId: first, now: 10 };
    const page = await data.distributions.putPageByName({ ...made, accessKey: newHexKey() });
    for (const [at, buildId] of [second, first].entries())
      await data.distributions.updatePage(page.id, { buildId, releaseNote: `${at}`, now: 20 + at });
    const { pageSettings, pageCounts } = data;
    await pageSettings.saveNote({ id: page.id, buildId: first }, 'changed');
    await pageSettings.saveNote({ id: page.id, buildId: second }, 'earlier');
    const history = async () =>
      (await data.distributions.listUpdates(page.id, { limit: 9 })).map((one) => [
        one.releaseNote,
        one.withdrawn,
      ]);
    expect(await history()).toEqual([
      ['changed', false],
      ['earlier', false],
      ['one', false],
    ]);
    const withdraw = (pageId: string) => pageSettings.setWithdrawn(pageId, first, true);
    expect([await withdraw('none'), await withdraw(page.id), await withdraw(page.id)]).toEqual([
      false,
      true,
      false,
    ]);
    expect((await history()).map(([, withdrawn]) => withdrawn)).toEqual([true, false, true]);
    const taken = [];
    for (const now of [5, 6]) taken.push(await pageCounts.consumeTicket(page.id, 't', now));
    await pageCounts.deleteExpiredTickets(5);
    taken.push(await pageCounts.consumeTicket(page.id, 't', 7));
    await pageCounts.deleteExpiredTickets(6);
    expect([...taken, await pageCounts.consumeTicket(page.id, 't', 8)]).toEqual([true, false, false, true]);
    expect(await pageCounts.takeInstall('none')).toBe(false);
    expect([await pageSettings.deletePage(page.id), await pageSettings.deletePage(page.id)]).toEqual([
      true,
      false,
    ]);
  });

  it('change devices only for their owner, and registrations only for their browser', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.owned' });
    const made = { appId, name: 'main', releaseNote: '', buildId: builds[0]?.id ?? '', now: 10 };
    const page = await data.distributions.putPageByName({ ...made, accessKey: newHexKey() });
    const { devices } = data;
    const [owner, other] = [await addUser(data, 'device-owner'), await addUser(data, 'device-other')];
    const facts = { udid: 'u1', product: 'iPhone14,5', osVersion: '', pageId: page.id };
    const device = { ...facts, ownerId: owner.id, name: 'phone', userId: owner.id, browser: 'one', now: 10 };
    const put = (changes: object, limit = 1) => devices.putDevice({ ...device, ...changes }, limit);
    const first = await put({});
    expect(await put({ osVersion: '22B83', now: 20 }, 0)).toMatchObject({
      id: first?.id,
      osVersion: '22B83',
    });
    const stranger = { browser: 'two', userId: other.id };
    for (const changes of [stranger, { userId: other.id }, { udid: 'u2' }])
      expect(await put(changes)).toBeNull();
    expect(await put({ ownerId: other.id })).not.toBeNull();
    expect(await put({ ...stranger, name: 'stolen' }, 2)).toMatchObject({ name: 'stolen' });
    const id = first?.id ?? '';
    expect(await devices.findDevice(id)).toMatchObject({ name: 'phone' });
    expect(await devices.findOwnedDevice('nobody', id)).toBeNull();
    expect(await devices.renameDevice(other.id, id, 'stolen')).toBeNull();
    expect(await devices.renameDevicesOfUser(ada.id, 'u1', 'stolen')).toEqual([]);
    expect(await devices.deleteDeviceOfUser(other.id, id)).toBeNull();
    expect(await devices.deleteDevice(other.id, id)).toBeNull();
    expect([await devices.deleteDevice(owner.id, id), await devices.deleteDevice(owner.id, id)]).toEqual([
      expect.objectContaining({ udid: 'u1' }),
      null,
    ]);
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
