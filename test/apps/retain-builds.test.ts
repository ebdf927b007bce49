/** Retention in the database: every protection, concurrent requests, and interruptions. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { App, Build } from '../../src/apps/app.ts';
import { createBuildChanges } from '../../src/apps/builds/build-changes.ts';
import { createBuildDeletion, undoMs } from '../../src/apps/deletion/build-deletion.ts';
import { createRemovalHandlers } from '../../src/apps/deletion/purge-deleted.ts';
import {
  createRetentionHandlers,
  retainAfterUpload,
  retainApp,
  retainBatch,
} from '../../src/apps/retention/retain-builds.ts';
import { restoreGraceMs } from '../../src/apps/retention/retention.ts';
import { previewApp, previewRemovals, previewScope } from '../../src/apps/retention/retention-preview.ts';
import { buildBatchSize } from '../../src/apps/retention/select-expired-builds.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { newHexKey, newIdentifier } from '../../src/core/identifier.ts';
import { type EventCause, maxReportedRevisions } from '../../src/events/events.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createOutboxRunner, type OutboxRunner } from '../../src/jobs/outbox-runner.ts';
import type { Actor } from '../../src/owners/actor.ts';
import type { User } from '../../src/owners/owner.ts';
import { createChangeRetention } from '../../src/owners/retention/change-retention.ts';
import { dayMs, keepEverything, type RetentionRule } from '../../src/owners/retention/retention.ts';
import { resumeRetentionRounds } from '../../src/owners/retention/retention-rounds.ts';
import type { TestQueries } from '../support/every-query.ts';
import { idleHandlers } from '../support/idle-handlers.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { addProject, addUser, sampleBuild } from '../support/sample-rows.ts';
import { createTestClaims } from '../support/test-claims.ts';
import { dialects } from '../support/test-database.ts';

const noon = 400 * dayMs + dayMs / 2;
const everything = { kind: 'everything' } as const;

describe.each(dialects)('retention rules on %s', (dialect) => {
  // SQLite has one writer at a time, and few orders.
  const rounds = dialect === 'sqlite' ? 4 : 10;
  let test: TestData;
  let data: TestQueries;
  let other: TestQueries;
  let ada: User;
  let by: Actor;
  let clock = noon;
  let dispatched: EventCause[] = [];
  beforeAll(async () => {
    test = await openTestData(dialect);
    data = test.data;
    other = (await test.openSecond()).data;
    ada = await addUser(data, 'ada');
    by = { kind: 'user', user: ada };
  });
  afterEach(async () => {
    clock = noon;
    dispatched = [];
    await test.database.queries.deleteFrom('outbox').execute();
    await test.database.queries.deleteFrom('hooks').execute();
    // The next test starts without these Apps and rules.
    await test.database.queries.updateTable('apps').set({ deleted_at: 1, retention: null }).execute();
    for (const table of ['owners', 'workspaces'] as const) {
      await test.database.queries.updateTable(table).set({ retention: null }).execute();
    }
  });
  afterAll(() => test.close());

  let made = 0;
  /** `ages` in days, starting with revision 1. */
  const makeApp = async (ages: number[], ownerId = ada.id): Promise<{ app: App; builds: Build[] }> => {
    const packageName = `com.example.n${made++}`;
    const identity = { ownerId, platform: 'android', packageName, secret: newHexKey(), now: 1 } as const;
    const builds = await data.transaction(async (tx) => {
      const rows: Build[] = [];
      for (const age of ages) {
        const taken = await tx.apps.takeNextRevision(identity);
        const createdAt = noon - age * dayMs;
        const build = sampleBuild(taken.id, taken.lastRevision, { createdAt, sizeBytes: 10 });
        await tx.builds.insertBuild(build);
        rows.push(build);
      }
      return rows;
    });
    const app = await data.apps.findApp(ownerId, 'android', packageName);
    if (!app) throw new Error('no app');
    return { app, builds };
  };
  const present = async ({ id }: App) =>
    (await data.builds.listBuilds(id, { limit: 500 })).map(({ revision }) => revision).reverse();
  const runner = (of = data) => {
    const outbox: OutboxRunner = createOutboxRunner({
      data: of,
      claims: createTestClaims(of),
      now: () => clock,
      handlers: {
        ...idleHandlers,
        ...createRetentionHandlers({ data: of, now: () => clock, wakeOutbox: () => outbox.wake() }),
        'dispatch-event': async ({ event }) => {
          if (event.type === 'build.deleted') dispatched.push(event);
        },
      },
      log: {
        error: (fields) => {
          throw new Error(`a job failed: ${JSON.stringify(fields)}`);
        },
      },
    });
    return outbox;
  };
  const work = async (...nodes: TestQueries[]) => {
    const runners = (nodes.length > 0 ? nodes : [data]).map(runner);
    for (const each of runners) each.wake();
    await Promise.all(runners.map((each) => each.idle()));
    await Promise.all(runners.map((each) => each.stop()));
  };
  const change = (of = data) =>
    createChangeRetention({ data: of, now: () => clock, wakeOutbox: () => undefined });
  const setRule = (app: App, rule: RetentionRule | null) =>
    change()(by, { place: 'app', id: app.id, name: app.packageName, ownerId: app.owner.id }, rule);
  const deletion = () => createBuildDeletion({ data, now: () => clock, wakeOutbox: () => undefined });
  const waiting = () => test.database.queries.selectFrom('outbox').selectAll().orderBy('id').execute();
  const newPage = (appId: string, buildId: string, name = 'main') =>
    data.distributions.insertPage({ appId, name, accessKey: newHexKey(), buildId, releaseNote: '', now: 1 });

  it('remove builds that are neither among the newest nor recent enough, and record it', async () => {
    const { app } = await makeApp([90, 80, 70, 20, 10, 1]);
    await setRule(app, { newest: 2, days: 30 });
    await work();
    expect(await present(app)).toEqual([4, 5, 6]);
    const rows = await data.audit.list(ada.id, 2);
    const [removed, set] = ['retention.removed', 'retention.set'].map((action) =>
      rows.find((row) => row.action === action),
    );
    expect(removed).toMatchObject({
      actorName: 'system',
      action: 'retention.removed',
      subject: `${app.packageName} (android) builds 1–3`,
      details: { revisions: [1, 2, 3], bytes: 30, rule: { newest: 2, days: 30, from: 'app' } },
    });
    expect(set).toMatchObject({
      actorName: 'ada',
      action: 'retention.set',
      subject: `${app.packageName}: the newest 2 and builds of the last 30 days`,
    });
    const [deleted] = await data.buildDeletion.listDeleted(app.id, 0, 1);
    expect(deleted).toMatchObject({ deletedAt: noon, deletedBy: 'the retention rule' });
  });

  it('keep protected, live and newest builds until nothing keeps them', async () => {
    const { app, builds } = await makeApp([90, 80, 70, 60, 50]);
    await data.builds.setProtected(builds[0]?.id ?? '', true);
    const page = await newPage(app.id, builds[1]?.id ?? '');
    await test.database.queries
      .updateTable('distribution_pages')
      .set({ active: 0 })
      .where('id', '=', page.id)
      .execute();
    await setRule(app, { newest: null, days: 7 });
    await work();
    // A page always has a build, closed or not. Builds that are only in its history are deleted like all others.
    expect(await present(app)).toEqual([1, 2, 5]);
    await data.distributions.updatePage(page.id, { buildId: builds[4]?.id ?? '', releaseNote: '', now: 2 });
    await data.builds.setProtected(builds[0]?.id ?? '', false);
    clock += dayMs;
    await work();
    expect(await present(app)).toEqual([5]);
  });

  it('do not apply to a restored build for a week', async () => {
    const { app } = await makeApp([90, 80, 70]);
    await setRule(app, { newest: 1, days: null });
    await work();
    expect(await present(app)).toEqual([3]);
    clock += 1000;
    await deletion().restore(by, app, [1]);
    for (const days of [0, 1, 6]) {
      clock = noon + 1000 + days * dayMs;
      await data.outbox.add({ kind: 'retention-round', scope: everything, after: '' }, clock);
      await work();
      expect(await present(app)).toEqual([1, 3]);
    }
    clock = noon + 1000 + restoreGraceMs;
    await data.outbox.add({ kind: 'retain-builds', appId: app.id, after: 0 }, clock);
    await work();
    expect(await present(app)).toEqual([3]);
  });

  it('remove rows and files a day later, which reduces the storage total', async () => {
    const { app, builds } = await makeApp([90, 80, 1]);
    await setRule(app, { newest: 1, days: null });
    await work();
    const usage = async () => (await data.quotas.usageOf(ada.id)).builds;
    const before = await usage();
    const blobs = createMemoryBlobStore();
    const handlers = createRemovalHandlers({ data, blobs, now: () => clock });
    const job = { buildIds: builds.slice(0, 2).map(({ id }) => id), deletedAt: noon };
    const [claimed] = await data.outbox.claim(lanes.removals, noon + undoMs, 9);
    expect(claimed?.job).toEqual({ kind: 'remove-builds', ...job });
    expect(await data.outbox.claim(lanes.removals, noon + undoMs - 1, 9)).toEqual([]);
    // One of them was restored, which the job detects.
    await deletion().restore(by, app, [1]);
    clock = noon + undoMs;
    await handlers['remove-builds']({ kind: 'remove-builds', ...job }, 'owner');
    await handlers['remove-builds']({ kind: 'remove-builds', ...job }, 'owner');
    expect(await present(app)).toEqual([1, 3]);
    expect(before - (await usage())).toBe(1);
    const left = (await waiting()).filter(({ kind }) => kind === 'remove-blobs');
    expect(left.map(({ payload }) => JSON.parse(payload).blobs)).toEqual([[builds[1]?.packageBlob]]);
  });

  it('apply from the app, its owner or its Workspace, the nearest first', async () => {
    const workspace = await data.owners.insertWorkspace({
      name: `yard${dialect}`,
      displayName: 'Yard',
      iconUrl: '',
      createdAt: 1,
    });
    const tx = await addProject(data, `inside-${dialect}`, workspace.name);
    const strict = await addProject(data, `strict-${dialect}`, workspace.name);
    const outside = await addProject(data, `outside-${dialect}`);
    const apps = await Promise.all([tx, tx, strict, outside].map(({ id }) => makeApp([50, 40, 30, 20], id)));
    const [plain, keeping, owned, free] = apps.map(({ app }) => app);
    if (!plain || !keeping || !owned || !free) throw new Error('no apps');
    await setRule(keeping, keepEverything);
    const set = (place: 'owner' | 'workspace', id: string, newest: number) =>
      change()(by, { place, id, name: id, ownerId: null }, { newest, days: null });
    await set('owner', strict.id, 1);
    await set('workspace', workspace.id, 3);
    const scope = { kind: 'workspace', id: workspace.id } as const;
    const slice = { skip: 0, limit: 9 };
    const shown = await previewScope(data, scope, { newest: 2, days: null }, clock, slice);
    expect(shown).toMatchObject({ builds: 2, bytes: 20, apps: 1, lineCount: 1 });
    expect(shown.lines.map(({ app }) => app.owner.name)).toEqual([tx.name]);
    await work();
    expect(await present(plain)).toEqual([2, 3, 4]);
    expect(await present(keeping)).toEqual([1, 2, 3, 4]);
    expect(await present(owned)).toEqual([4]);
    expect(await present(free)).toEqual([1, 2, 3, 4]);
    // Without the more specific rule, the next one applies immediately.
    await setRule(keeping, null);
    await work();
    expect(await present(keeping)).toEqual([2, 3, 4]);
  });

  it('delete exactly what the preview shows', async () => {
    const { app, builds } = await makeApp(Array.from({ length: 150 }, (_, index) => 200 - index));
    for (const index of [3, 77]) await data.builds.setProtected(builds[index]?.id ?? '', true);
    await newPage(app.id, builds[10]?.id ?? '');
    const rule = { newest: 5, days: 60 };
    const expired: number[] = [];
    for await (const some of previewRemovals(data, app.id, rule, clock)) {
      expired.push(...some.map(({ revision }) => revision));
    }
    const preview = await previewApp(data, app.id, rule, clock, { skip: 50, limit: 50 });
    expect(preview).toMatchObject({ builds: expired.length, bytes: expired.length * 10 });
    expect(preview.shown.map(({ revision }) => revision)).toEqual(expired.slice(50, 100));
    expect(await present(app)).toHaveLength(150);
    await setRule(app, rule);
    await work();
    expect(await present(app)).toEqual(
      builds.map(({ revision }) => revision).filter((revision) => !expired.includes(revision)),
    );
    expect(expired.length).toBeGreaterThan(100);
    expect(await previewApp(data, app.id, rule, clock, { skip: 0, limit: 9 })).toEqual({
      builds: 0,
      bytes: 0,
      shown: [],
    });
  });

  it('either delete a build or let a concurrent protection or publish succeed', async () => {
    for (let round = 0; round < rounds; round++) {
      const { app, builds } = await makeApp([90, 80, 70, 1]);
      const page = await newPage(app.id, builds[3]?.id ?? '');
      await data.retention.setRule('app', app.id, { newest: 1, days: null });
      const protect = () =>
        createBuildChanges({ data: other, now: () => clock, wakeOutbox: () => undefined })
          .edit({ by, app, build: builds[0] as Build }, { protected: true })
          .then(
            () => true,
            () => false,
          );
      const choose = () =>
        other.transaction(async (tx) => {
          const build = await tx.pageSettings.lockBuild(app.id, 2);
          const content = { buildId: build?.id ?? '', releaseNote: '', now: 2 };
          if (build) await tx.distributions.updatePage(page.id, content);
          return build !== null;
        });
      const retain = () => data.transaction((tx) => retainBatch(tx, app.id, 0, clock));
      const actions = [protect, choose, retain] as const;
      const order = round % 2 === 0 ? [0, 1, 2] : [2, 1, 0];
      const outcomes = new Map<number, unknown>();
      const outcome = async (index: number) => outcomes.set(index, await actions[index]?.());
      // The first two rounds one after the other, so that each of them wins once; then all at the same time.
      if (round < 2) for (const index of order) await outcome(index);
      else await Promise.all(order.map(outcome));
      if (round < 2) expect([outcomes.get(0), outcomes.get(1)]).toEqual([round === 0, round === 0]);
      const left = await present(app);
      expect(left.includes(1)).toBe(outcomes.get(0));
      expect(left.includes(2)).toBe(outcomes.get(1));
      expect(left).toContain(4);
      expect(left).not.toContain(3);
      const served = await data.distributions.findPageById(page.id);
      expect(await data.builds.findBuild(served?.buildId ?? '')).not.toBeNull();
    }
  });

  it('run once when two nodes receive the job twice', async () => {
    const { app } = await makeApp(Array.from({ length: 250 }, () => 50));
    await setRule(app, { newest: 10, days: null });
    await data.outbox.add({ kind: 'retain-builds', appId: app.id, after: 0 }, clock);
    await work(data, other);
    expect(await present(app)).toHaveLength(10);
    const rows = (await data.audit.list(ada.id, 500)).filter(
      ({ action, details }) => action === 'retention.removed' && details.app === app.id,
    );
    const named = rows.flatMap(({ details }) => details.revisions as number[]);
    expect(named.sort((one, next) => one - next)).toEqual(
      Array.from({ length: 240 }, (_, index) => index + 1),
    );
    const jobs = (await waiting()).filter(({ kind }) => kind === 'remove-builds');
    expect(jobs.flatMap(({ payload }) => JSON.parse(payload).buildIds)).toHaveLength(240);
  });

  it('resume after a stop between two batches or before the job was completed', async () => {
    const { app } = await makeApp(Array.from({ length: 220 }, () => 50));
    await setRule(app, { newest: 1, days: null });
    const handlers = createRetentionHandlers({ data, now: () => clock, wakeOutbox: () => undefined });
    const [round] = await data.outbox.claim(lanes.retention, clock, 1);
    if (round?.job.kind !== 'retention-round') throw new Error('no round');
    await handlers['retention-round'](round.job, 'owner');
    // The node dies here, and at the same point after the first batch: both jobs are repeated when the lease expires.
    const piece = { kind: 'retain-builds', appId: app.id, after: 0 } as const;
    await handlers['retain-builds'](piece, 'owner');
    expect(await present(app)).toHaveLength(220 - buildBatchSize);
    clock += 10 * 60_000;
    await work();
    expect(await present(app)).toEqual([220]);
    const rows = (await data.audit.list(ada.id, 500)).filter(({ details }) => details.app === app.id);
    expect(rows.flatMap(({ details }) => (details.revisions as number[] | undefined) ?? [])).toHaveLength(
      219,
    );
  });

  it('run daily in a single chain of jobs until no rule remains', async () => {
    const { app } = await makeApp([29, 3, 1]);
    await setRule(app, { newest: 1, days: 30 });
    await Promise.all([
      resumeRetentionRounds(data, clock),
      resumeRetentionRounds(other, clock),
      resumeRetentionRounds(data, clock),
    ]);
    await work(data, other);
    expect(await present(app)).toEqual([1, 2, 3]);
    const rounds = async () =>
      (await waiting())
        .filter(({ kind }) => kind === 'retention-round')
        .map(({ id, run_at }) => [id, run_at]);
    expect(await rounds()).toEqual([['retention-1971-02-06', 401 * dayMs]]);
    clock = 401 * dayMs;
    await work(data, other);
    expect(await present(app)).toEqual([1, 2, 3]);
    // No node ran for a day.
    clock = 403 * dayMs;
    await resumeRetentionRounds(data, clock);
    await work(data, other);
    expect(await present(app)).toEqual([2, 3]);
    expect(await rounds()).toEqual([['retention-1971-02-09', 404 * dayMs]]);
    await setRule(app, null);
    clock = 404 * dayMs;
    await work();
    expect(await rounds()).toEqual([]);
    await resumeRetentionRounds(data, clock);
    expect(await rounds()).toEqual([]);
  });

  it('run after an upload only where a rule is set', async () => {
    const { app } = await makeApp([9, 8]);
    const afterUpload = () => data.transaction((tx) => retainAfterUpload(tx, app.id, clock));
    await afterUpload();
    await data.retention.setRule('app', app.id, keepEverything);
    await afterUpload();
    expect(await waiting()).toEqual([]);
    await data.retention.setRule('app', app.id, { newest: 1, days: null });
    await afterUpload();
    await work();
    expect(await present(app)).toEqual([2]);
    await data.appDeletion.hideApp(app.id, 1);
    await afterUpload();
    expect((await waiting()).filter(({ kind }) => kind === 'retain-builds')).toEqual([]);
  });

  it('ignore deleted apps and owners, and cannot be set there', async () => {
    const { app } = await makeApp([9, 8]);
    await data.retention.setRule('app', app.id, { newest: 1, days: null });
    await data.appDeletion.hideApp(app.id, 1);
    await data.outbox.add({ kind: 'retain-builds', appId: app.id, after: 0 }, clock);
    await data.outbox.add(
      { kind: 'retention-round', scope: { kind: 'owner', id: 'nobody' }, after: '' },
      clock,
    );
    await work();
    expect(await data.builds.listBuilds(app.id, { limit: 9 })).toHaveLength(2);
    await expect(setRule(app, { newest: 1, days: null })).rejects.toThrow(/nothing at this address/);
  });

  it('send one event per app with all deleted builds, and none where nothing is deleted', async () => {
    const [first, second] = [await makeApp([9, 8, 7]), await makeApp([9, 8])];
    await makeApp([1]);
    await data.retention.setRule('owner', ada.id, { newest: 1, days: null });
    await data.outbox.add({ kind: 'retention-round', scope: everything, after: '' }, clock);
    await work();
    expect(dispatched).toHaveLength(2);
    dispatched = [];

    await deletion().restore(by, first.app, [1, 2]);
    await deletion().restore(by, second.app, [1]);
    clock += restoreGraceMs + 1;
    await data.outbox.add({ kind: 'retention-round', scope: everything, after: '' }, clock);
    await work();
    const news = (app: App, revisions: number[]) => ({
      type: 'build.deleted',
      appId: app.id,
      revisions,
      count: revisions.length,
      by: 'the retention rule',
    });
    expect(dispatched).toHaveLength(2);
    expect(dispatched).toEqual(expect.arrayContaining([news(first.app, [1, 2]), news(second.app, [1])]));
  });

  it('report each build once, even after a stop between two batches', async () => {
    const { app } = await makeApp(Array.from({ length: 220 }, () => 50));
    await data.retention.setRule('app', app.id, { newest: 1, days: null });
    for await (const removed of retainApp(data, app.id, () => clock)) {
      expect(removed).toHaveLength(buildBatchSize);
      break;
    }
    await work();
    expect(await present(app)).toHaveLength(220 - buildBatchSize);
    expect(dispatched).toEqual([]);
    clock += 5 * 60_000;
    await work();
    expect(await present(app)).toEqual([220]);
    expect(dispatched).toMatchObject([{ count: 219 }]);

    const another = await makeApp(Array.from({ length: 220 }, () => 50));
    await data.retention.setRule('app', another.app.id, { newest: 1, days: null });
    for await (const removed of retainApp(data, another.app.id, () => clock)) expect(removed).not.toEqual([]);
    expect((await waiting()).filter(({ kind }) => kind === 'retain-builds')).toEqual([]);
    await work();
    expect(dispatched).toMatchObject([{ count: 219 }, { appId: another.app.id, count: 219 }]);
  });

  it('process two thousand builds in batches, with one event of limited size', async () => {
    const { app } = await makeApp([1]);
    const { queries } = test.database;
    const row = await queries
      .selectFrom('builds')
      .selectAll()
      .where('app_id', '=', app.id)
      .executeTakeFirstOrThrow();
    const count = 2000;
    await queries.transaction().execute(async (transaction) => {
      for (let from = 2; from <= count; from += 500) {
        const rows = Array.from({ length: Math.min(500, count - from + 1) }, (_, index) => {
          const id = newIdentifier(from + index);
          return { ...row, id, revision: from + index, package_blob: `packages/${id}`, created_at: 1 };
        });
        await transaction.insertInto('builds').values(rows).execute();
      }
    });
    const rule = { newest: 50, days: null };
    // Counted in parts of 500.
    const preview = await previewApp(data, app.id, rule, clock, { skip: 520, limit: 50 });
    expect(preview.builds).toBe(count - 50);
    expect(preview.shown).toHaveLength(50);
    expect(preview.shown[0]?.revision).toBe(521);
    await data.retention.setRule('app', app.id, rule);
    await data.outbox.add({ kind: 'retain-builds', appId: app.id, after: 0 }, clock);
    await work();
    expect(await present(app)).toHaveLength(50);
    // One row per batch.
    expect(await waiting()).toHaveLength(Math.ceil((count - 50) / buildBatchSize));
    // One event for all of them, of limited size.
    expect(dispatched).toMatchObject([
      { type: 'build.deleted', appId: app.id, count: count - 50, by: 'the retention rule' },
    ]);
    const [event] = dispatched;
    if (event?.type !== 'build.deleted') throw new Error('no event');
    expect(event.revisions).toEqual(Array.from({ length: maxReportedRevisions }, (_, index) => index + 1));
  });
});
