/** What a sign-in has proved. It is compared again in the transaction that makes the session, which the proof may take long to reach. */
import type { Connection } from '../../db/data.ts';
import { stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';

/** The password, and a second factor if there was one, of the account as `stampOf` described it then. */
export interface PasswordProof {
  kind: 'password';
  stamp: string;
}

export type SignInProof =
  | PasswordProof
  /** The password was set just now. */
  | { kind: 'new password'; passwordHash: string }
  | { kind: 'passkey'; passkeyId: string }
  | { kind: 'identity'; issuer: string; subject: string };

/** Call it while the account is held. */
export async function isStillProof(tx: Connection, userId: string, proof: SignInProof): Promise<boolean> {
  if (proof.kind === 'identity')
    return (await identityQueries(tx).findUserOfIdentity(proof.issuer, proof.subject))?.id === userId;
  const state = await accountStateQueries(tx).find(userId);
  if (!state) return false;
  if (proof.kind === 'password') return stampOf(state) === proof.stamp;
  if (proof.kind === 'passkey') return state.passkeyIds.includes(proof.passkeyId);
  return state.passwordHash === proof.passwordHash;
}
