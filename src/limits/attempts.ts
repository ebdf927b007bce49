/** Slows down guessing: so many tries for one subject within a window, then a pause; counted for all nodes together. */
import { createHash } from 'node:crypto';
import { TooManyRequests } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { AttemptQueries } from './attempt-queries.ts';
import { attemptQueries } from './attempt-queries.ts';
import type { RefusedKind } from './refused-kind.ts';

export interface AttemptLimit {
  most: number;
  windowMs: number;
  /** Public text, said when there were more. */
  refusal: string;
}

export interface Attempts {
  /**
   * Counts one try, before it is judged, so that guesses sent at once are no more than guesses sent in turn. Throws
   * `too_many` beyond the limit. The subject, for example a login and an address, is kept only as a hash.
   */
  count(subject: readonly string[], limit: AttemptLimit): Promise<void>;
  /** The try was right: what was counted against the subject is forgotten. */
  reset(subject: readonly string[]): Promise<void>;
  /** This try was right, those before it stay counted: for a subject that many people share. */
  refund(subject: readonly string[]): Promise<void>;
}

export function createAttempts(parts: {
  data: Data;
  now: () => number;
  /** Told of each try that was one too many. */
  refused: (kind: RefusedKind) => void;
}): Attempts {
  const { data, now, refused } = parts;
  const sweep = createAttemptSweep(attemptQueries(data));
  return {
    count: async (subject, { most, windowMs, refusal }) => {
      const time = now();
      await sweep(time);
      const [tries] = await attemptQueries(data).countAttempts([hashSubject(subject)], time, windowMs);
      if (!tries || tries.count <= most) return;
      refused('attempt');
      throw new TooManyRequests(refusal, secondsUntilOver(tries.since, windowMs, time));
    },
    reset: (subject) => attemptQueries(data).forgetAttempts(hashSubject(subject)),
    refund: (subject) => attemptQueries(data).refundAttempt(hashSubject(subject)),
  };
}

const sweepEveryMs = 60 * 60_000;

/** The longest window in use: older rows count for nothing. */
export const longestAttemptWindowMs = 24 * 60 * 60_000;

/** Deletes once in a while what counts for nothing any more. To be asked by whoever is about to count. */
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

/** Whole seconds, at least one, until the window that began at `since` has passed. */
export function secondsUntilOver(since: number, windowMs: number, now: number): number {
  const leftMs = Math.min(windowMs, since + windowMs - now);
  return Math.max(1, Math.ceil(leftMs / 1000));
}
