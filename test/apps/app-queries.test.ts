/** Every query about apps at least once, on both dialects. The last test requires this. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapBuildFields } from '../../src/apps/build-fields.ts';
import { maxSearchedMessageLength, maxSearchedRevisions } from '../../src/apps/builds/build-labels.ts';
import { newHexKey } from '../../src/core/identifier.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addUser, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about apps on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  let ada: User;
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
    ada = await addUser(data, 'Ada');
  });
  afterAll(() => test.close());

  describe('apps', () => {
    it('assign revisions 1, 2, 3 … and never reuse one that was rolled back or deleted', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.revisions', count: 2 });
      const take = {
        ownerId: ada.id,
        platform: 'android',
        packageName: 'com.revisions',
        secret: 'x',
        now: 9,
      } as const;
      const undone = data.transaction(async (tx) => {
        expect((await tx.apps.takeNextRevision(take)).lastRevision).toBe(3);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await data.apps.takeNextRevision(take)).toMatchObject({
        id: appId,
        lastRevision: 3,
        lastUploadAt: 9,
      });
      const app = await data.apps.findApp(ada.id, 'android', 'com.revisions');
      expect(app).toMatchObject({
        id: appId,
        lastRevision: 3,
        createdAt: 1,
        latestName: 'Sample',
        owner: { name: 'Ada', kind: 'user' },
      });
      expect(app?.secret).toMatch(/^[0-9a-f]{40}$/);
      expect(await data.apps.findAppById(appId)).toEqual(app);
      expect(await data.apps.findApp(ada.id, 'ios', 'com.revisions')).toBeNull();
      expect(await data.apps.findApp(ada.id, 'android', 'COM.revisions')).toBeNull();
      expect(await data.apps.findAppById('none')).toBeNull();
    });

    it('assign revisions without gaps or duplicates to concurrent uploads', async () => {
      const take = {
        ownerId: ada.id,
        platform: 'ios',
        packageName: 'com.parallel',
        secret: 'x',
        now: 1,
      } as const;
      const second = await test.openSecond();
      const takers = Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? data : second.data).transaction(async (tx) => {
          const { id, lastRevision } = await tx.apps.takeNextRevision(take);
          if (lastRevision % 7 === 0 && index % 5 === 0) throw new Error('rolled back');
          await tx.builds.insertBuild(sampleBuild(id, lastRevision));
          return lastRevision;
        }),
      );
      const taken = (await Promise.allSettled(takers)).flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      );
      expect(taken.length).toBeGreaterThan(30);
      expect(taken.sort((one, other) => one - other)).toEqual(taken.map((_, index) => index + 1));
    });

    it('keep the apps of each platform separate under one package name', async () => {
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'ios' });
      await addApp(data, ada.id, { packageName: 'com.both', platform: 'android' });
      const both = await data.apps.findAppsByPackageName(ada.id, 'com.both');
      expect(both.map(({ platform }) => platform)).toEqual(['android', 'ios']);
    });

    it('list apps by name and platform, and go on after any of them', async () => {
      const lister = await addUser(data, 'lister');
      for (const packageName of ['com.list.b', 'com.list.a']) {
        await addApp(data, lister.id, { packageName, platform: 'ios' });
        await addApp(data, lister.id, { packageName, platform: 'android' });
      }
      const namesAfter = async (after?: { packageName: string; platform: 'android' | 'ios' }) =>
        (await data.apps.listAppsByName(lister.id, { after, limit: 99 }))
          .filter(({ packageName }) => packageName.startsWith('com.list.'))
          .map(({ packageName, platform }) => `${packageName} ${platform}`);
      const all = ['com.list.a android', 'com.list.a ios', 'com.list.b android', 'com.list.b ios'];
      expect(await namesAfter()).toEqual(all);
      expect(await namesAfter({ packageName: 'com.list.a', platform: 'ios' })).toEqual(all.slice(2));
      expect(await data.apps.listAppsByName(lister.id, { limit: 1 })).toHaveLength(1);
    });

    it('list pages by name, and find one by its name', async () => {
      const { appId, builds } = await addApp(data, ada.id, { packageName: 'com.pages.by.name' });
      const [build] = builds;
      for (const name of ['b', 'a', 'c'])
        await data.distributions.putPageByName({
          appId,
          name,
          accessKey: `by-name-${name}`,
          buildId: build?.id ?? '',
          releaseNote: '',
          now: 1,
        });
      const namesOf = (pages: { name: string }[]) => pages.map(({ name }) => name);
      expect(namesOf(await data.distributions.listPagesByName(appId, { limit: 9 }))).toEqual(['a', 'b', 'c']);
      expect(namesOf(await data.distributions.listPagesByName(appId, { after: 'a', limit: 1 }))).toEqual([
        'b',
      ]);
      expect((await data.distributions.findPageByName(appId, 'c'))?.accessKey).toBe('by-name-c');
      expect(await data.distributions.findPageByName(appId, 'd')).toBeNull();
    });

    it('return every field of a build as it was stored', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.whole', count: 0 + 1 });
      const build = sampleBuild(appId, 2, {
        icon: { state: 'none' },
        simulatorBlob: 'simulators/whole',
        simulatorBytes: 3_000_000_000,
        verification: { verified: false, verifiedFromSdk: null, problems: ['cut'] },
        simulatorSha256: 'b'.repeat(64),
        apk: { state: 'ready', blob: 'apks/whole', sizeBytes: 4, sha256: 'c'.repeat(64) },
        damage: { 'packages/whole': 'missing' },
        ...mapBuildFields((field) => `the ${field}`),
        protected: true,
        uploadWarnings: ['message was cut.'],
        message: 'Grüße 📦 \\ \' " \n',
      });
      // A field that is null proves nothing.
      expect(Object.entries(build).filter(([, value]) => value === null)).toEqual([]);
      await data.builds.insertBuild(build);
      expect(await data.builds.findBuild(build.id)).toEqual(build);
      expect(await data.builds.findBuildByRevision(appId, 2)).toEqual(build);
      expect(await data.builds.findBuild('none')).toBeNull();
      expect(await data.builds.findBuildByRevision(appId, 3)).toBeNull();
      const same = sampleBuild(appId, 2);
      await expect(data.builds.insertBuild(same)).rejects.toThrow(/unique/i);
    });

    it('page through builds in both directions', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.pages', count: 7 });
      const revisions = async (page: Parameters<typeof data.builds.listBuilds>[1]) =>
        (await data.builds.listBuilds(appId, page)).map(({ revision }) => revision);
      expect(await revisions({ limit: 3 })).toEqual([7, 6, 5]);
      expect(await revisions({ below: 5, limit: 3 })).toEqual([4, 3, 2]);
      expect(await revisions({ above: 4, limit: 2 })).toEqual([6, 5]);
      expect(await revisions({ below: 1, limit: 3 })).toEqual([]);
    });

    it('filter builds, and list the values that occur', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.filters' });
      const signed = (sha256: string) => {
        const { info } = sampleBuild(appId, 1);
        const certificate = {
          sha1: '',
          sha256,
          subject: 'CN=Sample',
          issuer: 'CN=Sample',
          validFrom: '',
          validUntil: '',
          key: 'EC 256',
        };
        return { ...info, signing: { ...info.signing, certificates: [certificate] } };
      };
      const add = async (revision: number, change: Parameters<typeof sampleBuild>[2]) => {
        const build = sampleBuild(appId, revision, change);
        await data.builds.insertBuild(build);
        return build.id;
      };
      await add(2, { branch: 'main', label: 'rc', uploadedBy: 'jo', info: signed('aa') });
      const third = await add(3, { branch: 'main', uploadedBy: 'jo', info: signed('bb') });
      await add(4, { branch: 'next', label: 'rc', info: signed('bb') });
      const page = await data.distributions.putPageByName({
        appId,
        name: 'QA',
        accessKey: newHexKey(),
        buildId: third,
        releaseNote: '',
        now: 1,
      });
      const found = async (filters: Parameters<typeof data.buildFilters.countFiltered>[1]) => {
        const builds = await data.builds.listBuilds(appId, { limit: 9, filters });
        expect(await data.buildFilters.countFiltered(appId, filters)).toEqual({
          builds: builds.length,
          bytes: builds.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        });
        return builds.map(({ revision }) => revision);
      };
      expect(await found({ branch: 'main' })).toEqual([3, 2]);
      expect(await found({ label: 'rc', branch: 'main' })).toEqual([2]);
      expect(await found({ uploader: 'jo' })).toEqual([3, 2]);
      expect(await found({ signer: 'bb' })).toEqual([4, 3]);
      expect(await found({ page: page.id })).toEqual([3]);
      expect(await found({ page: 'none' })).toEqual([]);
      const { builds } = await data.builds.searchBuilds(appId, {
        below: 9,
        limit: 9,
        text: 'rc',
        filters: { branch: 'next' },
      });
      expect(builds.map(({ revision }) => revision)).toEqual([4]);
      expect(await data.buildFilters.filterValues(appId)).toMatchObject({
        branch: ['next', 'main'],
        label: ['rc'],
        signer: expect.arrayContaining([
          { value: 'bb', newest: 4 },
          { value: 'aa', newest: 2 },
        ]),
      });
      expect(await data.builds.changeLabel(third, 'beta')).toBe(true);
      expect(await data.builds.changeLabel('none', 'beta')).toBe(false);
      expect(await found({ label: 'beta' })).toEqual([3]);
      const relabeled = await data.builds.searchBuilds(appId, { below: 9, limit: 9, text: 'beta' });
      expect(relabeled.builds.map(({ revision }) => revision)).toEqual([3]);
      const listed = await data.builds.listByRevisions(appId, [2, 4, 99]);
      expect(listed.map(({ revision }) => revision)).toEqual([4, 2]);
      expect(await data.builds.listByRevisions(appId, [])).toEqual([]);
      expect(await data.appPages.tabCounts({ id: appId, owner: { id: ada.id, kind: 'user' } })).toEqual({
        builds: 4,
        pages: 1,
        feedback: 0,
        testers: 0,
        webhooks: 0,
      });
      await data.pageCounts.count({
        pageId: page.id,
        buildId: third,
        day: '2026-11-21',
        visitors: ['v'],
        system: 'android',
        kind: 'install',
      });
      expect(await data.appPages.installsOf([third, 'none'])).toEqual(new Map([[third, 1]]));
      expect(await data.appPages.installsOf([])).toEqual(new Map());
      const live = expect.objectContaining({ name: 'QA', accessKey: page.accessKey });
      const two = { limit: 2, now: 1 };
      expect(await data.appPages.livePagesOf({ kind: 'manager' }, [appId, 'none'], two)).toEqual(
        new Map([[appId, [live]]]),
      );
      expect(await data.appPages.livePagesOf({ kind: 'manager' }, [appId], { ...two, limit: 0 })).toEqual(
        new Map(),
      );
      expect(await data.appPages.livePagesOf({ kind: 'manager' }, [], two)).toEqual(new Map());
    });

    it('search builds ignoring case, and take % and _ literally', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.search' });
      const texts = { branch: 'Feature/Login', commit: 'DEADBEEF', label: '100%', message: 'a_b' };
      await data.builds.insertBuild(sampleBuild(appId, 2, texts));
      await data.builds.insertBuild(sampleBuild(appId, 3, { message: 'axb 100 percent \\' }));
      const revisions = async (query: string) =>
        (await data.builds.searchBuilds(appId, { below: 9, limit: 9, text: query })).builds.map(
          ({ revision }) => revision,
        );
      expect(await revisions('feature/log')).toEqual([2]);
      expect(await revisions('deadBEEF')).toEqual([2]);
      expect(await revisions('100%')).toEqual([2]);
      expect(await revisions('A_B')).toEqual([2]);
      expect(await revisions('\\')).toEqual([3]);
      expect(await revisions('1.2')).toEqual([3, 2, 1]);
      expect(await data.builds.servedBuilds([])).toEqual(new Map());
      const two = await data.builds.findBuildByRevision(appId, 2);
      expect(await data.builds.servedBuilds([two?.id ?? '', 'none'])).toEqual(
        new Map([[two?.id, { revision: 2, isServable: true }]]),
      );
    });

    it('search builds in steps, and find the current text of a message', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.stretch' });
      const far = maxSearchedRevisions + 5;
      const message = `ÜBERGABE ${'x'.repeat(maxSearchedMessageLength)} tail`;
      await data.builds.insertBuild(sampleBuild(appId, 4, { message }));
      await data.builds.insertBuild(sampleBuild(appId, far, { message }));
      const search = async (page: { below: number } | { above: number }, text = 'übergabe') => {
        const { builds, next } = await data.builds.searchBuilds(appId, { ...page, limit: 9, text });
        return [builds.map(({ revision }) => revision), next];
      };
      expect(await search({ below: far + 1 })).toEqual([[far], 6]);
      expect(await search({ below: 6 })).toEqual([[4], 6 - maxSearchedRevisions]);
      expect(await search({ above: 4 })).toEqual([[], far - 1]);
      expect(await search({ above: 5 })).toEqual([[far], far]);
      expect(await search({ above: 3 })).toEqual([[4], far - 2]);
      expect(await search({ below: 6 }, 'tail')).toEqual([[], 6 - maxSearchedRevisions]);
      const four = await data.builds.findBuildByRevision(appId, 4);
      await data.builds.changeMessage(four?.id ?? '', message, 'Fixed');
      expect(await search({ below: 6 }, 'FIXED')).toEqual([[4], 6 - maxSearchedRevisions]);
      expect(await search({ below: 6 })).toEqual([[], 6 - maxSearchedRevisions]);
    });

    it('list apps by their last upload, each with its newest build', async () => {
      const carl = await addUser(data, 'carl');
      const dora = await addUser(data, 'dora');
      await addApp(data, carl.id, { packageName: 'old', now: 10, count: 3 });
      await addApp(data, dora.id, { packageName: 'new', now: 30 });
      await addApp(data, carl.id, { packageName: 'middle', now: 20 });
      const ownerIds = [carl.id, dora.id];
      const searched = await data.search.searchedApps({ ownerIds, testerId: ada.id }, 2);
      const searchedNames = await Promise.all(
        searched.map(async ({ id }) => (await data.apps.findAppById(id))?.packageName),
      );
      expect(searchedNames).toEqual(['new', 'middle']);
      const list = (page: Parameters<typeof data.apps.listApps>[1], words: string[] = []) =>
        data.apps.listApps({ ownerIds, words }, page);
      const names = async (...asked: Parameters<typeof list>) =>
        (await list(...asked)).map(({ app, latest }) => [app.packageName, latest?.revision]);
      const [newest, middle, old] = await list({ limit: 9 });
      expect(await names({ limit: 9 })).toEqual([
        ['new', 1],
        ['middle', 1],
        ['old', 3],
      ]);
      expect(await names({ limit: 1, below: newest?.app })).toEqual([['middle', 1]]);
      expect(await names({ limit: 9, below: old?.app })).toEqual([]);
      expect(await names({ limit: 1, above: old?.app })).toEqual([['middle', 1]]);
      expect(await names({ limit: 9, above: old?.app })).toEqual([
        ['new', 1],
        ['middle', 1],
      ]);
      expect(await names({ limit: 9, above: middle?.app }, ['NEW'])).toEqual([['new', 1]]);
      expect(await names({ limit: 9 }, ['sample', 'carl'])).toEqual([
        ['middle', 1],
        ['old', 3],
      ]);
      expect(await data.apps.listApps({ ownerIds: [] }, { limit: 9 })).toEqual([]);
    });

    it('page through apps with the same timestamp without losing or repeating one', async () => {
      const erin = await addUser(data, 'erin');
      for (const packageName of ['a', 'b', 'c', 'd', 'e'])
        await addApp(data, erin.id, { packageName, now: 7 });
      const scope = { ownerIds: [erin.id], testerId: erin.id };
      const all = await data.apps.listApps(scope, { limit: 9 });
      expect(all).toHaveLength(5);
      const two = await data.apps.listApps(scope, { limit: 2 });
      const next = await data.apps.listApps(scope, { limit: 9, below: two[1]?.app });
      expect([...two, ...next]).toEqual(all);
      expect(await data.apps.listApps(scope, { limit: 2, above: next[0]?.app })).toEqual(two);
    });

    it('find an app by the name of its newest build, even when its builds are deleted', async () => {
      const fred = await addUser(data, 'fred');
      const { appId, builds } = await addApp(data, fred.id, { packageName: 'com.named' });
      const finds = async (word: string) =>
        (await data.apps.listApps({ ownerIds: [fred.id], words: [word] }, { limit: 9 })).length === 1;
      const renamed = sampleBuild(appId, 2, { info: sampleInfo({ name: 'Harbour' }) });
      await data.builds.insertBuild(renamed);
      expect([await finds('harb'), await finds('sampl')]).toEqual([true, false]);
      await data.buildDeletion.hideBuilds([renamed.id], 'Ada', 5);
      expect([await finds('harb'), await finds('sampl')]).toEqual([false, true]);
      await data.buildDeletion.showBuilds([renamed.id]);
      expect([await finds('harb'), await finds('sampl')]).toEqual([true, false]);
      await data.buildDeletion.hideBuilds([renamed.id, builds[0]?.id ?? ''], 'Ada', 6);
      expect([await finds('harb'), await finds('sampl'), await finds('named')]).toEqual([false, false, true]);
    });

    it('set an icon once', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.icons' });
      const id = builds[0]?.id ?? '';
      expect(await data.builds.settleIcon(id, { state: 'drawn', blob: 'icons/first' })).toBe(true);
      expect(await data.builds.settleIcon(id, { state: 'none' })).toBe(false);
      expect((await data.builds.findBuild(id))?.icon).toEqual({ state: 'drawn', blob: 'icons/first' });
      expect(await data.builds.settleIcon('gone', { state: 'none' })).toBe(false);
    });

    it('settle the APK of an app bundle once', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.bundles' });
      const build = sampleBuild(appId, 2, { apk: { state: 'converting', percent: 0 } });
      await data.builds.insertBuild(build);
      const half = { state: 'converting', percent: 50 } as const;
      expect(await data.builds.settleApk(build.id, half)).toBe(true);
      expect((await data.builds.findConvertingBuild(build.id))?.apk).toEqual(half);
      const failed = { state: 'failed', reason: 'it is damaged' } as const;
      expect(await data.builds.settleApk(build.id, failed)).toBe(true);
      expect(await data.builds.settleApk(build.id, half)).toBe(false);
      expect(await data.builds.findConvertingBuild(build.id)).toBeNull();
      expect((await data.builds.findBuild(build.id))?.apk).toEqual(failed);
      const ready = { state: 'ready', blob: 'apks/q.1', sizeBytes: 5_000_000_000, sha256: 'ab' } as const;
      const other = sampleBuild(appId, 3, { apk: ready });
      await data.builds.insertBuild(other);
      expect((await data.builds.findBuild(other.id))?.apk).toEqual(ready);
      expect(await data.builds.namedBlobs(['apks/q.1'])).toEqual(new Set(['apks/q.1']));
    });

    it('list the signing keys of an owner in order, and add each number once', async () => {
      const key = {
        ...{ ownerId: ada.id, continues: false, origin: 'created' as const, createdAt: 5 },
        ...{ certificate: Buffer.from('certificate'), encryptedKey: '1.a' },
      };
      expect(await data.signingKeys.listOf(ada.id)).toEqual([]);
      expect(await data.signingKeys.insert({ ...key, number: 2, continues: true, origin: 'imported' })).toBe(
        true,
      );
      expect(await data.signingKeys.insert({ ...key, number: 1 })).toBe(true);
      expect(await data.signingKeys.insert({ ...key, number: 1, encryptedKey: '1.b' })).toBe(false);
      expect(await data.signingKeys.listOf(ada.id)).toEqual([
        { ...key, id: expect.any(String), number: 1 },
        { ...key, id: expect.any(String), number: 2, continues: true, origin: 'imported' },
      ]);
      expect(await data.reseal.listSigningKeys()).toHaveLength(2);
    });

    it('store the result of a verification', async () => {
      const { builds } = await addApp(data, ada.id, { packageName: 'com.verified' });
      const verification = { verified: true, verifiedFromSdk: 24, problems: [] };
      await data.builds.setVerification(builds[0]?.id ?? '', verification);
      expect((await data.builds.findBuild(builds[0]?.id ?? ''))?.verification).toEqual(verification);
    });

    it('distinguish referenced blobs from unreferenced ones', async () => {
      const { appId } = await addApp(data, ada.id, { packageName: 'com.blobs' });
      const named = { packageBlob: 'packages/n1', simulatorBlob: 'simulators/n2', simulatorBytes: 1 };
      await data.builds.insertBuild(
        sampleBuild(appId, 2, { ...named, icon: { state: 'drawn', blob: 'icons/n3' } }),
      );
      const keys = ['packages/n1', 'simulators/n2', 'icons/n3', 'packages/litter', 'icons/n1'];
      expect([...(await data.builds.namedBlobs(keys))].sort()).toEqual([
        'icons/n3',
        'packages/n1',
        'simulators/n2',
      ]);
      const many = Array.from({ length: 500 }, (_, index) => `packages/many-${index}`);
      expect(await data.builds.namedBlobs([...many.slice(1), 'packages/n1'])).toEqual(
        new Set(['packages/n1']),
      );
      expect(await data.builds.namedBlobs([])).toEqual(new Set());
    });

    it('count builds', async () => {
      const before = await data.builds.countRows();
      await addApp(data, ada.id, { packageName: 'com.counted', count: 3 });
      const after = await data.builds.countRows();
      expect(after).toEqual({ ...before, apps: before.apps + 1, builds: before.builds + 3 });
    });
  });

  describe('the life of a build', () => {
    const idsOf = async (packageName: string, count: number) => {
      const { appId, builds } = await addApp(data, ada.id, { packageName, count });
      return { appId, ids: builds.map(({ id }) => id) };
    };

    it('is protected once, and its message changes only if it is the one that was read', async () => {
      const { ids } = await idsOf('com.care', 2);
      const [first = '', second = ''] = ids;
      expect(await data.builds.setProtected(first, true)).toBe(true);
      expect(await data.builds.setProtected(first, true)).toBe(false);
      expect((await data.builds.findBuild(first))?.protected).toBe(true);
      expect((await data.builds.findBuild(second))?.protected).toBe(false);
      expect(await data.builds.setProtected(first, false)).toBe(true);
      expect(await data.builds.setProtected('none', true)).toBe(false);
      expect(await data.builds.changeMessage(first, 'message 1', 'new')).toBe(true);
      expect(await data.builds.changeMessage(first, 'message 1', 'newer')).toBe(false);
      expect((await data.builds.findBuild(first))?.message).toBe('new');
      await data.buildDeletion.hideBuilds([second], 'Ada', 5);
      expect(await data.builds.setProtected(second, true)).toBe(false);
      expect(await data.builds.changeMessage(second, 'message 2', 'new')).toBe(false);
    });

    it('can be deleted, restored, and removed permanently with its blobs listed', async () => {
      const { appId, ids } = await idsOf('com.hidden', 4);
      const [first = '', second = '', third = ''] = ids;
      await data.buildDeletion.hideBuilds([first, third], 'Ada', 50);
      await data.buildDeletion.hideBuilds([second], 'Bob', 60);
      await data.buildDeletion.hideBuilds([], 'Ada', 70);
      expect((await data.builds.listBuilds(appId, { limit: 9 })).map(({ revision }) => revision)).toEqual([
        4,
      ]);
      expect(await data.builds.findBuild(first)).toBeNull();
      expect(await data.builds.findBuildByRevision(appId, 2)).toBeNull();
      const listed = async (after: number, limit: number) =>
        (await data.buildDeletion.listDeleted(appId, after, limit)).map(({ build, deletedAt, deletedBy }) => [
          build.revision,
          deletedAt,
          deletedBy,
        ]);
      expect(await listed(0, 9)).toEqual([
        [2, 60, 'Bob'],
        [3, 50, 'Ada'],
        [1, 50, 'Ada'],
      ]);
      expect(await listed(50, 9)).toEqual([[2, 60, 'Bob']]);
      expect(await listed(0, 1)).toEqual([[2, 60, 'Bob']]);
      expect(await data.buildDeletion.lockBuilds(appId, [4, 9, 1])).toEqual([
        { id: first, revision: 1, protected: false, deletedAt: 50 },
        { id: ids[3], revision: 4, protected: false, deletedAt: null },
      ]);
      expect(await data.buildDeletion.lockBuilds(appId, [])).toEqual([]);
      await data.buildDeletion.showBuilds([third]);
      await data.buildDeletion.showBuilds([]);
      expect((await data.builds.findBuild(third))?.revision).toBe(3);
      expect(await data.builds.namedBlobs([`packages/${first}`])).toEqual(new Set([`packages/${first}`]));
      expect(await data.buildDeletion.removeBuild(first, 49)).toBeNull();
      expect(await data.buildDeletion.removeBuild(third, 50)).toBeNull();
      expect(await data.buildDeletion.removeBuild(first, 50)).toEqual([`packages/${first}`]);
      expect(await data.builds.namedBlobs([`packages/${first}`])).toEqual(new Set());
      expect(
        (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).find(({ app }) => app.id === appId)
          ?.latest?.revision,
      ).toBe(4);
      await data.buildDeletion.hideBuilds(ids, 'Ada', 90);
      const listing = (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).find(
        ({ app }) => app.id === appId,
      );
      expect(listing).toMatchObject({ latest: null });
    });

    it('includes the pages that serve it', async () => {
      const { appId, ids } = await idsOf('com.holding', 2);
      const [first = '', second = ''] = ids;
      const page = async (name: string, buildId: string, accessKey: string) =>
        data.distributions.insertPage({ appId, name, accessKey, buildId, releaseNote: '', now: 1 });
      await page('b', first, 'holding-b');
      const moved = await page('c', first, 'holding-c');
      await page('a', first, 'holding-a');
      await data.distributions.updatePage(moved.id, { buildId: second, releaseNote: '', now: 2 });
      expect(await data.buildDeletion.blockingPages([first])).toEqual([
        { buildId: first, name: 'a', accessKey: 'holding-a' },
        { buildId: first, name: 'b', accessKey: 'holding-b' },
      ]);
      expect((await data.buildDeletion.blockingPages(ids)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      expect(await data.buildDeletion.blockingPages([])).toEqual([]);
    });

    it('ends with the deletion of its App, which hides its builds, frees its name and is removed in batches', async () => {
      const { appId, ids } = await idsOf('com.gone', 3);
      const [first = '', second = ''] = ids;
      await data.builds.setProtected(first, true);
      await data.buildDeletion.hideBuilds([second], 'Ada', 5);
      const page = await data.distributions.insertPage({
        appId,
        name: 'main',
        accessKey: 'gone-key',
        buildId: first,
        releaseNote: '',
        now: 1,
      });
      expect(await data.appDeletion.contentsOf(appId, 9)).toEqual({
        builds: 2,
        protectedBuilds: 1,
        bytes: 15_000_000_000,
        pages: 1,
        pageNames: ['main'],
        testers: 0,
      });
      expect(await data.appDeletion.revisionsOf(appId, 9)).toHaveLength(2);
      expect(await data.appDeletion.revisionsOf(appId, 1)).toHaveLength(1);
      expect(await data.appDeletion.contentsOf('none', 9)).toEqual({
        builds: 0,
        protectedBuilds: 0,
        bytes: 0,
        pages: 0,
        pageNames: [],
        testers: 0,
      });
      expect(await data.appDeletion.removePages(appId, 9)).toBe(false);
      expect(await data.appDeletion.removeBuilds(appId, 9)).toEqual([]);
      await data.appDeletion.removeApp(appId);
      expect(await data.apps.findAppById(appId)).not.toBeNull();
      const before = await data.builds.countRows();
      expect(await data.appDeletion.hideApp(appId, 9)).toBe(true);
      expect(await data.appDeletion.hideApp(appId, 9)).toBe(false);
      expect(await data.distributions.findPageWithApp('gone-key')).toBeNull();
      expect(await data.apps.findAppById(appId)).toBeNull();
      expect(await data.apps.findApp(ada.id, 'android', 'com.gone')).toBeNull();
      expect(await data.apps.findAppsByPackageName(ada.id, 'com.gone')).toEqual([]);
      expect(
        (await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 99 })).map(({ app }) => app.id),
      ).not.toContain(appId);
      expect(
        (await data.mailChoices.listChoices(ada.id, { limit: 99 })).map((choice) => choice.appId),
      ).not.toContain(appId);
      expect(await data.builds.countRows()).toEqual({
        apps: before.apps - 1,
        builds: before.builds - 2,
        pages: before.pages - 1,
      });
      const again = await addApp(data, ada.id, { packageName: 'com.gone' });
      expect(again.appId).not.toBe(appId);
      expect(again.builds[0]?.revision).toBe(1);
      expect(await data.appDeletion.removePages(appId, 9)).toBe(true);
      expect(await data.distributions.findPageById(page.id)).toBeNull();
      const blobs = [
        ...(await data.appDeletion.removeBuilds(appId, 2)),
        ...(await data.appDeletion.removeBuilds(appId, 2)),
      ];
      expect(blobs.sort()).toEqual(ids.map((id) => `packages/${id}`).sort());
      await data.appDeletion.removeApp(appId);
      const rows = await test.database.queries
        .selectFrom('apps')
        .select('id')
        .where('id', '=', appId)
        .execute();
      expect(rows).toEqual([]);
      expect(await data.apps.findAppById(again.appId)).not.toBeNull();
    });
  });

  it('limit who has access to an App, for concurrent callers too', async () => {
    const { appId } = await addApp(data, ada.id, { packageName: 'com.given', now: 900 });
    const people: User[] = [];
    for (const name of ['given-b', 'given-a', 'given-c', 'given-d']) people.push(await addUser(data, name));
    const [b, a, c, d] = people as [User, User, User, User];
    const add = (user: { id: string }, limit: number) =>
      data.transaction((tx) => tx.appTesters.add({ appId, userId: user.id, limit, now: 5 }));
    expect(await add(b, 9)).toBe('given');
    expect(await add(b, 1)).toBe('already');
    expect(await add({ id: 'nobody' }, 9)).toBe('unknown');
    const second = await test.openSecond();
    const parallel = await Promise.all(
      [a, c, d].map((user, index) =>
        (index % 2 ? second.data : data).transaction((tx) =>
          tx.appTesters.add({ appId, userId: user.id, limit: 2, now: 6 }),
        ),
      ),
    );
    expect(parallel.sort()).toEqual(['full', 'full', 'given']);
    expect(await add(a, 9)).toMatch(/given|already/);
    const names = (await data.appTesters.list(appId, 9)).map(({ user }) => user.name);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['given-a', 'given-b']));
    expect(await data.appTesters.list(appId, 1)).toEqual([
      { user: { id: a.id, name: 'given-a' }, since: expect.any(Number) },
    ]);
    const shared = await data.appPeople.listShared(appId, ['GIVEN'], { limit: 9 });
    expect(shared.map(({ user }) => user.name)).toEqual(names);
    const [firstName = '', lastName = ''] = [names[0], names.at(-1)];
    const after = await data.appPeople.listShared(appId, [], { limit: 9, after: firstName });
    expect(after.map(({ user }) => user.name)).toEqual(names.slice(1));
    const before = await data.appPeople.listShared(appId, [], { limit: 1, before: lastName });
    expect(before.map(({ user, reason }) => [user.name, reason])).toEqual([[names.at(-2), 'shared']]);
    expect(await data.appPeople.listShared(appId, ['_'], { limit: 9 })).toEqual([]);
    expect(await data.appTesters.has(appId, b.id)).toBe(true);
    expect([await data.appTesters.hasAny(b.id), await data.appTesters.hasAny(ada.id)]).toEqual([true, false]);
    const seen = await data.apps.listApps({ ownerIds: [b.id], testerId: b.id }, { limit: 9 });
    expect(seen.map(({ app }) => app.packageName)).toEqual(['com.given']);
    expect(await data.apps.listApps({ ownerIds: [b.id] }, { limit: 9 })).toEqual([]);
    expect(await data.appTesters.lockApp(appId)).toBe(true);
    expect(await data.appTesters.lockApp('other')).toBe(false);
    expect(await data.appTesters.remove(appId, b.id)).toBe(true);
    expect(await data.appTesters.remove(appId, b.id)).toBe(false);
    expect(await data.appTesters.has(appId, b.id)).toBe(false);
    expect(await data.appTesters.hasAny(b.id)).toBe(false);
    expect(await data.apps.listApps({ ownerIds: [b.id], testerId: b.id }, { limit: 9 })).toEqual([]);
    const own = await data.apps.listApps({ ownerIds: [ada.id], testerId: ada.id }, { limit: 2 });
    expect(own).toEqual(await data.apps.listApps({ ownerIds: [ada.id] }, { limit: 2 }));
  });

  it('are all covered by these tests', () => {
    // Tests of other subjects cover the last ones.
    test.expectCovered(
      ['signingKeys', 'appTesters', 'buildFilters', 'buildDeletion', 'apps', 'appDeletion', 'builds'],
      ['apps.rotateSecret', 'appDeletion.removeFeedback', 'builds.countDamaged', 'builds.setDamage'],
    );
  });
});
