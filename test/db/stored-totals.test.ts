/** The storage totals that database triggers maintain equal those computed from the rows, after any change to builds and Apps. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newHexKey } from '../../src/core/identifier.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addApp, addProject, addUser, sampleBuild } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

/** The size of every build of `addApp`. */
const size = 5_000_000_000;

describe.each(dialects)('stored totals on %s', (dialect) => {
  let test: TestData;
  let data: TestData['data'];
  let made = 0;
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = test.data;
  });
  afterAll(() => test.close());
  afterEach(async () => expect(await data.quotas.countWrongTotals()).toBe(0));

  const newOwner = async () => {
    made += 1;
    const { id } = await addUser(data, `storing-${made}`);
    return { id, usage: () => data.quotas.usageOf(id) };
  };
  const idsOf = (builds: { id: string }[]) => builds.map(({ id }) => id);

  it('start at zero', async () => {
    expect(await (await newOwner()).usage()).toEqual({ bytes: 0, builds: 0, apps: 0 });
    expect(await data.quotas.usageOf('nobody')).toEqual({ bytes: 0, builds: 0, apps: 0 });
  });

  it('include every build across apps and platforms, with its simulator build', async () => {
    const owner = await newOwner();
    await addApp(data, owner.id, { count: 2 });
    const { appId } = await addApp(data, owner.id, { platform: 'ios' });
    await data.builds.insertBuild(
      sampleBuild(appId, 2, { simulatorBlob: 'simulators/totals', simulatorBytes: 7 }),
    );
    expect(await owner.usage()).toEqual({ bytes: size * 4 + 7, builds: 4, apps: 2 });
  });

  it('include the APK of an app bundle from when it is ready', async () => {
    const owner = await newOwner();
    const { appId } = await addApp(data, owner.id, { count: 1 });
    const bundle = sampleBuild(appId, 2, { apk: { state: 'converting', percent: 0 } });
    await data.builds.insertBuild(bundle);
    const ready = { state: 'ready', blob: 'apks/totals.a', sizeBytes: 11, sha256: 'a' } as const;
    expect(await data.builds.settleApk(bundle.id, ready)).toBe(true);
    expect(await data.builds.settleApk(bundle.id, { state: 'failed', reason: 'late' })).toBe(false);
    await data.builds.insertBuild(sampleBuild(appId, 3, { apk: { ...ready, blob: 'apks/totals.b' } }));
    expect(await owner.usage()).toEqual({ bytes: size * 3 + 22, builds: 3, apps: 1 });
    await data.buildDeletion.hideBuilds([bundle.id], 'Ada', 5);
    expect(await data.buildDeletion.removeBuild(bundle.id, 5)).toContain(ready.blob);
    expect(await owner.usage()).toEqual({ bytes: size * 2 + 11, builds: 2, apps: 1 });
    const other = await newOwner();
    await test.database.queries
      .updateTable('apps')
      .set({ owner_id: other.id })
      .where('id', '=', appId)
      .execute();
    expect(await other.usage()).toEqual({ bytes: size * 2 + 11, builds: 2, apps: 1 });
    expect(await owner.usage()).toMatchObject({ bytes: 0 });
    await data.appDeletion.hideApp(appId, 5);
    await data.appDeletion.removeBuilds(appId, 1);
    await data.appDeletion.removeApp(appId);
    expect(await other.usage()).toMatchObject({ bytes: 0 });
  });

  it('exclude what was rolled back', async () => {
    const owner = await newOwner();
    const { appId, builds } = await addApp(data, owner.id, { count: 2 });
    await data.buildDeletion.hideBuilds(idsOf(builds), 'Ada', 5);
    const failing = data.transaction(async (tx) => {
      await tx.builds.insertBuild(sampleBuild(appId, 3));
      await tx.buildDeletion.removeBuild(builds[0]?.id ?? '', 5);
      expect(await tx.quotas.usageOf(owner.id)).toMatchObject({ builds: 2 });
      await tx.appDeletion.hideApp(appId, 5);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await owner.usage()).toEqual({ bytes: size * 2, builds: 2, apps: 1 });
  });

  it('include a deleted build once, until it can no longer be restored', async () => {
    const owner = await newOwner();
    const { builds } = await addApp(data, owner.id, { count: 3 });
    const [first = '', second = ''] = idsOf(builds);
    await data.buildDeletion.hideBuilds([first, second], 'Ada', 5);
    expect(await owner.usage()).toMatchObject({ builds: 3, bytes: size * 3 });
    await data.buildDeletion.showBuilds([second]);
    expect(await owner.usage()).toMatchObject({ builds: 3, bytes: size * 3 });
    expect(await data.buildDeletion.removeBuild(second, 5)).toBeNull();
    expect(await data.buildDeletion.removeBuild(first, 5)).not.toBeNull();
    expect(await data.buildDeletion.removeBuild(first, 5)).toBeNull();
    expect(await owner.usage()).toEqual({ builds: 2, bytes: size * 2, apps: 1 });
  });

  it('exclude a deleted app, but include its builds until they are removed', async () => {
    const owner = await newOwner();
    const { appId } = await addApp(data, owner.id, { count: 5 });
    await addApp(data, owner.id, { packageName: 'com.example.other' });
    expect(await data.appDeletion.hideApp(appId, 5)).toBe(true);
    expect(await data.appDeletion.hideApp(appId, 6)).toBe(false);
    expect(await owner.usage()).toEqual({ builds: 6, bytes: size * 6, apps: 1 });
    await data.appDeletion.removeBuilds(appId, 2);
    expect(await owner.usage()).toMatchObject({ builds: 4, bytes: size * 4 });
    await data.appDeletion.removeBuilds(appId, 9);
    await data.appDeletion.removeApp(appId);
    expect(await owner.usage()).toEqual({ builds: 1, bytes: size, apps: 1 });
    // The package gets a new App.
    await addApp(data, owner.id, { count: 2 });
    expect(await owner.usage()).toEqual({ builds: 3, bytes: size * 3, apps: 2 });
  });

  it('stay correct for an app whose builds are deleted with it, hidden or not', async () => {
    const owner = await newOwner();
    const hidden = await addApp(data, owner.id, { count: 3 });
    const { appId } = await addApp(data, owner.id, { packageName: 'com.example.other', count: 2 });
    await data.appDeletion.hideApp(hidden.appId, 5);
    await data.appDeletion.removeApp(hidden.appId);
    expect(await owner.usage()).toEqual({ builds: 2, bytes: size * 2, apps: 1 });
    await test.database.queries.deleteFrom('apps').where('id', '=', appId).execute();
    expect(await owner.usage()).toEqual({ builds: 0, bytes: 0, apps: 0 });
  });

  it('follow an owner that is deleted, and an app that moves to another owner', async () => {
    const [owner, project] = [await newOwner(), await addProject(data, 'totals-elsewhere')];
    const { appId } = await addApp(data, owner.id, { count: 2 });
    await addApp(data, owner.id, { platform: 'ios' });
    await test.database.queries
      .updateTable('apps')
      .set({ owner_id: project.id })
      .where('id', '=', appId)
      .execute();
    expect(await owner.usage()).toEqual({ builds: 1, bytes: size, apps: 1 });
    expect(await data.quotas.usageOf(project.id)).toEqual({ builds: 2, bytes: size * 2, apps: 1 });
    await data.ownerDeletion.hideApps(project.id, 5);
    await data.ownerDeletion.remove({ id: project.id, kind: 'project', email: null }, 5);
    expect(await data.quotas.usageOf(project.id)).toEqual({ builds: 2, bytes: size * 2, apps: 0 });
  });

  it('stay exact when two processes add and remove builds concurrently', async () => {
    const owner = await newOwner();
    const second = await test.openSecond();
    const { appId, builds } = await addApp(data, owner.id, { count: 20 });
    await data.buildDeletion.hideBuilds(idsOf(builds), 'Ada', 5);
    const add = (at: number) =>
      (at % 2 ? second.data : data).transaction(async (tx) => {
        await tx.quotas.lock(owner.id);
        const { id, lastRevision } = await tx.apps.takeNextRevision({
          ownerId: owner.id,
          platform: 'android',
          packageName: 'com.example.sample',
          secret: newHexKey(),
          now: 5,
        });
        await tx.builds.insertBuild(sampleBuild(id, lastRevision));
      });
    const remove = ({ id }: { id: string }, at: number) =>
      (at % 2 ? data : second.data).transaction((tx) => tx.buildDeletion.removeBuild(id, 5));
    await Promise.all([...builds.map(remove), ...Array.from({ length: 20 }, (_, at) => add(at))]);
    expect(await owner.usage()).toEqual({ builds: 20, bytes: size * 20, apps: 1 });
    const last = await data.builds.listBuilds(appId, { limit: 1 });
    expect(last[0]?.revision).toBe(40);
  });

  it('are reported and repaired when they are wrong', async () => {
    const owner = await newOwner();
    const { appId } = await addApp(data, owner.id, { count: 2 });
    const other = await newOwner();
    await addApp(data, other.id);
    await sql`update stored_totals set builds = builds + 1 where owner_id = ${owner.id}`.execute(
      test.database.queries,
    );
    await sql`delete from stored_totals where owner_id = ${other.id}`.execute(test.database.queries);
    await sql`update apps set latest_name = 'Other' where id = ${appId}`.execute(test.database.queries);
    expect(await data.quotas.countWrongTotals()).toBe(3);
    await data.transaction((tx) => tx.quotas.recalculateTotals());
    expect(await data.quotas.countWrongTotals()).toBe(0);
    expect(await owner.usage()).toEqual({ builds: 2, bytes: size * 2, apps: 1 });
    expect(await other.usage()).toEqual({ builds: 1, bytes: size, apps: 1 });
    const found = await data.apps.listApps({ ownerIds: [owner.id], words: ['sample'] }, { limit: 2 });
    expect(found).toHaveLength(1);
  });
});
