/** Deletes and restores builds: each action is one transaction with an audit log entry per build. */
import { conflict, invalid, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Job } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { requireDeletable } from '../../owners/policies/enforce-policies.ts';
import type { App, Build } from '../app.ts';
import { buildEntry } from '../builds/build-audit.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { retainedBuildsQueries } from '../retention/retained-builds-queries.ts';
import { restoreGraceMs } from '../retention/retention.ts';
import { buildDeletionQueries } from './build-deletion-queries.ts';
import type { BlockingPage, LockedBuild } from './deletion.ts';

/** How long a deleted build can be restored. */
export const undoMs = 24 * 60 * 60_000;
export const undoHours = undoMs / 3_600_000;
export const maxBuildsPerRequest = 100;

/** Why a build cannot be deleted. */
export interface UndeletableBuild {
  revision: number;
  protected: boolean;
  /** Pages that serve the build. */
  pages: Pick<BlockingPage, 'name' | 'accessKey'>[];
}

export type Deletion =
  | { kind: 'deleted'; revisions: number[] }
  /** Nothing was deleted because some builds cannot be; `others` can. */
  | { kind: 'refused'; kept: UndeletableBuild[]; others: number[] };

/** The command line is not restricted: its user controls the machine. */
type Deleter = Actor | 'command-line';

export interface BuildDeletion {
  /** Ignores builds that are already deleted. Throws `not_found` if none of the builds exist, and `PolicyRefused`. */
  remove(by: Deleter, app: App, revisions: readonly number[]): Promise<Deletion>;
  /** Returns the revisions that exist now. Throws `conflict` if one of them is permanently deleted; none is restored then. */
  restore(by: Deleter, app: App, revisions: readonly number[]): Promise<number[]>;
}

export function createBuildDeletion(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains work. */
  wakeOutbox: () => void;
}): BuildDeletion {
  const { data, now } = deps;
  return {
    remove: async (by, app, revisions) => {
      requireSelection(revisions);
      const deletion = await data.transaction((tx) => remove(tx, { by, app, revisions, now: now() }));
      deps.wakeOutbox();
      return deletion;
    },
    restore: async (by, app, revisions) => {
      requireSelection(revisions);
      const restored = await data.transaction((tx) => restore(tx, { by, app, revisions, now: now() }));
      deps.wakeOutbox();
      return restored;
    },
  };
}

/** Throws `invalid` for no builds, or for more than one request may change. */
export function requireSelection(revisions: readonly number[]): void {
  if (revisions.length === 0) throw invalid(buildTexts.list.selectionMissing);
  if (revisions.length > maxBuildsPerRequest)
    throw invalid(buildTexts.list.selectionLong({ limit: maxBuildsPerRequest }));
}

interface Change {
  by: Deleter;
  app: App;
  revisions: readonly number[];
  now: number;
}

async function remove(data: Connection, { by, app, revisions, now }: Change): Promise<Deletion> {
  const locked = await buildDeletionQueries(data).lockBuilds(app.id, revisions);
  if (locked.length === 0) throw new NotFound(buildTexts.gone);
  const present = locked.filter(({ deletedAt }) => deletedAt === null);
  const newestAt = present.length === 0 ? null : Math.max(...present.map(({ createdAt }) => createdAt));
  await requireDeletable(data, app.owner.id, newestAt, now);
  // Checked while the builds are locked: earlier publishes are visible, later ones wait.
  const pages = await buildDeletionQueries(data).blockingPages(present.map(({ id }) => id));
  const kept = present.map((build) => keptBuild(build, pages)).filter((build) => build !== null);
  if (kept.length > 0) {
    const staying = new Set(kept.map(({ revision }) => revision));
    const others = present.map(({ revision }) => revision).filter((revision) => !staying.has(revision));
    return { kind: 'refused', kept, others };
  }
  await buildDeletionQueries(data).hideBuilds(
    present.map(({ id }) => id),
    nameOf(by),
    now,
  );
  const jobs = present.map(({ id }) => ({ kind: 'remove-build', buildId: id, deletedAt: now }) as const);
  await outboxQueries(data).addAll(app.owner.id, jobs, now, now + undoMs);
  if (present.length > 0) {
    const gone = present.map(({ revision }) => revision);
    const event = { type: 'build.deleted', appId: app.id, revisions: gone, by: nameOf(by) } as const;
    await eventQueries(data).dispatch(app.owner.id, event, now);
  }
  for (const build of present)
    await auditQueries(data).record(buildEntry('build.deleted', by, app, build, now));
  return { kind: 'deleted', revisions: locked.map(({ revision }) => revision) };
}

/** Actor name shown for deletions by the command line. User names never contain a space. */
const nameOf = (by: Deleter) => (by === 'command-line' ? 'the command line' : actorName(by));

function keptBuild(build: LockedBuild, pages: readonly BlockingPage[]): UndeletableBuild | null {
  const holding = pages.filter(({ buildId }) => buildId === build.id);
  if (!build.protected && holding.length === 0) return null;
  const named = holding.map(({ name, accessKey }) => ({ name, accessKey }));
  return { revision: build.revision, protected: build.protected, pages: named };
}

async function restore(data: Connection, { by, app, revisions, now }: Change): Promise<number[]> {
  const locked = await buildDeletionQueries(data).lockBuilds(app.id, revisions);
  const late = ({ deletedAt }: LockedBuild) => deletedAt !== null && deletedAt <= now - undoMs;
  if (locked.length < new Set(revisions).size || locked.some(late)) {
    throw conflict(buildTexts.deleted.permanently);
  }
  const deleted = locked.filter(({ deletedAt }) => deletedAt !== null);
  const deletedIds = deleted.map(({ id }) => id);
  await buildDeletionQueries(data).showBuilds(deletedIds);
  await retainedBuildsQueries(data).exempt(deletedIds, now + restoreGraceMs);
  for (const { id } of deleted) {
    const missed = missedJobs(await buildQueries(data).findBuild(id));
    await outboxQueries(data).addAll(app.owner.id, missed, now);
    await eventQueries(data).dispatch(app.owner.id, { type: 'build.restored', buildId: id }, now);
  }
  for (const build of deleted)
    await auditQueries(data).record(buildEntry('build.restored', by, app, build, now));
  return locked.map(({ revision }) => revision);
}

/** Returns the jobs that the upload planned and that may have skipped the build while it was hidden. */
function missedJobs(build: Build | null): Job[] {
  const jobs: Job[] = [];
  if (build?.icon.state === 'pending') jobs.push({ kind: 'draw-icon', buildId: build.id });
  if (build?.verification === null && build.info.signing.schemes.length > 0) {
    jobs.push({ kind: 'verify-signature', buildId: build.id });
  }
  return jobs;
}
