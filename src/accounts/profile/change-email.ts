/** Changes the email address of an account. */

import { conflict } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { requireSession } from '../sessions/require-session.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { accountQueries } from './account-queries.ts';
import { notifyPerson } from './notice.ts';

interface EmailChangeRequest {
  email: string;
  /** The person has proved that they own the new address. */
  confirmed: boolean;
  by: AuditEntry['actor'];
  /** The session of the person; absent for the operator. */
  sessionToken?: string;
}

/**
 * Invalidates password reset links sent to the old address, and notifies the old address unless it stays the same. Throws
 * `conflict` if someone else has the new address, or the account's address has changed since the request.
 */
export async function changeEmail(
  deps: { data: Data; now: () => number; wakeOutbox: () => void },
  user: User,
  { email, confirmed, by, sessionToken }: EmailChangeRequest,
): Promise<void> {
  const unusable = () => conflict(accountTexts.profile.unusable);
  const change = () =>
    deps.data.transaction(async (tx) => {
      if (sessionToken !== undefined) await requireSession(tx, hashSessionToken(sessionToken), deps.now());
      if (!(await accountQueries(tx).setEmail(user.id, email, user.email, confirmed))) throw unusable();
      if (email === user.email) return;
      await accountQueries(tx).deleteResetsOf(user.id);
      const at = deps.now();
      const entry = { at, actor: by, action: 'email.changed', ownerId: user.id };
      await auditQueries(tx).record({ ...entry, subject: user.name });
      if (user.email !== null)
        await notifyPerson(tx, 'email-changed', { userId: user.id, at, address: user.email });
    });
  await deps.data.refuseDuplicate(change, unusable);
  deps.wakeOutbox();
}
