/** Decides which builds a retention rule deletes. Pure: the time is an argument. */
import { dayMs, keepsEverything, type RetentionRule } from '../../owners/retention/retention.ts';

/** The properties of an existing build that rules use. */
export interface RetentionCandidate {
  id: string;
  revision: number;
  versionName: string | null;
  versionCode: string;
  /** Size of the package and the simulator build. */
  bytes: number;
  createdAt: number;
  protected: boolean;
  /** Epoch milliseconds. Rules ignore a restored build until then. */
  exemptUntil: number | null;
}

export interface BuildStatus {
  /** The lowest revision that counts as newest. */
  oldestKept: number;
  /** Whether a distribution page serves it, open or closed, which also prevents manual deletion. */
  served: boolean;
  now: number;
}

export type KeepReason = 'everything' | 'newest' | 'young' | 'protected' | 'handed-out' | 'brought-back';

/** How long rules ignore a restored build. */
export const restoreGraceMs = 7 * dayMs;

/** Returns why the build is kept, or null if the rule deletes it. */
export function keepReason(
  rule: RetentionRule,
  build: Pick<RetentionCandidate, 'revision' | 'createdAt' | 'protected' | 'exemptUntil'>,
  { oldestKept, served, now }: BuildStatus,
): KeepReason | null {
  if (keepsEverything(rule)) return 'everything';
  if (build.revision >= oldestKept) return 'newest';
  if (rule.days !== null && build.createdAt > now - rule.days * dayMs) return 'young';
  if (build.protected) return 'protected';
  if (served) return 'handed-out';
  return build.exemptUntil !== null && build.exemptUntil > now ? 'brought-back' : null;
}

/** Returns the 1-based position, from the newest, of the last build that counts as newest. The newest build always does. */
export function lastNewestPosition(rule: RetentionRule): number {
  return Math.max(rule.newest ?? 1, 1);
}

/** Formats ascending revisions as `1–40, 43, 47–50`, then the number of builds beyond `maxRanges` ranges. */
export function formatRanges(
  revisions: readonly number[],
  maxRanges: number,
  count = revisions.length,
): string {
  const ranges: { from: number; to: number }[] = [];
  for (const revision of revisions) {
    const last = ranges.at(-1);
    if (last && last.to === revision - 1) last.to = revision;
    else ranges.push({ from: revision, to: revision });
  }
  const shown = ranges.slice(0, maxRanges);
  const more = count - shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const words = shown.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(', ');
  return more > 0 ? `${words} and ${more} more` : words;
}
