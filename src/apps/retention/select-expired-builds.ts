/** Which builds of an App would go by a rule: what a dry run shows is what the background does. */
import type { Connection } from '../../db/data.ts';
import type { RetentionRule } from '../../owners/retention.ts';
import { buildDeletionQueries } from '../deletion/build-deletion-queries.ts';
import { retainedBuildsQueries } from './retained-builds-queries.ts';
import { type AgedBuild, lastNewest, whyKept } from './retention.ts';

/** So many are looked at, and at most removed, by one step: whoever else writes hardly waits. */
export const buildsAtOnce = 100;

export interface Judged {
  /** Oldest first. */
  going: AgedBuild[];
  /** The lowest revision that counts as newest. */
  floor: number;
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
export async function judgeSome(data: JudgeQueries, question: Question): Promise<Judged> {
  const { appId, rule, after, most = buildsAtOnce } = question;
  const floor = await retainedBuildsQueries(data).revisionAt(appId, lastNewest(rule));
  const builds = await retainedBuildsQueries(data).list(appId, { after, below: floor, most });
  const last = builds.length < most ? undefined : builds.at(-1);
  const going = await goingOf(data, builds, { rule, floor, now: question.now });
  return { going, floor, next: last?.revision ?? null };
}

/** Those of the builds that go. */
export async function goingOf(
  data: Connection,
  builds: readonly AgedBuild[],
  { rule, floor, now }: { rule: RetentionRule; floor: number; now: number },
): Promise<AgedBuild[]> {
  const holding = await buildDeletionQueries(data).holdingPages(builds.map(({ id }) => id));
  const handedOut = new Set(holding.map(({ buildId }) => buildId));
  return builds.filter(
    (build) => whyKept(rule, build, { floor, handedOut: handedOut.has(build.id), now }) === null,
  );
}
