/** Checks the current password of a signed-in person, so that a stolen session can't take over the account. */
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { passwordMatches } from './password.ts';

const guesses = {
  limit: 10,
  windowMs: 15 * 60_000,
  get refusal() {
    return accountTexts.password.tooMany;
  },
};

/** Attempts count per session, because a thief and the owner have different ones. Throws `TooManyRequests`. */
export async function verifyOwnPassword(
  { data, attempts }: { data: Data; attempts: Attempts },
  { user, sessionToken }: { user: User; sessionToken: string },
  password: string,
): Promise<boolean> {
  const subject = ['own password', hashSessionToken(sessionToken)];
  await attempts.count(subject, guesses);
  const account = await accountQueries(data).findAccount(user.id);
  if (!(await passwordMatches(account?.passwordHash ?? null, password))) return false;
  await attempts.reset(subject);
  return true;
}
