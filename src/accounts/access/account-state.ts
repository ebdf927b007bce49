/** What proves who a User is. A proof that was checked earlier counts only while all of this is unchanged. */
import { hash } from 'node:crypto';

export interface AccountState {
  /** Null: no password. */
  passwordHash: string | null;
  hasApp: boolean;
  /** Ids, in ascending order. */
  passkeyIds: readonly string[];
  /** Grows whenever a second factor changes, and whenever everything that the account had signed in was ended. */
  accessEpoch: number;
}

/**
 * Differs from all earlier stamps after a change of the password or the second factors, and after everything that the account had
 * signed in was ended. Made of the hash of the password: sign it before it leaves the server.
 */
export function stampOf(state: AccountState): string {
  const { passwordHash, hasApp, passkeyIds, accessEpoch } = state;
  return hash('sha256', JSON.stringify([accessEpoch, passwordHash, hasApp, passkeyIds]));
}

/** Whether the password alone is not enough. */
export function hasSecondFactor({ hasApp, passkeyIds }: AccountState): boolean {
  return hasApp || passkeyIds.length > 0;
}
