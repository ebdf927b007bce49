/** Limits guessing: a number of attempts per subject within a window, counted across all nodes. */
import { createHash } from 'node:crypto';
import { TooManyRequests } from '../core/errors.ts';
import type { LimitRefusal } from '../core/limit-refusal.ts';
import type { Data } from '../db/data.ts';
import { type AttemptQueries, attemptQueries } from './attempt-queries.ts';
import { siteFactor, siteOf } from './client-network.ts';
import type { RefusedKind } from './rate-limit-kind.ts';

export interface AttemptLimit {
  limit: number;
  windowMs: number;
  refusal: LimitRefusal;
}

export interface Attempts {
  /**
   * Counts one attempt, or `weight` attempts at once, before its outcome is known, so that parallel guesses get no extra attempts. Throws
   * `TooManyRequests` over the limit. Stores only a hash of the subject.
   */
  count(subject: readonly string[], limit: AttemptLimit, weight?: number): Promise<void>;
  /** Counts for a network of `networkOf`, and for its site, whose networks together have five times as many attempts. */
  countFrom(network: string, subject: readonly string[], limit: AttemptLimit, weight?: number): Promise<void>;
  /** Clears the count of a subject after a successful attempt. */
  reset(subject: readonly string[]): Promise<void>;
  /** Uncounts one successful attempt and keeps the others: for a subject that many people share. */
  refund(subject: readonly string[]): Promise<void>;
}

export function createAttempts(deps: {
  data: Data;
  now: () => number;
  /** Called for each attempt over the limit. */
  refused: (kind: RefusedKind) => void;
}): Attempts {
  const { data, now, refused } = deps;
  const sweep = createAttemptSweep(attemptQueries(data));
  const count: Attempts['count'] = async (subject, { limit, windowMs, refusal }, weight = 1) => {
    const time = now();
    await sweep(time);
    const [tries] = await attemptQueries(data).countAttempts([hashSubject(subject)], time, windowMs, weight);
    if (!tries || tries.count <= limit) return;
    refused('attempt');
    throw new TooManyRequests(refusal, secondsUntilOver(tries.since, windowMs, time));
  };
  return {
    count,
    countFrom: async (network, subject, limit, weight) => {
      await count([...subject, network], limit, weight);
      const site = siteOf(network);
      if (site === network) return;
      await count([...subject, site], { ...limit, limit: limit.limit * siteFactor }, weight);
    },
    reset: (subject) => attemptQueries(data).resetAttempts(hashSubject(subject)),
    refund: (subject) => attemptQueries(data).refundAttempt(hashSubject(subject)),
  };
}

const sweepEveryMs = 60 * 60_000;

/** The longest window in use. Older rows can be deleted. */
export const longestAttemptWindowMs = 24 * 60 * 60_000;

/** Returns a function that deletes expired rows from time to time. Call it before counting. */
export function createAttemptSweep(queries: AttemptQueries): (now: number) => Promise<void> {
  let sweptAt = 0;
  return async (now) => {
    if (now - sweptAt <= sweepEveryMs) return;
    sweptAt = now;
    await queries.deleteOldAttempts(now - longestAttemptWindowMs);
  };
}

export function hashSubject(subject: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
}

/** Returns the seconds, at least one, until the window that began at `since` ends. */
export function secondsUntilOver(since: number, windowMs: number, now: number): number {
  const leftMs = Math.min(windowMs, since + windowMs - now);
  return Math.max(1, Math.ceil(leftMs / 1000));
}
