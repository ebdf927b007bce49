/**
 * Limits on guessing the secrets of an account. Strangers cannot use up the guesses of its owner: browsers and networks in
 * which the account has signed in have separate budgets.
 */

import { TooManyRequests } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { AttemptLimit, Attempts } from '../../limits/attempts.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { dayMs } from '../sessions/session-config.ts';

/** Where a guess comes from. */
export interface GuessPlace {
  network: string;
  /** Names a browser in which the account has signed in, or one of its sessions; null: neither. */
  known: string | null;
}

export interface GuessLimits {
  /** Of what. */
  name: string;
  /** For each known place of an account; the shortest first: guesses that it refuses do not count against the others. */
  known: readonly AttemptLimit[];
  /** For each network, from all other browsers in it. */
  network: readonly AttemptLimit[];
  /** For all networks together in which the account has not signed in lately; null: the secret is too long to guess. */
  elsewhere: AttemptLimit | null;
}

/** The account whose secret is being guessed. `userId` is null when no account has the typed name; such attempts count too. */
export interface GuessTarget {
  name: string;
  userId: string | null;
}

/** To be called when the guess was right. */
export type Right = () => Promise<void>;

/** How long a network is remembered in which an account has signed in. */
export const knownNetworkMs = 30 * dayMs;
/** Of an account's sign-ins the newest that are searched for a network. */
const mostSearched = 100;

/** Counts a guess before it is judged. Throws `TooManyRequests`. */
export type CountGuess = (limits: GuessLimits, target: GuessTarget, place: GuessPlace) => Promise<Right>;

export function createCountGuess(parts: { data: Data; attempts: Attempts; now: () => number }): CountGuess {
  const { attempts } = parts;
  return async ({ name, known, network, elsewhere }, target, place) => {
    const where = place.known === null ? ['network', place.network] : ['known', place.known];
    const own = (place.known === null ? network : known).map((limit) => ({
      subject: ['guess', name, target.name, ...where, String(limit.windowMs)],
      limit,
    }));
    for (const { subject, limit } of own) await attempts.count(subject, limit);
    const shared = ['guess', name, target.name, 'elsewhere'];
    const isShared = elsewhere !== null && place.known === null;
    if (isShared) {
      await attempts.count(shared, elsewhere).catch(async (error: unknown) => {
        if (!(error instanceof TooManyRequests) || !(await hasSignedInFrom(parts, target, place)))
          throw error;
      });
    }
    return async () => {
      const shortest = Math.min(...own.map(({ limit }) => limit.windowMs));
      for (const { subject, limit } of own)
        await (limit.windowMs === shortest ? attempts.reset(subject) : attempts.refund(subject));
      if (isShared) await attempts.refund(shared);
    };
  };
}

async function hasSignedInFrom(
  { data, now }: { data: Data; now: () => number },
  { userId }: GuessTarget,
  { network }: GuessPlace,
): Promise<boolean> {
  if (userId === null) return false;
  const filter = { ownerId: userId, action: 'sign-in.accepted', from: now() - knownNetworkMs };
  const rows = await auditQueries(data).page(filter, { most: mostSearched });
  return rows.some(({ details }) => details.network === network);
}
