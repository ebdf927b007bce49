/** Removes what the rules do not keep: piece by piece, each piece one transaction with its line in the audit log. */
import type { Data, DataQueries } from '../data.ts';
import type { JobHandlers, RetentionScope } from '../outbox/outbox.ts';
import { effectiveRule, keepsEverything } from '../owners/retention.ts';
import type { RuledApp } from '../owners/retention-queries.ts';
import { planNextRound } from '../owners/retention-rounds.ts';
import { undoMs } from './build-deletion.ts';
import { goingOf, judgeSome } from './judge-builds.ts';
import { type AgedBuild, rangesOf } from './retention.ts';

/** So many Apps are asked for their rule by one step. */
const appsAtOnce = 200;
const rangesInSubject = 12;
/** As lists of deleted builds name who it was. No User can have a name with a space in it. */
const deletedBy = 'the retention rule';

type RetentionHandlers = Pick<JobHandlers, 'retention-round' | 'retain-builds'>;

export function createRetentionHandlers(parts: { data: Data; now: () => number }): RetentionHandlers {
  const { data } = parts;
  return {
    'retention-round': async ({ scope, after }) => {
      await data.transaction((inside) => goRound(inside, scope, after, parts.now()));
    },
    'retain-builds': async ({ appId, after }) => {
      await data.transaction(async (inside) => {
        const now = parts.now();
        const { next } = await retainSome(inside, appId, after, now);
        if (next !== null) await inside.outbox.add({ kind: 'retain-builds', appId, after: next }, now);
      });
    },
  };
}

async function goRound(data: DataQueries, scope: RetentionScope, after: string, now: number): Promise<void> {
  if (scope.kind === 'everything' && after === '') {
    if (!(await data.retention.hasRules())) return;
    await planNextRound(data, now);
  }
  const apps = await data.retention.listApps(scope, after, appsAtOnce);
  const jobs = apps
    .filter(isRuled)
    .map(({ id }) => ({ kind: 'retain-builds', appId: id, after: 0 }) as const);
  await data.outbox.addAll(jobs, now);
  const last = apps.length < appsAtOnce ? undefined : apps.at(-1);
  if (last) await data.outbox.add({ kind: 'retention-round', scope, after: last.id }, now);
}

const isRuled = (app: RuledApp) => !keepsEverything(effectiveRule(app.rules).rule);

/** To be called in the transaction of an upload: the new build may push an older one out. */
export async function retainAfterUpload(
  data: Pick<DataQueries, 'retention' | 'outbox'>,
  appId: string,
  now: number,
): Promise<void> {
  const app = await data.retention.findApp(appId);
  if (app && isRuled(app)) await data.outbox.add({ kind: 'retain-builds', appId, after: 0 }, now);
}

/** The whole App at once, piece by piece; yields what was removed. */
export async function* retainApp(data: Data, appId: string, now: () => number): AsyncGenerator<AgedBuild[]> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const done = await data.transaction((inside) => retainSome(inside, appId, from, now()));
    if (done.removed.length > 0) yield done.removed;
    after = done.next;
  }
}

/** One piece, to be done in a transaction; `next` is null when the App is through. */
export async function retainSome(
  data: DataQueries,
  appId: string,
  after: number,
  now: number,
): Promise<{ removed: AgedBuild[]; next: number | null }> {
  const known = await data.retention.findApp(appId);
  const app = known && (await data.retention.holdApp(known));
  if (!app) return { removed: [], next: null };
  const { rule, from } = effectiveRule(app.rules);
  if (keepsEverything(rule)) return { removed: [], next: null };
  const { going, floor, next } = await judgeSome(data, { appId, rule, after, now });
  // Judged once more with the builds held: who protected one or chose it for a page was first, or comes too late.
  const held = await data.retainedBuilds.hold(
    appId,
    going.map(({ revision }) => revision),
  );
  const removed = await goingOf(data, held, { rule, floor, now });
  if (removed.length > 0) {
    await hide(data, app, removed, now, { ...rule, from });
  }
  return { removed, next };
}

async function hide(
  data: DataQueries,
  app: RuledApp,
  builds: readonly AgedBuild[],
  now: number,
  rule: Record<string, unknown>,
): Promise<void> {
  const buildIds = builds.map(({ id }) => id);
  const revisions = builds.map(({ revision }) => revision);
  await data.buildDeletion.hideBuilds(buildIds, deletedBy, now);
  await data.outbox.addAll([{ kind: 'remove-builds', buildIds, deletedAt: now }], now, now + undoMs);
  const news = { event: 'build.deleted', appId: app.id, revisions, by: deletedBy } as const;
  await data.hooks.tell({ ownerId: app.owner.id, id: app.id }, news, now);
  await data.audit.record({
    at: now,
    actor: 'system',
    action: 'retention.removed',
    ownerId: app.owner.id,
    subject: `${app.packageName} (${app.platform}) ${revisions.length === 1 ? 'build' : 'builds'} ${rangesOf(revisions, rangesInSubject)}`,
    details: { app: app.id, revisions, bytes: sumOf(builds), rule },
  });
}

const sumOf = (builds: readonly AgedBuild[]) => builds.reduce((sum, { bytes }) => sum + bytes, 0);
