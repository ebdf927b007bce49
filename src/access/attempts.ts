/** Slows down guessing: so many tries for one subject within a window, then a pause; counted for all nodes together. */
import { createHash } from 'node:crypto';
import type { Data } from '../data.ts';
import { AppError } from '../errors.ts';

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
  forgive(subject: readonly string[]): Promise<void>;
  /** This try was right, those before it stay counted: for a subject that many people share. */
  giveBack(subject: readonly string[]): Promise<void>;
}

export function createAttempts(parts: { data: Data; now: () => number }): Attempts {
  const { data, now } = parts;
  let sweptAt = 0;
  return {
    count: async (subject, { most, windowMs, refusal }) => {
      if (now() - sweptAt > sweepEveryMs) {
        sweptAt = now();
        await data.access.deleteOldAttempts(now() - longestAttemptWindowMs);
      }
      const tries = await data.access.countAttempt(hashSubject(subject), now(), windowMs);
      if (tries > most) throw new AppError('too_many', refusal);
    },
    forgive: (subject) => data.access.forgetAttempts(hashSubject(subject)),
    giveBack: (subject) => data.access.giveAttemptBack(hashSubject(subject)),
  };
}

const sweepEveryMs = 60 * 60_000;

/** The longest window in use: older rows count for nothing. */
export const longestAttemptWindowMs = 24 * 60 * 60_000;

function hashSubject(subject: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
}
