/** The credentials of an account. A proof of identity that was checked earlier counts only while all of this is unchanged. */
import { hash } from 'node:crypto';

export interface AccountState {
  /** Null for an account without a password. */
  passwordHash: string | null;
  hasApp: boolean;
  /** Ids, in ascending order. */
  passkeyIds: readonly string[];
  /** Grows whenever a second factor changes, and whenever all access of the account is ended. */
  accessEpoch: number;
}

/**
 * Returns a stamp that changes with the password, with the second factors, and when all access of the account is ended. Derived
 * from the password hash, so it must be signed before it leaves the server.
 */
export function stampOf(state: AccountState): string {
  const { passwordHash, hasApp, passkeyIds, accessEpoch } = state;
  return hash('sha256', JSON.stringify([accessEpoch, passwordHash, hasApp, passkeyIds]));
}

/** Whether the password alone is not enough. */
export function hasSecondFactor({ hasApp, passkeyIds }: AccountState): boolean {
  return hasApp || passkeyIds.length > 0;
}
