/** The e-mail address of an account becomes another. */
import type { Data } from '../data.ts';
import { conflict } from '../errors.ts';
import type { User } from '../owners/owner.ts';
import { accountTexts } from '../web/account-texts.ts';

/**
 * Links to set a password that went to the old address are void. Throws `conflict` when somebody else has the address, or
 * the account has another than when this was asked for.
 */
export async function changeEmail(
  parts: { data: Data; now: () => number },
  user: User,
  email: string,
): Promise<void> {
  const unusable = () => conflict(accountTexts.profile.unusable);
  const change = () =>
    parts.data.transaction(async (inside) => {
      if (!(await inside.accounts.setEmail(user.id, email, user.email))) throw unusable();
      await inside.accounts.deleteResetsOf(user.id);
      const actor = { kind: 'user', user } as const;
      const entry = { at: parts.now(), actor, action: 'email.changed', ownerId: user.id };
      await inside.audit.record({ ...entry, subject: user.name });
    });
  await parts.data.refuseDuplicate(change, unusable);
}
