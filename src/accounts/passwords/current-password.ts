/** Asks for the password that an account has, of somebody who is signed in: a session alone must not take it over. */
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { passwordMatches } from './password.ts';

const guesses = { most: 10, windowMs: 15 * 60_000, refusal: accountTexts.password.tooMany };

/** Counted for the session, which a thief has one of and the owner another. Throws `too_many`. */
export async function provesOwnPassword(
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
