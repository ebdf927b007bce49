/** A password becomes another: whoever is signed in with the old one is signed out. */
import type { Data, DataQueries } from '../data.ts';
import type { AuditEntry } from '../owners/audit-queries.ts';
import { hashPassword } from './password.ts';

export interface PasswordChange {
  user: { id: string; name: string };
  /** Checked already. */
  password: string;
  /** It was made by Slipway and is to be changed at the next sign-in. */
  mustChange: boolean;
  by: AuditEntry['actor'];
  /** Belongs to the same transaction; false: nothing changes. */
  first?: (inside: DataQueries) => Promise<boolean>;
}

/** All sessions of the person end, and links to set a password are void. Answers whether it was done. */
export type SetPassword = (change: PasswordChange) => Promise<boolean>;

export function createSetPassword({ data, now }: { data: Data; now: () => number }): SetPassword {
  return async ({ user, password, mustChange, by, first }) => {
    const passwordHash = await hashPassword(password);
    return data.transaction(async (inside) => {
      if (first && !(await first(inside))) return false;
      await inside.accounts.setPassword(user.id, passwordHash, mustChange);
      await inside.accounts.deleteResetsOf(user.id);
      const sessions = await inside.access.deleteSessionsOf(user.id, null);
      await inside.audit.record({
        at: now(),
        actor: by,
        action: 'password.changed',
        ownerId: user.id,
        subject: user.name,
        details: { sessions },
      });
      return true;
    });
  };
}
