/** Checks the current password of a signed-in person, so that a stolen session can't take over the account. */
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { passwordMatches } from './password.ts';

export const ownPasswordGuesses = {
  limit: 10,
  windowMs: 15 * 60_000,
  refusal: 'passwords',
} as const;

/**
 * Returns the hash of the current password, or null if the entered one is wrong. Attempts count per session, because an attacker
 * with a stolen session does not share the owner's. Throws `TooManyRequests`.
 */
export async function verifyOwnPassword(
  { data, attempts }: { data: Data; attempts: Attempts },
  { user, sessionToken }: { user: User; sessionToken: string },
  password: string,
): Promise<string | null> {
  const subject = ['own password', hashSessionToken(sessionToken)];
  await attempts.count(subject, ownPasswordGuesses);
  const passwordHash = (await accountQueries(data).findAccount(user.id))?.passwordHash ?? null;
  if (!(await passwordMatches(passwordHash, password))) return null;
  await attempts.reset(subject);
  return passwordHash;
}
