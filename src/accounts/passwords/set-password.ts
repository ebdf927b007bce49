/** Changes a password and signs out everyone who used the old one. */
import type { Connection, Data } from '../../db/data.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { notifyPerson } from '../profile/notice.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { RefuseBreached } from './breached-passwords.ts';
import { hashPassword } from './password.ts';

export interface PasswordChange {
  user: { id: string; name: string };
  /** Already validated. */
  password: string;
  /** Slipway generated the password, and the user must change it at the next sign-in. */
  mustChange: boolean;
  by: AuditEntry['actor'];
  /** Chosen at the first sign-in, so no notification is sent. */
  expected?: boolean;
  /** Runs in the same transaction; if it returns false, nothing changes. */
  first?: (tx: Connection) => Promise<boolean>;
}

/**
 * Ends all sessions of the person, invalidates password reset links and emails the person. Returns whether the password
 * was changed. Throws `FormInvalid` for a breached password.
 */
export type SetPassword = (change: PasswordChange) => Promise<boolean>;

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
  return async ({ user, password, mustChange, by, expected, first }) => {
    if (!mustChange) await refuseBreached(password);
    const passwordHash = await hashPassword(password);
    const done = await data.transaction(async (tx) => {
      const at = now();
      if (first && !(await first(tx))) return false;
      await accountQueries(tx).setPassword(user.id, passwordHash, mustChange);
      await accountQueries(tx).deleteResetsOf(user.id);
      const sessions = await sessionQueries(tx).deleteSessionsOf(user.id, null);
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
    return done;
  };
}
