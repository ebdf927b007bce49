/** Build deletion in the database: concurrent requests, interrupted jobs, and data that must remain. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App, Build } from '../../src/apps/app.ts';
import { createBuildDeletion, undoMs } from '../../src/apps/deletion/build-deletion.ts';
import { createRemovalHandlers } from '../../src/apps/deletion/purge-deleted.ts';
import { iconKey, packageKey, simulatorKey } from '../../src/blobs/blob-key.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { sweepBlobs } from '../../src/blobs/sweep-blobs.ts';
import { AppError } from '../../src/core/errors.ts';
import { newHexKey, newIdentifier } from '../../src/core/identifier.ts';
import { analysisQueries } from '../../src/insight/analysis-queries.ts';
import { type Job, lanes } from '../../src/jobs/outbox.ts';
import { createAnnounceBuild } from '../../src/mail/announce-build.ts';
import { type BuildMailDeps, createLoadBuildMail } from '../../src/mail/messages/build-mail.ts';
import type { Actor } from '../../src/owners/actor.ts';
import type { User } from '../../src/owners/owner.ts';
import type { TestQueries } from '../support/every-query.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addPage, addUser, sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { dialects } from '../support/test-database.ts';

const bytes = Buffer.from('blob');

describe.each(dialects)('deleted builds on %s', (dialect) => {
  // SQLite has one writer at a time, and few orders.
  const rounds = dialect === 'sqlite' ? 2 : 10;
  let test: TestData;
  let data: TestQueries;
  let other: TestQueries;
  let ada: User;
  let by: Actor;
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = test.data;
    other = (await test.openSecond()).data;
    ada = await addUser(data, 'ada');
    by = { kind: 'user', user: ada };
  });
  // The next test starts without these jobs.
  afterEach(async () => {
    await test.database.queries.deleteFrom('outbox').execute();
  });
  afterAll(() => test.close());

  let made = 0;
  const makeApp = async (builds: Partial<Build>[]): Promise<{ app: App; builds: Build[] }> => {
    const packageName = `com.example.n${made++}`;
    const rows: Build[] = [];
    for (const changes of builds) {
      const names = {
        ownerId: ada.id,
        platform: 'android',
        packageName,
        secret: newHexKey(),
        now: 1,
      } as const;
      const taken = await data.apps.takeNextRevision(names);
      const id = newIdentifier(taken.lastRevision);
      const build = sampleBuild(taken.id, taken.lastRevision, {
        id,
        packageBlob: packageKey(id),
        ...changes,
      });
      await data.builds.insertBuild(build);
      rows.push(build);
    }
    const app = await data.apps.findApp(ada.id, 'android', packageName);
    if (!app) throw new Error('no app');
    return { app, builds: rows };
  };
  const deletionOf = (of: TestQueries, now: number) =>
    createBuildDeletion({ data: of, now: () => now, wakeOutbox: () => undefined });
  const waitingJobs = async (kind: Job['kind'], now: number) => {
    const lane = Object.values(lanes).find(({ kinds }) => (kinds as readonly string[]).includes(kind));
    if (!lane) throw new Error('no lane');
    const claimed = await data.outbox.claim(lane, now, 1000);
    for (const { id } of claimed) await data.outbox.finish(id);
    return claimed.map(({ job }) => job).filter((job) => job.kind === kind);
  };
  const newPage = (appId: string, buildId: string) => addPage(data, appId, buildId);

  it('lets either a publish or a deletion of the same build succeed, never both', async () => {
    for (let round = 0; round < rounds; round++) {
      const { app, builds } = await makeApp([{}, {}]);
      const page = await newPage(app.id, builds[0]?.id ?? '');
      const choose = async () => {
        const taken = await other.transaction(async (tx) => {
          const build = await tx.pageSettings.lockBuild(app.id, 2);
          if (build) {
            await tx.distributions.updatePage(page.id, { buildId: build.id, releaseNote: '', now: 2 });
          }
          return build !== null;
        });
        return taken;
      };
      const remove = () => deletionOf(data, 50).remove(by, app, [2]);
      const [chosen, deletion] = await Promise.all(
        round % 2 === 0 ? [choose(), remove()] : [remove(), choose()].reverse(),
      );
      const hidden = (await data.builds.findBuildByRevision(app.id, 2)) === null;
      const current = await data.distributions.findPageById(page.id);
      expect(chosen).toBe(!hidden);
      expect((deletion as { kind: string }).kind).toBe(hidden ? 'deleted' : 'refused');
      expect(await data.builds.findBuild(current?.buildId ?? '')).not.toBeNull();
    }
  });

  it('makes a deletion wait for a concurrent publish of the build, then rejects it', async () => {
    const { app, builds } = await makeApp([{}, {}]);
    const page = await newPage(app.id, builds[0]?.id ?? '');
    let deletion: Promise<unknown> = Promise.resolve();
    await data.transaction(async (tx) => {
      const build = await tx.pageSettings.lockBuild(app.id, 2);
      deletion = deletionOf(other, 50).remove(by, app, [2]);
      await tx.distributions.updatePage(page.id, { buildId: build?.id ?? '', releaseNote: '', now: 2 });
    });
    expect(await deletion).toEqual({
      kind: 'refused',
      kept: [{ revision: 2, protected: false, pages: [{ name: 'main', accessKey: page.accessKey }] }],
      others: [],
    });
  });

  it('makes a publish wait for a concurrent deletion of the build, then rejects it', async () => {
    const { app } = await makeApp([{}, {}]);
    let choosing: Promise<unknown> = Promise.resolve();
    await data.transaction(async (tx) => {
      const [build] = await tx.buildDeletion.lockBuilds(app.id, [2]);
      choosing = other.transaction((also) => also.pageSettings.lockBuild(app.id, 2));
      await tx.buildDeletion.hideBuilds([build?.id ?? ''], 'ada', 50);
    });
    expect(await choosing).toBeNull();
  });

  it('does not deadlock when several people delete the same builds in different orders', async () => {
    const { app } = await makeApp(Array.from({ length: 8 }, () => ({})));
    const all = [1, 2, 3, 4, 5, 6, 7, 8];
    const ends = await Promise.allSettled([
      deletionOf(data, 50).remove(by, app, all),
      deletionOf(other, 51).remove(by, app, [...all].reverse()),
      deletionOf(data, 52).restore(by, app, all),
      deletionOf(other, 53).remove(by, app, [4, 2, 8]),
      deletionOf(data, 54).restore(by, app, [7, 1]),
    ]);
    expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))).toEqual([]);
  });

  it('catches up on jobs that ran while the build was hidden', async () => {
    const signing = { ...sampleInfo().signing, schemes: ['v2' as const] };
    const { app, builds } = await makeApp([
      { info: sampleInfo({ signing }) },
      { icon: { state: 'none' } },
      { icon: { state: 'none' }, verification: { verified: true, verifiedFromSdk: 1, problems: [] } },
    ]);
    await deletionOf(data, 50).remove(by, app, [1, 2, 3]);
    await deletionOf(data, 60).restore(by, app, [1, 2, 3]);
    expect(await waitingJobs('draw-icon', 100)).toEqual([{ kind: 'draw-icon', buildId: builds[0]?.id }]);
    await deletionOf(data, 70).remove(by, app, [1]);
    await deletionOf(data, 80).restore(by, app, [1]);
    expect(await waitingJobs('verify-signature', 100)).toEqual([
      { kind: 'verify-signature', buildId: builds[0]?.id },
    ]);
  });

  it('sends no email about a build that was deleted before the email was created', async () => {
    const { app, builds } = await makeApp([{}, {}]);
    await data.mailChoices.setChoice(ada.id, app.id, true, 1);
    await deletionOf(data, 50).remove(by, app, [1]);
    const announce = createAnnounceBuild({ data, canSend: true, now: () => 60, wakeOutbox: () => undefined });
    // The email of someone who manages the app waits for it.
    await analysisQueries(data).save(builds[1]?.id ?? '', {
      ...{ version: 1, analyzedAt: 1, packed: null, failure: 'damaged' },
      ...{ downloadBytes: null, installBytes: null },
    });
    const written = () => data.mails.listMails({ state: null, limit: 99 });
    await announce({ kind: 'announce-build', buildId: builds[0]?.id ?? '', pageId: null }, ada.id);
    expect(await written()).toEqual([]);
    await announce({ kind: 'announce-build', buildId: builds[1]?.id ?? '', pageId: null }, ada.id);
    expect(await written()).toHaveLength(1);
    expect(await data.mails.countMails('waiting', 9)).toBe(1);
    await deletionOf(data, 70).remove(by, app, [2]);
    // Its job closes an email that no longer has a text.
    const load = createLoadBuildMail({ data } as unknown as BuildMailDeps);
    expect(await Promise.all((await written()).map(({ mail }) => load(mail)))).toEqual([null]);
  });

  it('leaves only unreferenced blobs for the sweep when interrupted between rows and blobs', async () => {
    const store = createMemoryBlobStore();
    const { app, builds } = await makeApp([{}, {}]);
    const [gone, kept] = builds;
    if (!gone || !kept) throw new Error('no builds');
    await store.putBytes(simulatorKey(gone.id), bytes);
    await test.database.queries
      .updateTable('builds')
      .set({ simulator_blob: simulatorKey(gone.id), simulator_bytes: 4 })
      .where('id', '=', gone.id)
      .execute();
    const icon = iconKey(gone.id, newHexKey());
    for (const key of [packageKey(gone.id), packageKey(kept.id), icon]) await store.putBytes(key, bytes);
    await data.builds.settleIcon(gone.id, { state: 'drawn', blob: icon });
    const sweep = () =>
      sweepBlobs({ store, isNamed: (keys) => data.builds.namedBlobs(keys), before: Date.now() + 1000 });
    await deletionOf(data, 50).remove(by, app, [gone.revision]);
    // Blobs of builds that can be restored are still referenced.
    expect(await sweep()).toMatchObject({ removed: 0, kept: 4 });

    const handlers = createRemovalHandlers({ data, blobs: store, now: () => 50 + undoMs });
    const [job] = await waitingJobs('remove-build', 50 + undoMs);
    if (job?.kind !== 'remove-build') throw new Error('no job');
    await handlers['remove-build'](job, ada.id);
    // The process dies here: the rows are deleted, the blobs are not, and a job for them is pending.
    const jobs = await waitingJobs('remove-blobs', 50 + undoMs);
    expect(jobs).toEqual([
      { kind: 'remove-blobs', blobs: [packageKey(gone.id), simulatorKey(gone.id), icon] },
    ]);
    expect(await sweep()).toMatchObject({ removed: 3, kept: 1 });
    // The repeated job finds nothing to do.
    if (jobs[0]?.kind === 'remove-blobs') await handlers['remove-blobs'](jobs[0], ada.id);
    await handlers['remove-build'](job, ada.id);
    expect(await waitingJobs('remove-blobs', 50 + undoMs)).toEqual([]);
  });

  it('does not remove a restored build or a referenced blob', async () => {
    const store = createMemoryBlobStore();
    const { app, builds } = await makeApp([{}]);
    const id = builds[0]?.id ?? '';
    await store.putBytes(packageKey(id), bytes);
    const handlers = createRemovalHandlers({ data, blobs: store, now: () => 99 });
    await deletionOf(data, 50).remove(by, app, [1]);
    await deletionOf(data, 60).restore(by, app, [1]);
    await handlers['remove-build']({ kind: 'remove-build', buildId: id, deletedAt: 50 }, ada.id);
    await deletionOf(data, 70).remove(by, app, [1]);
    await handlers['remove-build']({ kind: 'remove-build', buildId: id, deletedAt: 50 }, ada.id);
    await handlers['remove-blobs']({ kind: 'remove-blobs', blobs: [packageKey(id)] }, ada.id);
    expect(await store.open(packageKey(id))).not.toBeNull();
    expect(await deletionOf(data, 80).restore(by, app, [1])).toEqual([1]);
  });

  it('retries blob removal when the store fails', async () => {
    const store = createMemoryBlobStore();
    const failing = { ...store, remove: () => Promise.reject(new Error('the store is away')) };
    const handlers = createRemovalHandlers({ data, blobs: failing, now: () => 99 });
    const job = { kind: 'remove-blobs', blobs: [packageKey('nobody')] } as const;
    await expect(handlers['remove-blobs'](job, ada.id)).rejects.toThrow('the store is away');
  });

  it('either removes or restores a build completely, whichever comes first', async () => {
    const store = createMemoryBlobStore();
    for (let round = 0; round < rounds; round++) {
      const { app, builds } = await makeApp([{}]);
      const id = builds[0]?.id ?? '';
      await deletionOf(data, 50).remove(by, app, [1]);
      const handlers = createRemovalHandlers({ data: other, blobs: store, now: () => 99 });
      const [restored] = await Promise.allSettled([
        deletionOf(data, 49 + undoMs).restore(by, app, [1]),
        handlers['remove-build']({ kind: 'remove-build', buildId: id, deletedAt: 50 }, ada.id),
      ]);
      const build = await data.builds.findBuild(id);
      expect(build !== null).toBe(restored.status === 'fulfilled');
      if (restored.status === 'rejected') expect(restored.reason).toBeInstanceOf(AppError);
      const removed = (await waitingJobs('remove-blobs', 100)).length;
      expect(removed).toBe(build === null ? 1 : 0);
    }
  });
});
