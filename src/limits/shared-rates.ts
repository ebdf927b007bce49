/**
 * How often something that is allowed may be done within a window, counted for all nodes together in one statement. Unlike
 * tries (`attempts.ts`) these are not judged afterwards: what was refused does not count, so that nobody uses up what
 * somebody else shares with them.
 */
import { TooManyRequests } from '../core/errors.ts';
import type { AttemptQueries } from './attempt-queries.ts';
import { createAttemptSweep, hashSubject, secondsUntilOver } from './attempts.ts';
import type { RefusedKind, TellRefused } from './refused-kind.ts';

export interface RateLimitEntry {
  kind: RefusedKind;
  /** Whom it counts against; kept only as a hash. */
  subject: readonly string[];
  most: number;
  /** Public text, said when there were more. */
  refusal: string;
  /** What operators are told of where it came from. */
  from: string | null;
}

export interface SharedRates {
  /** Counts one an hour for each of the charges, or for none: then it throws `too_many`. */
  take(entries: readonly RateLimitEntry[]): Promise<void>;
  /** The same for requests that may turn out not to count. */
  takeRefundable(entries: readonly RateLimitEntry[]): Promise<Refund>;
}

/** Takes back what was counted. Call it once. */
export type Refund = () => Promise<void>;

const windowMs = 60 * 60_000;
/** Refused subjects that a node remembers, so that it need not ask again for each. */
export const maxPauses = 10_000;

export function createSharedRates(parts: {
  queries: AttemptQueries;
  now: () => number;
  refused: TellRefused;
}): SharedRates {
  const { queries, now, refused } = parts;
  const pauses = createPauses();
  const sweep = createAttemptSweep(queries);
  const refuse = (charge: RateLimitEntry, since: number, time: number) => {
    refused(charge.kind, charge.from);
    return new TooManyRequests(charge.refusal, secondsUntilOver(since, windowMs, time));
  };
  const takeRefundable = async (entries: readonly RateLimitEntry[]): Promise<Refund> => {
    if (entries.length === 0) return async () => undefined;
    const time = now();
    const hashed = entries.map((charge) => ({ charge, subject: hashSubject(charge.subject) }));
    for (const { charge, subject } of hashed) {
      const since = pauses.sinceOf(subject, time);
      if (since !== null) throw refuse(charge, since, time);
    }
    await sweep(time);
    const subjects = hashed.map(({ subject }) => subject);
    const counts = new Map(
      (await queries.countAttempts(subjects, time, windowMs)).map((row) => [row.subject, row]),
    );
    const full = hashed.find(({ charge, subject }) => (counts.get(subject)?.count ?? 0) > charge.most);
    const refund = async () => {
      for (const subject of subjects) await queries.refundAttempt(subject);
    };
    if (!full) return refund;
    const since = counts.get(full.subject)?.since ?? time;
    pauses.begin(full.subject, since);
    await refund();
    throw refuse(full.charge, since, time);
  };
  return {
    takeRefundable,
    take: async (entries) => {
      await takeRefundable(entries);
    },
  };
}

/** Which windows are known to be used up: they stay so until they have passed. */
function createPauses() {
  const windows = new Map<string, number>();
  const isOver = (since: number, now: number) => now - since >= windowMs || since - now > windowMs;
  return {
    sinceOf: (subject: string, now: number): number | null => {
      const since = windows.get(subject);
      if (since === undefined) return null;
      if (!isOver(since, now)) return since;
      windows.delete(subject);
      return null;
    },
    begin: (subject: string, since: number) => {
      const [oldest] = windows.keys();
      if (windows.size >= maxPauses && oldest !== undefined) windows.delete(oldest);
      windows.set(subject, since);
    },
  };
}
