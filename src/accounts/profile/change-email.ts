/** The e-mail address of an account becomes another. */

import { conflict } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import { accountQueries } from './account-queries.ts';
import { tellPerson } from './notice.ts';

/**
 * Links to set a password that went to the old address are void, and an email says so; neither happens when the address does
 * not change. `confirmed`: the new address is known to be the person's. Throws `conflict` when someone else has it, or the account's address has changed since this was
 * asked for.
 */
export async function changeEmail(
  parts: { data: Data; now: () => number; wakeOutbox: () => void },
  user: User,
  { email, confirmed, by }: { email: string; confirmed: boolean; by: AuditEntry['actor'] },
): Promise<void> {
  const unusable = () => conflict(accountTexts.profile.unusable);
  const change = () =>
    parts.data.transaction(async (inside) => {
      if (!(await accountQueries(inside).setEmail(user.id, email, user.email, confirmed))) throw unusable();
      if (email === user.email) return;
      await accountQueries(inside).deleteResetsOf(user.id);
      const at = parts.now();
      const entry = { at, actor: by, action: 'email.changed', ownerId: user.id };
      await auditQueries(inside).record({ ...entry, subject: user.name });
      if (user.email !== null)
        await tellPerson(inside, 'email-changed', { userId: user.id, at, address: user.email });
    });
  await parts.data.refuseDuplicate(change, unusable);
  parts.wakeOutbox();
}
