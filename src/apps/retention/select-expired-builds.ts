/** Selects the builds that a rule deletes. Shared by the preview and the background job. */
import type { Connection } from '../../db/data.ts';
import type { RetentionRule } from '../../owners/retention/retention.ts';
import { buildDeletionQueries } from '../deletion/build-deletion-queries.ts';
import { retainedBuildsQueries } from './retained-builds-queries.ts';
import { keepReason, lastNewestPosition, type RetentionCandidate } from './retention.ts';

/** Batch size per step, so that other writers do not wait. */
export const buildBatchSize = 100;

export interface ExpiredBuilds {
  /** Oldest first. */
  expired: RetentionCandidate[];
  /** The lowest revision that counts as newest. */
  oldestKept: number;
  /** Revision to continue after; null at the end. */
  next: number | null;
}

export interface Question {
  appId: string;
  rule: RetentionRule;
  /** Revision to start after, or 0. */
  after: number;
  limit?: number;
  now: number;
}

type SelectionQueries = Connection;

/** Selects from one batch of builds. */
export async function selectExpiredBuilds(
  data: SelectionQueries,
  question: Question,
): Promise<ExpiredBuilds> {
  const { appId, rule, after, limit = buildBatchSize } = question;
  const oldestKept = await retainedBuildsQueries(data).revisionAt(appId, lastNewestPosition(rule));
  const builds = await retainedBuildsQueries(data).list(appId, { after, below: oldestKept, limit });
  const last = builds.length < limit ? undefined : builds.at(-1);
  const expired = await filterExpired(data, builds, { rule, oldestKept, now: question.now });
  return { expired, oldestKept, next: last?.revision ?? null };
}

/** Returns the builds that the rule deletes. */
export async function filterExpired(
  data: Connection,
  builds: readonly RetentionCandidate[],
  { rule, oldestKept, now }: { rule: RetentionRule; oldestKept: number; now: number },
): Promise<RetentionCandidate[]> {
  const holding = await buildDeletionQueries(data).blockingPages(builds.map(({ id }) => id));
  const served = new Set(holding.map(({ buildId }) => buildId));
  return builds.filter(
    (build) => keepReason(rule, build, { oldestKept, served: served.has(build.id), now }) === null,
  );
}
