/** Queries about apps: races, order and differences between databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapBuildFields } from '../../src/apps/build-fields.ts';
import { maxSearchedMessageLength, maxSearchedRevisions } from '../../src/apps/builds/build-labels.ts';
import type { User } from '../../src/owners/owner.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addPage, addUser, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
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
        source: {
          provider: 'gitlab',
          repository: 'acme/tide',
          commit: 'd'.repeat(40),
          ref: 'refs/heads/main',
          workflow: 'release',
          run_id: '42',
          run_url: 'https://gitlab.example.com/acme/tide/-/jobs/42',
          actor: 'ada',
        },
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
      const page = await addPage(data, appId, third, { name: 'QA' });
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
      const listed = await data.builds.listByRevisions(appId, [2, 4, 99]);
      expect(listed.map(({ revision }) => revision)).toEqual([4, 2]);
      expect(await data.builds.listByRevisions(appId, [])).toEqual([]);
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
  });

  it('change only builds that are in the state that was read', async () => {
    const { builds: made } = await addApp(data, ada.id, { packageName: 'com.states', count: 2 });
    const [first = '', second = ''] = made.map(({ id }) => id);
    const { builds, buildDeletion } = data;
    expect([await builds.setProtected(first, true), await builds.setProtected(first, true)]).toEqual([
      true,
      false,
    ]);
    expect(await builds.changeMessage(first, 'message 1', 'new')).toBe(true);
    expect(await builds.changeMessage(first, 'message 1', 'newer')).toBe(false);
    await buildDeletion.hideBuilds([second], 'Ada', 50);
    expect(await builds.setProtected(second, true)).toBe(false);
    expect(await builds.changeMessage(second, 'message 2', 'new')).toBe(false);
    expect(await buildDeletion.removeBuild(second, 49)).toBeNull();
    expect(await buildDeletion.removeBuild(second, 50)).toEqual([`packages/${second}`]);
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

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
