/** Queries about operations and administration: races, order and differences between databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanes } from '../../src/jobs/outbox.ts';
import { openRecordedQueries, type RecordedQueries } from '../support/recorded-queries.ts';
import { addApp, addProject, addUser } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

describe.each(dialects)('queries about operations and administration on %s', (dialect) => {
  let test: RecordedQueries;
  let data: RecordedQueries['data'];
  beforeAll(async () => {
    test = await openRecordedQueries(dialect);
    data = test.data;
  });
  afterAll(() => test.close());

  describe('the doctor’s queries', () => {
    it('verify that the database can be written, and leave no row', async () => {
      await data.transaction((tx) => tx.doctor.checkWritable(1));
      const left = test.database.queries.selectFrom('attempts').selectAll().orderBy('subject').limit(9);
      expect(await left.execute()).toEqual([]);
    });
  });

  it('list the blobs that builds reference, page by page, deleted builds too', async () => {
    const owner = await addUser(data, 'backed-up');
    const { builds } = await addApp(data, owner.id, { packageName: 'com.example.backup', count: 3 });
    const [first, second, third] = builds;
    await data.buildDeletion.hideBuilds([second?.id ?? ''], 'ada', 5);
    const ids: string[] = [];
    for (let after = ''; ; ) {
      const page = await data.backup.listStored(after, 2);
      ids.push(...page.map((build) => build.id));
      after = page.at(-1)?.id ?? '';
      if (page.length < 2) break;
    }
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(builds.map((build) => build.id)));
    const stored = (await data.backup.listStored('', 10_000)).find((build) => build.id === third?.id);
    expect(stored).toEqual({
      id: third?.id,
      sha256: third?.sha256,
      packageBlob: third?.packageBlob,
      packageBytes: 5_000_000_000,
      simulatorBlob: null,
      simulatorBytes: null,
      simulatorSha256: null,
      apkBlob: null,
      apkBytes: null,
      apkSha256: null,
      isDamaged: false,
      iconBlob: null,
    });
    expect(first).toBeDefined();
  });

  it('keep the damage of a build until its icon changes', async () => {
    const [build] = await data.backup.listStored('', 1);
    if (!build) throw new Error('no build is stored');
    const { id, iconBlob, packageBlob } = build;
    const before = await data.builds.countDamaged();
    expect(await data.builds.setDamage({ id, iconBlob: 'icons/other' }, { [packageBlob]: 'missing' })).toBe(
      false,
    );
    expect(await data.builds.setDamage({ id: 'gone', iconBlob: null }, {})).toBe(false);
    expect(await data.builds.setDamage({ id, iconBlob }, { [packageBlob]: 'missing' })).toBe(true);
    expect(await data.builds.countDamaged()).toBe(before + 1);
    expect((await data.backup.listStored('', 1))[0]).toMatchObject({ id, isDamaged: true });
    expect(await data.builds.setDamage({ id, iconBlob }, {})).toBe(true);
    expect(await data.builds.countDamaged()).toBe(before);
  });

  it('count what metrics report', async () => {
    const stored = await data.metrics.countStored();
    const all = await data.backup.listStored('', 10_000);
    expect(stored.builds).toBe(all.length);
    const bytes = all.reduce(
      (sum, build) => sum + build.packageBytes + (build.simulatorBytes ?? 0) + (build.apkBytes ?? 0),
      0,
    );
    expect(stored.bytes).toBe(bytes);
    const before = await data.metrics.countJobs(lanes.mail);
    await data.outbox.add({ kind: 'send-mail', mailId: 'counted', until: 1 }, 1);
    const after = await data.metrics.countJobs(lanes.mail);
    const waiting = (jobs: typeof after) => jobs.find((job) => job.kind === 'send-mail')?.waiting ?? 0;
    expect(waiting(after)).toBe(waiting(before) + 1);
    expect(after.every((job) => job.dead === 0)).toBe(true);
    const exhausted = { ...lanes.mail, maxAttempts: 0 };
    expect((await data.metrics.countJobs(exhausted)).find((job) => job.kind === 'send-mail')).toMatchObject({
      waiting: 0,
      dead: waiting(after),
    });
  });

  describe('the administration queries', () => {
    it('list people by name, searched and filtered', async () => {
      await addUser(data, 'Pia-one');
      const two = await addUser(data, 'pia-two', { email: 'Second@Elsewhere.example', administrator: true });
      await addUser(data, 'pia-three', { email: null });
      const { administration } = data;
      const names = async (
        words: string[],
        page: object = {},
        only: 'administrators' | 'disabled' | null = null,
      ) =>
        (await administration.listPeople({ only, words }, { limit: 9, ...page })).map(
          ({ user }) => user.name,
        );
      expect(await names(['PIA-'])).toEqual(['Pia-one', 'pia-three', 'pia-two']);
      expect(await names(['pia', 'elsewhere'])).toEqual(['pia-two']);
      expect(await names(['p%a'])).toEqual([]);
      expect(await names(['pia-'], { after: 'pia-one', limit: 1 })).toEqual(['pia-three']);
      expect(await names(['pia-'], { before: 'pia-two', limit: 1 })).toEqual(['pia-three']);
      expect(await names(['pia-'], {}, 'administrators')).toEqual(['pia-two']);
      expect(await names([], {}, 'disabled')).toEqual([]);
      await data.accountState.setDisabled(two.id, 9);
      expect(await names([], {}, 'disabled')).toEqual(['pia-two']);
    });

    it('know when a person was last seen, by a session or a key', async () => {
      const { id } = await addUser(data, 'seen');
      const lastSeenAt = async () => (await data.administration.findPerson('SEEN'))?.lastSeenAt;
      expect(await lastSeenAt()).toBeNull();
      const session = { userId: id, tokenHash: 'seen', userAgent: '', address: '', authenticatedAt: null };
      await data.sessions.insertSession({ ...session, createdAt: 5, expiresAt: 50 });
      expect(await lastSeenAt()).toBe(5);
      const key = { ownerId: id, name: '', keyHash: 'seen', hint: '', createdAt: 1, expiresAt: null };
      await data.keys.touchKey((await data.keys.insertKey(key)).id, 7, '');
      expect(await lastSeenAt()).toBe(7);
    });

    it('sum what owners store, and list owners with their quotas', async () => {
      const { administration } = data;
      const project = await addProject(data, 'amassing');
      await addApp(data, project.id, { count: 2 });
      await addApp(data, project.id, { platform: 'ios' });
      const parts = (await administration.countStoredByOwner()).filter(
        ({ ownerId }) => ownerId === project.id,
      );
      expect(parts.toSorted((one, other) => other.builds - one.builds)).toEqual(
        [
          { platform: 'android', builds: 2, bytes: 10_000_000_000 },
          { platform: 'ios', builds: 1, bytes: 5_000_000_000 },
        ].map((part) => ({
          ownerId: project.id,
          ownerKind: 'project',
          ownerName: 'amassing',
          workspaceId: null,
          apps: 1,
          ...part,
        })),
      );
      const quota = { maxStorageBytes: 5, maxBuilds: null, maxProjects: null };
      await data.quotas.set(project.id, quota);
      const line = { id: project.id, kind: 'project', name: 'amassing', quota };
      expect(await administration.ownersWithQuota([project.id, 'nobody'])).toEqual([line]);
      expect(await administration.ownersWithQuota([])).toEqual([]);
      const filter = { kind: 'project', words: ['AMASSING'] } as const;
      expect(await administration.listOwners(filter, { limit: 9 })).toEqual([line]);
      expect(await administration.listOwners(filter, { limit: 9, after: 'amassing' })).toEqual([]);
      expect(await administration.listOwners(filter, { limit: 9, before: 'amassinh' })).toEqual([line]);
      const look = { name: 'Stores', displayName: 'The stores', iconUrl: '/i.png' };
      const { id } = await data.owners.insertWorkspace({ ...look, createdAt: 1 });
      const workspace = { id, name: 'Stores', displayName: 'The stores' };
      expect(await administration.listWorkspaces(['store'], { limit: 9, after: 'st' })).toEqual([workspace]);
      expect(await administration.listWorkspaces(['store'], { limit: 9, before: 'st' })).toEqual([]);
      const before = await administration.countOwners('project');
      await addProject(data, 'one-more');
      expect(await administration.countOwners('project')).toBe(before + 1);
      expect(await administration.countWorkspaces()).toBeGreaterThanOrEqual(1);
    });
  });

  it('read no table that can grow as a whole', () => test.expectNoScans());
});
