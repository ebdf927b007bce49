/** The proof given by a sign-in. It is compared again in the transaction that creates the session, which may happen much later. */
import type { Connection } from '../../db/data.ts';
import { stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';

/** The password, and a second factor if the account had one when `stampOf` was taken. */
export interface PasswordProof {
  kind: 'password';
  stamp: string;
}

export type SignInProof =
  | PasswordProof
  /** The person has just set the password. */
  | { kind: 'new password'; passwordHash: string }
  | { kind: 'passkey'; passkeyId: string }
  | { kind: 'identity'; issuer: string; subject: string };

/** Call it while the account is locked. */
export async function isStillProof(tx: Connection, userId: string, proof: SignInProof): Promise<boolean> {
  if (proof.kind === 'identity')
    return (await identityQueries(tx).findUserOfIdentity(proof.issuer, proof.subject))?.id === userId;
  const state = await accountStateQueries(tx).find(userId);
  if (!state) return false;
  if (proof.kind === 'password') return stampOf(state) === proof.stamp;
  if (proof.kind === 'passkey') return state.passkeyIds.includes(proof.passkeyId);
  return state.passwordHash === proof.passwordHash;
}
