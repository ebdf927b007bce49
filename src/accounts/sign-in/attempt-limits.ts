/**
 * Limits on guessing an account's secrets. Attackers cannot use up the owner's attempts: browsers and networks from which the
 * account has signed in have separate budgets.
 */

import { TooManyRequests } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { AttemptLimit, Attempts } from '../../limits/attempts.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { dayMs } from '../sessions/session-config.ts';

/** The origin of a guess. */
export interface GuessOrigin {
  network: string;
  /** Identifies a browser in which the account has signed in, or one of its sessions; null for neither. */
  known: string | null;
}

export interface GuessLimits {
  /** The kind of secret. */
  name: string;
  /**
   * Limits per known browser or session of an account, shortest window first. Guesses refused by the first do not count
   * against the others.
   */
  known: readonly AttemptLimit[];
  /** Limits per network, for all other browsers in it. */
  network: readonly AttemptLimit[];
  /** Limit across all networks from which the account has not signed in recently; null if the secret is too long to guess. */
  elsewhere: AttemptLimit | null;
  /** Limit across all origins, including any number of known ones; null for none. More than `elsewhere`. */
  account: AttemptLimit | null;
}

/** The account that a guess is for. `userId` is null if no account has the entered name; such attempts count too. */
export interface GuessTarget {
  name: string;
  userId: string | null;
}

/** Clears or refunds the counted guess. Call it after a correct guess. */
export type ClearGuesses = () => Promise<void>;

/** How long a network stays known after a sign-in. */
export const knownNetworkMs = 30 * dayMs;
/** How many of the account's latest sign-ins are searched for a network. */
const maxSignInsSearched = 100;

/** Counts a guess before it is checked. Throws `TooManyRequests`. */
export type CountGuess = (
  limits: GuessLimits,
  target: GuessTarget,
  place: GuessOrigin,
) => Promise<ClearGuesses>;

export function createCountGuess(deps: { data: Data; attempts: Attempts; now: () => number }): CountGuess {
  const { attempts } = deps;
  return async ({ name, known, network, elsewhere, account }, target, place) => {
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
        if (!(error instanceof TooManyRequests) || !(await hasSignedInFrom(deps, target, place))) throw error;
      });
    }
    const all = ['guess', name, target.name, 'account'];
    if (account !== null) await attempts.count(all, account);
    return async () => {
      const shortest = Math.min(...own.map(({ limit }) => limit.windowMs));
      for (const { subject, limit } of own)
        await (limit.windowMs === shortest ? attempts.reset(subject) : attempts.refund(subject));
      if (isShared) await attempts.refund(shared);
      if (account !== null) await attempts.refund(all);
    };
  };
}

async function hasSignedInFrom(
  { data, now }: { data: Data; now: () => number },
  { userId }: GuessTarget,
  { network }: GuessOrigin,
): Promise<boolean> {
  if (userId === null) return false;
  const filter = { ownerId: userId, action: 'sign-in.accepted', from: now() - knownNetworkMs };
  const rows = await auditQueries(data).page(filter, { limit: maxSignInsSearched });
  return rows.some(({ details }) => details.network === network);
}
