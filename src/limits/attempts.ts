/**
 * Limits guessing and work: a number of attempts per subject within a window, counted across all nodes. Attempts are counted
 * before their outcome is known. If the database, a disk or a service is unavailable, the attempts of the request are refunded,
 * because its answer reveals nothing about a guess. A request that fails unexpectedly keeps its count, because its input may have
 * caused the failure.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Claims } from '../claims/claims.ts';
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
   * Counts one attempt, or `weight` attempts at once, before the outcome is known, so that parallel guesses get no extra
   * attempts. Throws `TooManyRequests` above the limit. Stores only a hash of the subject.
   */
  count(subject: readonly string[], limit: AttemptLimit, weight?: number): Promise<void>;
  /**
   * Counts for a network, as returned by `networkOf`, and for its site. All networks of a site together have five times as many
   * attempts.
   */
  countFrom(network: string, subject: readonly string[], limit: AttemptLimit, weight?: number): Promise<void>;
  /** Whether nobody has used the subject within the window. A request that was not served has used it, too. */
  useOnce(subject: readonly string[], windowMs: number): Promise<boolean>;
  /** Clears the count of a subject after a successful attempt. */
  reset(subject: readonly string[]): Promise<void>;
  /** Refunds one successful attempt but keeps the others, for a subject shared by many people. */
  refund(subject: readonly string[]): Promise<void>;
  /** Refunds what `countFrom` counted. */
  refundFrom(network: string, subject: readonly string[]): Promise<void>;
  /** Runs a request, and refunds its attempts if it throws because something is unavailable, or if it answers 503. */
  refundUnserved<Answer extends { status?: number } | undefined>(run: () => Promise<Answer>): Promise<Answer>;
}

export function createAttempts(deps: {
  data: Data;
  claims: Pick<Claims, 'begin' | 'settle'>;
  now: () => number;
  /** Called for each attempt over the limit. */
  refused: (kind: RefusedKind) => void;
  /** Whether an error means that the database, a disk or a service is unavailable. */
  isUnavailable: (error: unknown) => boolean;
}): Attempts {
  const { data, claims, now, refused } = deps;
  const sweep = createAttemptSweep(attemptQueries(data));
  /** The counts of the current request, by hash of the subject. */
  const requests = new AsyncLocalStorage<Map<string, number>>();
  const remember = (hashed: string, weight: number) => {
    const counted = requests.getStore();
    counted?.set(hashed, Math.max(0, (counted.get(hashed) ?? 0) + weight));
  };
  const add = async (hashed: string, time: number, windowMs: number, weight: number) => {
    await sweep(time);
    const [tries] = await attemptQueries(data).countAttempts([hashed], time, windowMs, weight);
    return tries;
  };
  const count: Attempts['count'] = async (subject, { limit, windowMs, refusal }, weight = 1) => {
    const time = now();
    const hashed = hashSubject(subject);
    const tries = await add(hashed, time, windowMs, weight);
    remember(hashed, weight);
    if (!tries || tries.count <= limit) return;
    refused('attempt');
    throw new TooManyRequests(refusal, secondsUntilOver(tries.since, windowMs, time));
  };
  const refund: Attempts['refund'] = async (subject) => {
    const hashed = hashSubject(subject);
    await attemptQueries(data).refundAttempts(hashed, 1);
    remember(hashed, -1);
  };
  return {
    count,
    countFrom: async (network, subject, limit, weight) => {
      await count([...subject, network], limit, weight);
      const site = siteOf(network);
      if (site === network) return;
      await count([...subject, site], { ...limit, limit: limit.limit * siteFactor }, weight);
    },
    useOnce: async (subject, windowMs) => (await add(hashSubject(subject), now(), windowMs, 1))?.count === 1,
    reset: async (subject) => {
      const hashed = hashSubject(subject);
      await attemptQueries(data).resetAttempts(hashed);
      requests.getStore()?.delete(hashed);
    },
    refund,
    refundFrom: async (network, subject) => {
      for (const place of new Set([network, siteOf(network)])) await refund([...subject, place]);
    },
    refundUnserved: async (run) => {
      const counted = new Map<string, number>();
      const refundAll = async () => {
        for (const [hashed, weight] of counted) {
          await attemptQueries(data).refundAttempts(hashed, weight);
          counted.delete(hashed);
        }
      };
      // Repeated until the database accepts it: otherwise an outage would count as wrong guesses of the people it affects.
      const refundIf = async (isUnserved: boolean) => {
        if (isUnserved && counted.size > 0) await claims.settle(claims.begin(), refundAll);
      };
      try {
        const answer = await requests.run(counted, run);
        await refundIf(answer?.status === 503);
        return answer;
      } catch (error) {
        await refundIf(deps.isUnavailable(error));
        throw error;
      }
    },
  };
}

const sweepEveryMs = 60 * 60_000;

/** The longest window in use, after which rows can be deleted. */
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

/** Returns the seconds, at least one, until the end of the window that began at `since`. */
export function secondsUntilOver(since: number, windowMs: number, now: number): number {
  const leftMs = Math.min(windowMs, since + windowMs - now);
  return Math.max(1, Math.ceil(leftMs / 1000));
}
