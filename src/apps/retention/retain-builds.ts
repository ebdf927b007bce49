/** Deletes the builds that retention rules don't keep, in batches: each batch is one transaction with one audit log entry. */
import { newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import { type DeletedBuilds, maxReportedRevisions } from '../../events/events.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Job, JobHandlers, RetentionScope } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { effectiveRule, keepsEverything } from '../../owners/retention/retention.ts';
import { type AppWithRetention, retentionQueries } from '../../owners/retention/retention-queries.ts';
import { scheduleNextRound } from '../../owners/retention/retention-rounds.ts';
import { undoMs } from '../deletion/build-deletion.ts';
import { buildDeletionQueries } from '../deletion/build-deletion-queries.ts';
import { retentionRuleName } from '../deletion/deletion.ts';
import { retainedBuildsQueries } from './retained-builds-queries.ts';
import { formatRanges, type RetentionCandidate } from './retention.ts';
import { filterExpired, selectExpiredBuilds } from './select-expired-builds.ts';

/** Number of apps per step. */
const appBatchSize = 200;
const rangesInSubject = 12;

type RetentionHandlers = Pick<JobHandlers, 'retention-round' | 'retain-builds'>;

export function createRetentionHandlers(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when other lanes have work. */
  wakeOutbox: () => void;
}): RetentionHandlers {
  const { data } = deps;
  return {
    'retention-round': async (job, ownerId) => {
      await data.transaction((tx) => runRetentionRound(tx, job, ownerId, deps.now()));
    },
    'retain-builds': async (job, ownerId) => {
      const through = await data.transaction(async (tx) => {
        const now = deps.now();
        const { rest } = await retainStep(tx, job, now);
        if (rest) await outboxQueries(tx).add(ownerId, rest, now);
        return rest === null;
      });
      if (through) deps.wakeOutbox();
    },
  };
}

async function runRetentionRound(
  data: Connection,
  { scope, after }: { scope: RetentionScope; after: string },
  ownerId: string,
  now: number,
): Promise<void> {
  if (scope.kind === 'everything' && after === '') {
    if (!(await retentionQueries(data).hasRules())) return;
    await scheduleNextRound(data, now);
  }
  const apps = await retentionQueries(data).listApps(scope, after, appBatchSize);
  for (const [appOwnerId, ofOwner] of Map.groupBy(apps.filter(hasRetentionRule), ({ owner }) => owner.id)) {
    const jobs = ofOwner.map(({ id }) => ({ kind: 'retain-builds', appId: id, after: 0 }) as const);
    await outboxQueries(data).addAll(appOwnerId, jobs, now);
  }
  const last = apps.length < appBatchSize ? undefined : apps.at(-1);
  if (last) await outboxQueries(data).add(ownerId, { kind: 'retention-round', scope, after: last.id }, now);
}

const hasRetentionRule = (app: AppWithRetention) => !keepsEverything(effectiveRule(app.rules).rule);

/** Call it in the transaction of an upload: the new build can make an older one expire. */
export async function retainAfterUpload(data: Connection, appId: string, now: number): Promise<void> {
  const app = await retentionQueries(data).findApp(appId);
  if (app && hasRetentionRule(app))
    await outboxQueries(data).add(app.owner.id, { kind: 'retain-builds', appId, after: 0 }, now);
}

/** Longer than one batch takes. */
const resumeAfterMs = 5 * 60_000;

/**
 * Processes an entire app in batches and yields what was deleted. Each batch leaves a delayed job that resumes if this
 * process stops, so that webhooks report all deleted builds.
 */
export async function* retainApp(
  data: Data,
  appId: string,
  now: () => number,
): AsyncGenerator<RetentionCandidate[]> {
  const id = newIdentifier(now());
  const ownerId = (await retentionQueries(data).findApp(appId))?.owner.id;
  if (ownerId === undefined) return;
  for (let job: RetainJob | null = { kind: 'retain-builds', appId, after: 0 }; job !== null; ) {
    const from: RetainJob = job;
    const done = await data.transaction(async (tx) => {
      const at = now();
      await outboxQueries(tx).remove(id);
      const step = await retainStep(tx, from, at);
      if (step.rest) await outboxQueries(tx).addOnce(id, ownerId, step.rest, at, at + resumeAfterMs);
      return step;
    });
    if (done.removed.length > 0) yield done.removed;
    job = done.rest;
  }
}

type RetainJob = Extract<Job, { kind: 'retain-builds' }>;

/** Processes one batch, and dispatches one event for all batches after the last one. `rest` is null when the app is done. */
async function retainStep(
  data: Connection,
  { appId, after, gone: before }: RetainJob,
  now: number,
): Promise<{ removed: RetentionCandidate[]; rest: RetainJob | null }> {
  const { removed, next } = await retainBatch(data, appId, after, now);
  const app = await retentionQueries(data).findApp(appId);
  const gone = addGone(before ?? { count: 0, revisions: [] }, removed);
  if (next !== null) return { removed, rest: { kind: 'retain-builds', appId, after: next, gone } };
  if (app && gone.count > 0) {
    const event = { type: 'build.deleted', appId, ...gone, by: retentionRuleName } as const;
    await eventQueries(data).dispatch(app.owner.id, event, now);
  }
  return { removed, rest: null };
}

function addGone({ count, revisions }: DeletedBuilds, builds: readonly RetentionCandidate[]): DeletedBuilds {
  return {
    count: count + builds.length,
    revisions: [...revisions, ...builds.map(({ revision }) => revision)].slice(0, maxReportedRevisions),
  };
}

/** Processes one batch within a transaction, without dispatching an event. `next` is null when the app is done. */
export async function retainBatch(
  data: Connection,
  appId: string,
  after: number,
  now: number,
): Promise<{ removed: RetentionCandidate[]; next: number | null }> {
  const known = await retentionQueries(data).findApp(appId);
  const app = known && (await retentionQueries(data).lockApp(known));
  if (!app) return { removed: [], next: null };
  const { rule, from } = effectiveRule(app.rules);
  if (keepsEverything(rule)) return { removed: [], next: null };
  const { expired, oldestKept, next } = await selectExpiredBuilds(data, { appId, rule, after, now });
  // Checked again while the builds are locked: a concurrent protection or publish is either visible or waits.
  const locked = await retainedBuildsQueries(data).lock(
    appId,
    expired.map(({ revision }) => revision),
  );
  const removed = await filterExpired(data, locked, { rule, oldestKept, now });
  if (removed.length > 0) {
    await hide(data, app, removed, now, { ...rule, from });
  }
  return { removed, next };
}

async function hide(
  data: Connection,
  app: AppWithRetention,
  builds: readonly RetentionCandidate[],
  now: number,
  rule: Record<string, unknown>,
): Promise<void> {
  const buildIds = builds.map(({ id }) => id);
  const revisions = builds.map(({ revision }) => revision);
  await buildDeletionQueries(data).hideBuilds(buildIds, retentionRuleName, now);
  const removal = { kind: 'remove-builds', buildIds, deletedAt: now } as const;
  await outboxQueries(data).addAll(app.owner.id, [removal], now, now + undoMs);
  await auditQueries(data).record({
    at: now,
    actor: 'system',
    action: 'retention.removed',
    ownerId: app.owner.id,
    subject: `${app.packageName} (${app.platform}) ${revisions.length === 1 ? 'build' : 'builds'} ${formatRanges(revisions, rangesInSubject)}`,
    details: { app: app.id, revisions, bytes: sumOf(builds), rule },
  });
}

const sumOf = (builds: readonly RetentionCandidate[]) => builds.reduce((sum, { bytes }) => sum + bytes, 0);
