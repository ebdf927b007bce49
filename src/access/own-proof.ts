/** Asks somebody who is signed in to prove it once more, before what guards the account changes. */
import type { Data } from '../data.ts';
import type { User } from '../owners/owner.ts';
import type { Attempts } from './attempts.ts';
import { provesOwnPassword } from './own-password.ts';
import type { SecondFactors } from './second-factor.ts';
import { hashSessionToken } from './session.ts';
import { readTotpCode } from './totp.ts';

/**
 * By what somebody can confirm access. People who have neither a password nor an app sign in at the provider of single
 * sign-on again, or use a passkey: those prove nothing in a field of a form.
 */
export type ProofKind = 'password' | 'password-or-code' | 'code' | 'single-sign-on' | 'passkey';

interface Parts {
  data: Data;
  attempts: Attempts;
  secondFactors: SecondFactors;
  /** Null when no provider is configured. */
  singleSignOn: { isIssuer(issuer: string): boolean } | null;
}

/** The same with its parts, for areas that have none of them. */
export interface OwnProof {
  kindOf(userId: string): Promise<ProofKind>;
  /** By what was typed. Throws `too_many`. */
  proves(person: { user: User; sessionToken: string }, typed: string): Promise<boolean>;
}

export function createOwnProof(parts: Parts): OwnProof {
  return {
    kindOf: (userId) => proofKindOf(parts, userId),
    proves: (person, typed) => provesSelf(parts, person, typed),
  };
}

export async function proofKindOf(
  { data, secondFactors, singleSignOn }: Parts,
  userId: string,
): Promise<ProofKind> {
  const account = await data.accounts.findAccount(userId);
  const { app } = await secondFactors.of(userId);
  if (account?.passwordHash != null) return app ? 'password-or-code' : 'password';
  if (app) return 'code';
  const identities = singleSignOn ? await data.identities.listIdentities(userId) : [];
  return identities.some(({ issuer }) => singleSignOn?.isIssuer(issuer)) ? 'single-sign-on' : 'passkey';
}

/** No password is as short as a code. Throws `too_many`. */
export async function provesSelf(
  parts: Parts,
  person: { user: User; sessionToken: string },
  typed: string,
): Promise<boolean> {
  const { user, sessionToken } = person;
  const kind = await proofKindOf(parts, user.id);
  if (kind === 'single-sign-on' || kind === 'passkey') return false;
  if (kind !== 'password' && readTotpCode(typed) !== null) {
    const known = `session ${hashSessionToken(sessionToken)}`;
    return parts.secondFactors.takeCode(user, typed, { network: '', known });
  }
  return kind !== 'code' && provesOwnPassword(parts, person, typed);
}
