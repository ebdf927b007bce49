/** Changes a password and signs out everyone who used the old one. */
import type { Connection, Data } from '../../db/data.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { endAccess } from '../access/end-access.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { notifyPerson } from '../profile/notice.ts';
import type { RefuseBreached } from './breached-passwords.ts';
import { hashPassword } from './password.ts';

export interface PasswordChange {
  user: { id: string; name: string };
  /** Must already be validated. */
  password: string;
  /** Slipway generated the password, so the user must change it at the next sign-in. */
  mustChange: boolean;
  by: AuditEntry['actor'];
  /** The person expects the change, for example at the first sign-in, so no notification is sent. */
  expected?: boolean;
  /** The hash that was verified: nothing changes if the account now has another one. Absent if no password was verified. */
  replaces?: string | null;
  /** Revokes the API keys, too. */
  revokeKeys?: boolean;
  /** Runs in the same transaction; if it returns false, nothing changes. */
  first?: (tx: Connection) => Promise<boolean>;
}

/**
 * Ends all sessions of the person, and emails them. Returns the hash of the new password; null if nothing changed. Throws
 * `FormInvalid` for a breached password.
 */
export type SetPassword = (change: PasswordChange) => Promise<string | null>;

export function createSetPassword({
  data,
  now,
  refuseBreached,
  wakeOutbox,
}: {
  data: Data;
  now: () => number;
  refuseBreached: RefuseBreached;
  /** Absent in commands: a running server sends the email. */
  wakeOutbox?: () => void;
}): SetPassword {
  return async ({ user, password, mustChange, by, expected, replaces, revokeKeys, first }) => {
    if (!mustChange) await refuseBreached(password);
    const passwordHash = await hashPassword(password);
    const done = await data.transaction(async (tx) => {
      const at = now();
      await accountStateQueries(tx).lock(user.id);
      if (first && !(await first(tx))) return false;
      const known = await accountQueries(tx).findAccount(user.id);
      if (!known || (replaces !== undefined && known.passwordHash !== replaces)) return false;
      await accountQueries(tx).setPassword(user.id, passwordHash, mustChange);
      const keys = revokeKeys ? { keys: by } : {};
      const { sessions } = await endAccess(tx, user.id, { sessions: 'all', ...keys, at });
      await auditQueries(tx).record({
        at,
        actor: by,
        action: 'password.changed',
        ownerId: user.id,
        subject: user.name,
        details: { sessions },
      });
      if (!expected) await notifyPerson(tx, 'password-changed', { userId: user.id, at });
      return true;
    });
    if (done) wakeOutbox?.();
    return done ? passwordHash : null;
  };
}
