/** Which builds of an App go by a rule, and why the others stay. Pure: the time is passed in. */
import { dayMs, keepsEverything, type RetentionRule } from '../../owners/retention.ts';

/** What a rule asks of a build that is there. */
export interface AgedBuild {
  id: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Package and simulator build. */
  bytes: number;
  createdAt: number;
  protected: boolean;
  /** Epoch milliseconds; it was brought back, and rules let it be until then. */
  sparedUntil: number | null;
}

/** What holds around a build. */
export interface BuildStatus {
  /** The lowest revision that counts as newest. */
  oldestKept: number;
  /** A distribution page hands it out now, closed or not: as with deleting by hand. */
  handedOut: boolean;
  now: number;
}

export type WhyKept = 'everything' | 'newest' | 'young' | 'protected' | 'handed-out' | 'brought-back';

/** How long a rule lets a build be that somebody brought back. */
export const spareMs = 7 * dayMs;

/** Null: it goes. */
export function whyKept(
  rule: RetentionRule,
  build: Pick<AgedBuild, 'revision' | 'createdAt' | 'protected' | 'sparedUntil'>,
  { oldestKept, handedOut, now }: BuildStatus,
): WhyKept | null {
  if (keepsEverything(rule)) return 'everything';
  if (build.revision >= oldestKept) return 'newest';
  if (rule.days !== null && build.createdAt > now - rule.days * dayMs) return 'young';
  if (build.protected) return 'protected';
  if (handedOut) return 'handed-out';
  return build.sparedUntil !== null && build.sparedUntil > now ? 'brought-back' : null;
}

/** The place, counted from 1 for the newest, of the last build that counts as newest: the newest one always does. */
export function lastNewest(rule: RetentionRule): number {
  return Math.max(rule.newest ?? 1, 1);
}

/** `1–40, 43, 47–50`; ascending revisions in, and beyond `mostRanges` only how many more there are. */
export function rangesOf(revisions: readonly number[], mostRanges: number, count = revisions.length): string {
  const ranges: { from: number; to: number }[] = [];
  for (const revision of revisions) {
    const last = ranges.at(-1);
    if (last && last.to === revision - 1) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
  const shown = ranges.slice(0, mostRanges);
  const more = count - shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const words = shown.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
  return more > 0 ? `${words} and ${more} more` : words;
}
