/** Changes the email address of an account for a directory. */
import { accountQueries } from '../../accounts/profile/account-queries.ts';
import { notifyPerson } from '../../accounts/profile/notice.ts';
import type { Connection } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { emailKey, type User } from '../../owners/owner.ts';
import type { DirectoryChange } from '../change-directory.ts';
import { directoryQueries } from '../directory-queries.ts';
import { type Coverage, notUnique } from './scim.ts';
import { scimUserQueries } from './scim-user-queries.ts';

/** Whether an administrator assigned the domain of the address to the Workspace. */
export function isAssignedTo(tx: Connection, workspaceId: string, address: string): Promise<boolean> {
  const key = emailKey(address);
  return directoryQueries(tx).hasDomain(workspaceId, key.slice(key.lastIndexOf('@') + 1));
}

/**
 * Anyone who can change the address can reset the password. So the directory may only move it within the domains that an administrator
 * assigned to the Workspace, or as long as nobody has used the account; never that of an administrator. Otherwise, the account keeps
 * its address.
 */
export async function moveAddress(
  { tx, by, workspace, at }: DirectoryChange,
  { user, covers }: { user: User; covers: Coverage },
  address: string,
): Promise<void> {
  if (covers !== 'account' || user.administrator) return;
  if (user.email !== null && emailKey(user.email) === emailKey(address)) return;
  const isOwn = async (one: string) => isAssignedTo(tx, workspace.id, one);
  const isUnused = !user.emailConfirmed && !(await scimUserQueries(tx).wasSeen(user.id));
  const isWithin = (await isOwn(address)) && (user.email === null || (await isOwn(user.email)));
  if (!isUnused && !isWithin) return;
  if (await accountQueries(tx).isEmailTaken(address)) throw notUnique('an account has the address');
  await accountQueries(tx).setEmail(user.id, address, user.email, await isOwn(address));
  await accountQueries(tx).deleteResetsOf(user.id);
  await auditQueries(tx).record({
    at,
    actor: by,
    action: 'email.changed',
    ownerId: user.id,
    subject: user.name,
  });
  if (user.email !== null)
    await notifyPerson(tx, 'email-changed', { userId: user.id, at, address: user.email });
}
