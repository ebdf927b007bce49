/** Which builds of an App would go by a rule: what a dry run shows is what the background does. */
import type { Connection } from '../../db/data.ts';
import type { RetentionRule } from '../../owners/retention.ts';
import { buildDeletionQueries } from '../deletion/build-deletion-queries.ts';
import { retainedBuildsQueries } from './retained-builds-queries.ts';
import { type AgedBuild, lastNewest, whyKept } from './retention.ts';

/** So many are looked at, and at most removed, by one step: whoever else writes hardly waits. */
export const buildsAtOnce = 100;

export interface ExpiredBuilds {
  /** Oldest first. */
  expired: AgedBuild[];
  /** The lowest revision that counts as newest. */
  oldestKept: number;
  /** The revision behind which to go on; null when every build was judged. */
  next: number | null;
}

export interface Question {
  appId: string;
  rule: RetentionRule;
  /** Behind this revision; 0 for the beginning. */
  after: number;
  most?: number;
  now: number;
}

type JudgeQueries = Connection;

/** One piece of an App's builds. */
export async function selectExpiredBuilds(data: JudgeQueries, question: Question): Promise<ExpiredBuilds> {
  const { appId, rule, after, most = buildsAtOnce } = question;
  const oldestKept = await retainedBuildsQueries(data).revisionAt(appId, lastNewest(rule));
  const builds = await retainedBuildsQueries(data).list(appId, { after, below: oldestKept, most });
  const last = builds.length < most ? undefined : builds.at(-1);
  const expired = await expiredOf(data, builds, { rule, oldestKept, now: question.now });
  return { expired, oldestKept, next: last?.revision ?? null };
}

/** Those of the builds that go. */
export async function expiredOf(
  data: Connection,
  builds: readonly AgedBuild[],
  { rule, oldestKept, now }: { rule: RetentionRule; oldestKept: number; now: number },
): Promise<AgedBuild[]> {
  const holding = await buildDeletionQueries(data).holdingPages(builds.map(({ id }) => id));
  const handedOut = new Set(holding.map(({ buildId }) => buildId));
  return builds.filter(
    (build) => whyKept(rule, build, { oldestKept, handedOut: handedOut.has(build.id), now }) === null,
  );
}
