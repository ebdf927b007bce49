/** A password becomes another: whoever is signed in with the old one is signed out. */
import type { Connection, Data } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { tellPerson } from '../profile/notice.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { RefuseBreached } from './breached-passwords.ts';
import { hashPassword } from './password.ts';

export interface PasswordChange {
  user: { id: string; name: string };
  /** Checked already. */
  password: string;
  /** It was made by Slipway and is to be changed at the next sign-in. */
  mustChange: boolean;
  by: AuditEntry['actor'];
  /** Chosen at the first sign-in: nobody has to be warned of it. */
  expected?: boolean;
  /** Belongs to the same transaction; false: nothing changes. */
  first?: (inside: Connection) => Promise<boolean>;
}

/**
 * All sessions of the person end, links to set a password are void, and an email tells the person. Answers whether it was
 * done. Throws `FormRefused` for a breached password.
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
  /** Absent where the email is left to a server that runs beside. */
  wakeOutbox?: () => void;
}): SetPassword {
  return async ({ user, password, mustChange, by, expected, first }) => {
    if (!mustChange) await refuseBreached(password);
    const passwordHash = await hashPassword(password);
    const done = await data.transaction(async (inside) => {
      const at = now();
      if (first && !(await first(inside))) return false;
      await accountQueries(inside).setPassword(user.id, passwordHash, mustChange);
      await accountQueries(inside).deleteResetsOf(user.id);
      const sessions = await sessionQueries(inside).deleteSessionsOf(user.id, null);
      await auditQueries(inside).record({
        at,
        actor: by,
        action: 'password.changed',
        ownerId: user.id,
        subject: user.name,
        details: { sessions },
      });
      if (!expected) await tellPerson(inside, 'password-changed', { userId: user.id, at });
      return true;
    });
    if (done) wakeOutbox?.();
    return done;
  };
}
