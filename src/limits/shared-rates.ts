/**
 * Hourly limits on permitted actions, counted across all nodes in one statement. Unlike attempts (`attempts.ts`), refused actions
 * do not count, so one caller cannot use up a shared limit.
 */
import { TooManyRequests } from '../core/errors.ts';
import type { LimitRefusal } from '../core/limit-refusal.ts';
import type { AttemptQueries } from './attempt-queries.ts';
import { createAttemptSweep, hashSubject, secondsUntilOver } from './attempts.ts';
import type { OnRefused, RefusedKind } from './rate-limit-kind.ts';

export interface RateLimitEntry {
  kind: RefusedKind;
  /** The subject of the limit. Only a hash of it is stored. */
  subject: readonly string[];
  limit: number;
  refusal: LimitRefusal;
  /** The network or owner's name reported to operators; null if it must not be disclosed. */
  from: string | null;
}

export interface SharedRates {
  /** Counts one action against every entry, or against none and throws `TooManyRequests`. */
  take(entries: readonly RateLimitEntry[]): Promise<void>;
  /** Like `take`, but returns a function that refunds the action. */
  takeRefundable(entries: readonly RateLimitEntry[]): Promise<Refund>;
  /** Throws `TooManyRequests` if the costs added with `add` within an hour have reached the limit. */
  check(entry: RateLimitEntry): Promise<void>;
  /** Adds the cost of an action when it is known. */
  add(subject: readonly string[], cost: number): Promise<void>;
}

/** Refunds the count. Call it only once. */
export type Refund = () => Promise<void>;

const windowMs = 60 * 60_000;
/** How many refused subjects a node remembers, to refuse them without a query. */
export const maxPauses = 10_000;

export function createSharedRates(deps: {
  queries: AttemptQueries;
  now: () => number;
  refused: OnRefused;
}): SharedRates {
  const { queries, now, refused } = deps;
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
    const full = hashed.find(({ charge, subject }) => (counts.get(subject)?.count ?? 0) > charge.limit);
    const refund = async () => {
      for (const subject of subjects) await queries.refundAttempts(subject, 1);
    };
    if (!full) return refund;
    const since = counts.get(full.subject)?.since ?? time;
    pauses.begin(full.subject, since);
    await refund();
    throw refuse(full.charge, since, time);
  };
  return {
    check: async (entry) => {
      const time = now();
      const known = await queries.findAttempts(hashSubject(entry.subject));
      if (!known || isOver(known.since, time) || known.count < entry.limit) return;
      throw refuse(entry, known.since, time);
    },
    add: async (subject, cost) => {
      const time = now();
      await sweep(time);
      await queries.countAttempts([hashSubject(subject)], time, windowMs, cost);
    },
    takeRefundable,
    take: async (entries) => {
      await takeRefundable(entries);
    },
  };
}

const isOver = (since: number, now: number) => now - since >= windowMs || since - now > windowMs;

/** Remembers exhausted windows until they end. */
function createPauses() {
  const windows = new Map<string, number>();
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
