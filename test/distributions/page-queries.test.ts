/** Every query about pages, devices and attempts at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import { initialPageSettings, mapPageSettings } from '../../src/distributions/distribution-page.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

const day = 24 * 60 * 60_000;

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
    it('are created once per name, publish another build later, and record both', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.dist', count: 2 });
      const [first, second] = builds.map(({ id }) => id) as [string, string];
      const page = { appId, name: 'main', releaseNote: 'one', buildId: first, now: 10 };
      const made = await data.distributions.putPageByName({ ...page, accessKey: newHexKey() });
      const again = { ...page, buildId: second, releaseNote: 'two', now: 20, accessKey: newHexKey() };
      const updated = await data.distributions.putPageByName(again);
      expect(updated).toEqual({ ...made, buildId: second, releaseNote: 'two', updatedAt: 20 });
      expect(await data.distributions.findPage(made.accessKey)).toEqual(updated);
      expect(await data.distributions.findPageById(made.id)).toEqual(updated);
      expect(await data.distributions.findPageWithApp(made.accessKey)).toEqual({
        page: updated,
        app: await data.apps.findAppById(appId),
      });
      expect(await data.distributions.findPageWithApp(again.accessKey)).toBeNull();
      expect(await data.distributions.findPage(again.accessKey)).toBeNull();
      expect(await data.distributions.findPageById('none')).toBeNull();
      const other = await data.distributions.putPageByName({
        ...page,
        name: 'MAIN',
        accessKey: newHexKey(),
        now: 30,
      });
      expect(other.id).not.toBe(made.id);
      expect((await data.appPages.listPages({ kind: 'manager' }, appId, 9)).map(({ name }) => name)).toEqual([
        'MAIN',
        'main',
      ]);
      expect((await data.appPages.listPages({ kind: 'manager' }, appId, 1)).map(({ name }) => name)).toEqual([
        'MAIN',
      ]);
      const back = await data.distributions.updatePage(made.id, {
        buildId: first,
        releaseNote: 'three',
        now: 40,
      });
      expect(back).toMatchObject({ buildId: first, updatedAt: 40, createdAt: 10 });
      expect(
        await data.distributions.updatePage('none', { buildId: first, releaseNote: '', now: 1 }),
      ).toBeNull();
      const notes = (await data.distributions.listUpdates(made.id, { limit: 9 })).map(
        ({ releaseNote, revision }) => [releaseNote, revision],
      );
      expect(notes).toEqual([
        ['three', 1],
        ['two', 2],
        ['one', 1],
      ]);
      expect(await data.distributions.listUpdates(made.id, { limit: 1 })).toHaveLength(1);
      const where = { name: 'main', accessKey: made.accessKey };
      expect(await data.appPages.pagesOfBuild({ kind: 'manager' }, second)).toEqual([
        expect.objectContaining({ ...where, since: 20, current: false }),
      ]);
      const ofFirst = await data.appPages.pagesOfBuild({ kind: 'manager' }, first);
      expect(ofFirst).toHaveLength(2);
      expect(ofFirst).toContainEqual(expect.objectContaining({ ...where, since: 10, current: true }));
    });

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

  it('count views and installs by build, day and system, without storing the visitor', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.counted', count: 2 });
    const [first = '', second = ''] = builds.map(({ id }) => id);
    const page = await data.distributions.putPageByName({
      appId,
      name: 'counted',
      accessKey: newHexKey(),
      buildId: first,
      releaseNote: '',
      now: 1,
    });
    expect(await data.distributions.findUpdate(page.id, 1)).toMatchObject({
      buildId: first,
      withdrawn: false,
    });
    expect(await data.distributions.findUpdate(page.id, 2)).toBeNull();
    expect(await data.distributions.findUpdateOfBuild(page.id, first)).toMatchObject({ buildId: first });
    expect(await data.distributions.findUpdateOfBuild(page.id, 'none')).toBeNull();
    const count = (buildId: string, day: string, kind: 'view' | 'install', visitor: string) =>
      data.transaction((tx) =>
        tx.pageCounts.count({ pageId: page.id, buildId, day, system: 'ios', kind, visitors: [visitor] }),
      );
    for (const visitor of ['a', 'b', 'a']) await count(first, '2026-11-20', 'view', visitor);
    await count(first, '2026-11-21', 'view', 'a');
    await count(first, '2026-11-21', 'install', 'a');
    await count(second, '2026-11-21', 'view', 'a');
    const line = { system: 'ios' };
    const today = [
      { ...line, day: '2026-11-21', kind: 'view', times: 2, people: 2, members: 0 },
      { ...line, day: '2026-11-21', kind: 'install', times: 1, people: 1, members: 0 },
    ];
    const counted = await data.pageCounts.countsByDay(appId, '2026-11-20');
    expect(counted[0]).toEqual({ ...line, day: '2026-11-20', kind: 'view', times: 3, people: 2, members: 0 });
    expect(counted.slice(1)).toHaveLength(2);
    expect(counted).toEqual(expect.arrayContaining(today));
    expect(await data.pageCounts.countsByDay(appId, '2026-11-22')).toEqual([]);
    expect(await data.pageCounts.installsByDay(appId, '2026-11-20')).toMatchObject([
      { day: '2026-11-21', revision: 1, installs: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-20', 9)).toMatchObject([
      { pageId: page.id, name: 'counted', views: 5, installs: 1, guests: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-22', 9)).toEqual([]);
    expect(await data.pageCounts.countsOfDay(appId, '2026-11-21')).toMatchObject([
      { page: 'counted', revision: 2, views: 1, installs: 0, members: 0, guests: 0 },
      { page: 'counted', revision: 1, views: 1, installs: 1, members: 0, guests: 1 },
    ]);
    const byBuild = await data.pageCounts.countsByBuild(appId, '2026-11-20', 9);
    expect(byBuild).toMatchObject([
      { revision: 2, views: 1, installs: 0 },
      { revision: 1, views: 4, installs: 1 },
    ]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-21', 1)).toMatchObject([{ revision: 2 }]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-22', 9)).toEqual([]);
    const salt = await data.pageCounts.saltOf('2026-11-20', 'one');
    expect([salt, await data.pageCounts.saltOf('2026-11-20', 'two')]).toEqual(['one', 'one']);
    await data.pageCounts.forgetVisitors('2026-11-21');
    expect(await data.pageCounts.saltOf('2026-11-20', 'three')).toBe('three');
    await count(first, '2026-11-20', 'view', 'b');
    await count(first, '2026-11-21', 'view', 'a');
    const after = await data.pageCounts.countsByDay(appId, '2026-11-20');
    expect(after[0]).toMatchObject({ day: '2026-11-20', times: 4, people: 3 });
    expect(after.find(({ day, kind }) => day === '2026-11-21' && kind === 'view')).toMatchObject({
      times: 3,
      people: 2,
    });
  });

  it('count opens and installs without a page, beside those of pages', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.direct' });
    const buildId = builds[0]?.id ?? '';
    const count = (day: string, kind: 'view' | 'install', system: string, isFirst: boolean) =>
      data.pageCounts.countDirect({ appId, buildId, day, platform: 'ios', kind, system, isFirst });
    await count('2026-11-20', 'view', 'iOS 26', true);
    await count('2026-11-21', 'install', 'iOS 26', true);
    await count('2026-11-21', 'install', 'iOS 26', false);
    await count('2026-11-21', 'install', 'iOS 18', true);
    const named = { appId, name: 'beside', accessKey: newHexKey(), buildId, releaseNote: '', now: 1 };
    const page = await data.distributions.putPageByName(named);
    const day = '2026-11-21';
    const visit = { pageId: page.id, buildId, day, system: 'ios', kind: 'install', visitors: ['v'] } as const;
    await data.transaction((tx) => tx.pageCounts.count(visit));
    const onDay = { day, system: 'ios', kind: 'install' };
    expect(await data.pageCounts.countsByDay(appId, day)).toEqual([
      { ...onDay, times: 4, people: 3, members: 2 },
    ]);
    expect(await data.pageCounts.countsOfDay(appId, day)).toMatchObject([
      { page: '', installs: 3, members: 2, guests: 0 },
      { page: 'beside', installs: 1, members: 0, guests: 1 },
    ]);
    expect(await data.pageCounts.countsByBuild(appId, '2026-11-20', 9)).toMatchObject([
      { views: 1, installs: 4 },
    ]);
    expect(await data.pageCounts.installsByDay(appId, '2026-11-20')).toMatchObject([{ day, installs: 4 }]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([
      { system: 'iOS 26', installs: 2 },
      { system: 'iOS 18', installs: 1 },
    ]);
    expect(await data.pageCounts.countsByPage(appId, '2026-11-20', 9)).toMatchObject([{ installs: 1 }]);
    await data.buildDeletion.hideBuilds([buildId], 'ada', 2);
    expect(await data.pageCounts.countsByDay(appId, '2026-11-20')).toEqual([]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([]);
  });

  it('count installs by system version', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.page.systems' });
    const buildId = builds[0]?.id ?? '';
    const named = { appId, name: 'systems', accessKey: newHexKey(), buildId, releaseNote: '', now: 1 };
    const page = await data.distributions.putPageByName(named);
    const count = (day: string, system: string) =>
      data.pageCounts.countSystem({ pageId: page.id, buildId, day, system });
    for (const system of ['iOS 26', 'iOS 26', 'iOS 18']) await count('2026-11-20', system);
    await count('2026-11-21', 'iOS 26');
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-20')).toEqual([
      { system: 'iOS 26', installs: 3 },
      { system: 'iOS 18', installs: 1 },
    ]);
    expect(await data.pageCounts.countsBySystem(appId, '2026-11-21')).toEqual([
      { system: 'iOS 26', installs: 1 },
    ]);
  });

  it('accept a ticket once, and allow no more installs than the page’s limit', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.limited' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'limited',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
    const { consumeTicket, takeInstall, deleteExpiredTickets } = data.pageCounts;
    expect([await consumeTicket(page.id, 't', 5), await consumeTicket(page.id, 't', 6)]).toEqual([
      true,
      false,
    ]);
    await deleteExpiredTickets(5);
    expect(await consumeTicket(page.id, 't', 7)).toBe(false);
    await deleteExpiredTickets(6);
    expect(await consumeTicket(page.id, 't', 8)).toBe(true);
    expect(await takeInstall(page.id)).toBe(true);
    await data.pageSettings.saveRules(page.id, { ...page, maxInstalls: 3, recount: false });
    const taken = await Promise.all(Array.from({ length: 6 }, () => takeInstall(page.id)));
    expect(taken.filter(Boolean)).toHaveLength(2);
    expect((await data.distributions.findPageById(page.id))?.installs).toBe(3);
    expect(await takeInstall('no page')).toBe(false);
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
      const page = await data.distributions.insertPage({
        appId,
        name: 'main',
        accessKey: newHexKey(),
        buildId: builds[0]?.id ?? '',
        releaseNote: 'one',
        now: 10,
      });
      return { appId, page, ids: builds.map(({ id }) => id) };
    };

    it('are created with their first history entry, once per name', async () => {
      const { appId, page, ids } = await makePage('com.settings.made');
      expect(await data.distributions.findPage(page.accessKey)).toEqual(page);
      expect(page).toMatchObject({
        active: true,
        access: 'unlisted',
        installs: 0,
        networks: [],
        createdAt: 10,
      });
      expect(await data.distributions.listUpdates(page.id, { limit: 9 })).toMatchObject([
        { buildId: ids[0], releaseNote: 'one', withdrawn: false, createdAt: 10 },
      ]);
      expect(await data.pageSettings.hasPageNamed(appId, 'main')).toBe(true);
      expect(await data.pageSettings.hasPageNamed(appId, 'MAIN')).toBe(false);
      const again = { appId, name: 'main', accessKey: newHexKey(), buildId: ids[1] ?? '' };
      const refused = data.distributions.insertPage({ ...again, releaseNote: '', now: 11 });
      await expect(refused).rejects.toThrow(/unique/i);
    });

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

    it('change the note of the live build only', async () => {
      const { page, ids } = await makePage('com.settings.note');
      const [first = '', second = ''] = ids;
      for (const [index, buildId] of [second, first].entries()) {
        await data.distributions.updatePage(page.id, { buildId, releaseNote: `${index}`, now: 20 + index });
      }
      await data.pageSettings.saveNote({ id: page.id, buildId: first }, 'changed');
      expect(await data.distributions.findPageById(page.id)).toMatchObject({
        releaseNote: 'changed',
        updatedAt: 21,
      });
      const notes = (await data.distributions.listUpdates(page.id, { limit: 9 })).map(
        ({ releaseNote }) => releaseNote,
      );
      expect(notes).toEqual(['changed', '0', 'one']);
    });

    it('list each build once, by its newest update, page by page', async () => {
      const { page, ids } = await makePage('com.settings.served', 4);
      for (const [index, at] of [1, 2, 3, 1, 0].entries()) {
        await data.distributions.updatePage(page.id, {
          buildId: ids[at] ?? '',
          releaseNote: '',
          now: 20 + index,
        });
      }
      const list = (limit: number, before?: string) =>
        data.pageSettings.listServedBuilds(page.id, { limit, before });
      const all = await list(9);
      expect(all.map(({ revision, createdAt }) => [revision, createdAt])).toEqual([
        [1, 24],
        [2, 23],
        [4, 22],
        [3, 21],
      ]);
      expect(await list(2)).toEqual(all.slice(0, 2));
      expect(await list(2, all[1]?.id)).toEqual(all.slice(2));
      expect(await data.pageSettings.listServedBuilds('none', { limit: 9 })).toEqual([]);
    });

    it('withdraw a build from one page, in every history entry, and offer it again', async () => {
      const { page, ids } = await makePage('com.settings.withdrawn');
      const [first = '', second = ''] = ids;
      await data.distributions.updatePage(page.id, { buildId: second, releaseNote: '', now: 20 });
      await data.distributions.updatePage(page.id, { buildId: first, releaseNote: '', now: 30 });
      const lines = async () =>
        (await data.distributions.listUpdates(page.id, { limit: 9 })).map(({ withdrawn }) => withdrawn);
      expect(await data.pageSettings.setWithdrawn(page.id, first, true)).toBe(true);
      expect(await data.pageSettings.setWithdrawn(page.id, first, true)).toBe(false);
      expect(await data.pageSettings.setWithdrawn('none', first, true)).toBe(false);
      expect(await lines()).toEqual([true, false, true]);
      expect(await data.pageSettings.setWithdrawn(page.id, first, false)).toBe(true);
      expect(await lines()).toEqual([false, false, false]);
    });

    it('can be moved to another address together with the history', async () => {
      const { page } = await makePage('com.settings.gone');
      const accessKey = newHexKey();
      await data.pageSettings.setAccessKey(page.id, accessKey);
      expect(await data.distributions.findPage(page.accessKey)).toBeNull();
      expect(await data.distributions.findPage(accessKey)).toEqual({ ...page, accessKey });
      expect(await data.pageSettings.deletePage(page.id)).toBe(true);
      expect(await data.pageSettings.deletePage(page.id)).toBe(false);
      expect(await data.distributions.findPage(accessKey)).toBeNull();
      expect(await data.distributions.listUpdates(page.id, { limit: 9 })).toEqual([]);
    });
  });

  it('stores a device once per owner and browser, up to a limit, with its latest name', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.devices' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'main',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
    const facts = { ownerId: ada.id, name: '', product: 'iPhone14,5', osVersion: '', pageId: page.id };
    const device = { ...facts, udid: 'u1', userId: null, browser: 'one', now: 10 };
    const first = await data.devices.putDevice(device, 2);
    const { now: _, browser: __, ...kept } = device;
    expect(first).toEqual({ ...kept, id: first?.id, createdAt: 10, updatedAt: 10 });
    const named = { ...device, name: 'phone', osVersion: '22B83', userId: ada.id, now: 20 };
    const updated = { ...first, name: 'phone', osVersion: '22B83', userId: ada.id, updatedAt: 20 };
    expect(await data.devices.putDevice(named, 2)).toEqual(updated);
    expect(await data.devices.putDevice({ ...named, name: 'x', userId: null }, 2)).toEqual(updated);
    const second = await data.devices.putDevice({ ...device, udid: 'u2', now: 30 }, 2);
    const owned = await data.devices.listOwnedDevices(ada.id, { limit: 9 });
    expect(owned.map(({ device: { udid } }) => udid)).toEqual(['u1', 'u2']);
    const [one] = owned;
    expect(
      (await data.devices.listOwnedDevices(ada.id, { after: one?.device, limit: 1 })).map(
        ({ device: { udid } }) => udid,
      ),
    ).toEqual(['u2']);
    expect(await data.devices.findOwnedDevice(ada.id, one?.device.id ?? '')).toEqual(one);
    const found = async (...words: string[]) =>
      (await data.devices.searchOwnedDevices(ada.id, words, 9)).map(({ device: { udid } }) => udid);
    expect([await found(), await found('U1', 'ada'), await found('u%'), await found('nobody')]).toEqual([
      ['u2', 'u1'],
      ['u1'],
      [],
      [],
    ]);
    const ofAda = await data.devices.devicesWithOwner(ada.id, ada.id, 9);
    expect(ofAda.map(({ udid }) => udid)).toEqual(['u1']);
    expect(await data.devices.devicesWithOwner('nobody', ada.id, 9)).toEqual([]);
    expect(await data.devices.findOwnedDevice('nobody', one?.device.id ?? '')).toBeNull();
    expect(await data.devices.putDevice({ ...device, udid: 'u3' }, 2)).toBeNull();
    expect(await data.devices.putDevice(named, 0)).toEqual(updated);
    const other = await addUser(data, 'device-owner');
    expect(await data.devices.putDevice({ ...device, ownerId: other.id }, 1)).not.toBeNull();
    expect(await data.devices.findDevice(first?.id ?? '')).toEqual(updated);
    expect(await data.devices.findDeviceOfBrowser('one', ada.id)).toEqual(second);
    expect(await data.devices.findDeviceOfBrowser('one', other.id)).toMatchObject({ ownerId: other.id });
    expect(await data.devices.findDeviceOfBrowser('two', ada.id)).toBeNull();
    // Another browser, or another user in the same one, never changes existing registrations, and is rejected when the list is full.
    const stranger = { ...named, browser: 'two', userId: other.id, name: 'stolen', now: 40 };
    expect(await data.devices.putDevice(stranger, 2)).toBeNull();
    expect(await data.devices.putDevice({ ...stranger, browser: 'one' }, 2)).toBeNull();
    expect(await data.devices.putDevice({ ...stranger, userId: null }, 2)).toBeNull();
    const second2 = await data.devices.putDevice(stranger, 3);
    expect(second2).toMatchObject({ name: 'stolen', userId: other.id });
    expect(await data.devices.findDevice(first?.id ?? '')).toEqual(updated);
    expect(await data.devices.listDevices(ada.id, 0, 9)).toMatchObject([
      { repeated: true },
      { repeated: false },
      { repeated: true },
    ]);
    await data.devices.deleteDevice(ada.id, second2?.id ?? '');
    expect(await data.devices.countDevices(ada.id)).toBe(2);
    expect(await data.devices.allDevices(ada.id, 9)).toEqual([updated, second]);
    expect(await data.devices.listDevices(ada.id, 0, 9)).toEqual([
      { device: second, userName: null, page: { name: 'main', accessKey: page.accessKey }, repeated: false },
      {
        device: updated,
        userName: 'Ada',
        page: { name: 'main', accessKey: page.accessKey },
        repeated: false,
      },
    ]);
    expect(await data.devices.listDevices(ada.id, 1, 1)).toMatchObject([{ device: updated }]);
    expect(await data.devices.renameDevice(other.id, first?.id ?? '', 'stolen')).toBeNull();
    expect(await data.devices.renameDevice(ada.id, first?.id ?? '', 'mine')).toEqual({
      ...updated,
      name: 'mine',
    });
    const holder = await addUser(data, 'device-holder');
    const held = { ...device, udid: 'u-held', userId: holder.id, browser: 'held' } as Parameters<
      typeof data.devices.putDevice
    >[0];
    for (const ownerId of [ada.id, other.id]) await data.devices.putDevice({ ...held, ownerId }, 99);
    const own = await data.devices.devicesOfUser(holder.id, 9);
    expect(own.map(({ owner }) => owner.name).toSorted()).toEqual(['Ada', other.name].toSorted());
    expect(await data.devices.devicesOfUser(holder.id, 1)).toHaveLength(1);
    expect(await data.devices.renameDevicesOfUser(other.id, 'u-held', 'Nobody')).toEqual([]);
    expect(await data.devices.renameDevicesOfUser(holder.id, 'u-held', 'Held')).toHaveLength(2);
    for (const one of own) {
      expect(await data.devices.deleteDeviceOfUser(ada.id, one.device.id)).toBeNull();
      expect(await data.devices.deleteDeviceOfUser(holder.id, one.device.id)).toMatchObject({ name: 'Held' });
    }
    expect(await data.devices.deleteDevice(other.id, first?.id ?? '')).toBeNull();
    expect(await data.devices.deleteDevice(ada.id, first?.id ?? '')).toMatchObject({ udid: 'u1' });
    expect(await data.devices.deleteDevice(ada.id, first?.id ?? '')).toBeNull();
  });

  it('stores one row for many concurrent registrations of one device', async () => {
    const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.devices.parallel' });
    const page = await data.distributions.putPageByName({
      appId,
      name: 'main',
      accessKey: newHexKey(),
      buildId: builds[0]?.id ?? '',
      releaseNote: '',
      now: 1,
    });
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

  it('accepts an idempotency key once a day', async () => {
    const { builds } = await addApp(data, ada.id, { packageName: 'com.idempotent', count: 2 });
    const result = { sha256: 'aa', buildId: builds[0]?.id ?? '', pageId: null };
    const later = { ...result, sha256: 'bb', buildId: builds[1]?.id ?? '' };
    const job = { credential: 'key:one', key: 'job-1' };
    expect(await data.idempotency.take(ada.id, job, result, 1000)).toBe(true);
    expect(await data.idempotency.take(ada.id, job, later, 1001)).toBe(false);
    expect(await data.idempotency.find(ada.id, job, 1000 + day - 1)).toEqual(result);
    expect(await data.idempotency.find(ada.id, job, 1000 + day)).toBeNull();
    expect(await data.idempotency.find('other owner', job, 1000)).toBeNull();
    expect(await data.idempotency.find(ada.id, { ...job, credential: 'key:two' }, 1000)).toBeNull();
    expect(await data.idempotency.take(ada.id, job, later, 1000 + day)).toBe(true);
    expect(await data.idempotency.find(ada.id, job, 1000 + day)).toEqual(later);
    await data.idempotency.deleteOld(1000 + 2 * day - 1);
    expect(await data.idempotency.find(ada.id, job, 1000 + day)).toEqual(later);
    await data.idempotency.deleteOld(1000 + 2 * day);
    expect(await data.idempotency.find(ada.id, job, 1000 + day)).toBeNull();
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

  it('are all covered by these tests', () => {
    // Tests of other subjects cover the last ones.
    test.expectCovered(
      [
        ...(['attempts', 'devices', 'pageCounts', 'pageSettings', 'idempotency'] as const),
        ...(['distributions', 'appPages', 'refusedVisits'] as const),
      ],
      [
        'distributions.findPageByName',
        'distributions.listPagesByName',
        'appPages.installsOf',
        'appPages.livePagesOf',
        'appPages.pagesServing',
        'appPages.tabCounts',
      ],
    );
  });
});
