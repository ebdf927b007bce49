/** Asks somebody who is signed in to prove it once more, before what guards the account changes. */
import type { Data } from '../data.ts';
import type { User } from '../owners/owner.ts';
import type { Attempts } from './attempts.ts';
import { provesOwnPassword } from './own-password.ts';
import type { SecondFactors } from './second-factor.ts';
import { hashSessionToken } from './session.ts';
import { readTotpCode } from './totp.ts';

/** What somebody can be asked for. Who has neither password nor app has to have signed in just now. */
export type ProofKind = 'password' | 'password-or-code' | 'code' | 'recent-sign-in';

interface Parts {
  data: Data;
  attempts: Attempts;
  secondFactors: SecondFactors;
  now: () => number;
}

/** The same with its parts, for areas that have none of them. */
export interface OwnProof {
  kindOf(userId: string): Promise<ProofKind>;
  /** Throws `too_many`. */
  proves(person: { user: User; sessionToken: string }, typed: string): Promise<boolean>;
}

export function createOwnProof(parts: Parts): OwnProof {
  return {
    kindOf: (userId) => proofKindOf(parts, userId),
    proves: (person, typed) => provesSelf(parts, person, typed),
  };
}

const recentMs = 10 * 60_000;

export async function proofKindOf({ data, secondFactors }: Parts, userId: string): Promise<ProofKind> {
  const account = await data.accounts.findAccount(userId);
  const { app } = await secondFactors.of(userId);
  if (account?.passwordHash != null) return app ? 'password-or-code' : 'password';
  return app ? 'code' : 'recent-sign-in';
}

/** No password is as short as a code. Throws `too_many`. */
export async function provesSelf(
  parts: Parts,
  person: { user: User; sessionToken: string },
  typed: string,
): Promise<boolean> {
  const { user, sessionToken } = person;
  const kind = await proofKindOf(parts, user.id);
  if (kind === 'recent-sign-in') return signedInRecently(parts, user.id, sessionToken);
  if (kind !== 'password' && readTotpCode(typed) !== null) return parts.secondFactors.takeCode(user, typed);
  return kind !== 'code' && provesOwnPassword(parts, user, typed);
}

async function signedInRecently(
  { data, now }: Parts,
  userId: string,
  sessionToken: string,
): Promise<boolean> {
  const sessions = await data.access.listSessions(userId, hashSessionToken(sessionToken), now());
  const current = sessions.find((session) => session.current);
  return current !== undefined && now() - current.createdAt < recentMs;
}
