/** Changes the email address of an account. */

import { conflict } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { accountQueries } from './account-queries.ts';
import { notifyPerson } from './notice.ts';

/**
 * Invalidates password reset links sent to the old address and notifies it, unless the address stays the same.
 * `confirmed`: the person has proved to own the new address. Throws `conflict` if someone else has it, or the account's
 * address has changed since the request.
 */
export async function changeEmail(
  deps: { data: Data; now: () => number; wakeOutbox: () => void },
  user: User,
  { email, confirmed, by }: { email: string; confirmed: boolean; by: AuditEntry['actor'] },
): Promise<void> {
  const unusable = () => conflict(accountTexts.profile.unusable);
  const change = () =>
    deps.data.transaction(async (tx) => {
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
