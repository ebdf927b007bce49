/** Ends and restores the access of a person whom a directory deactivates or activates. */
import { accountStateQueries } from '../accounts/access/account-state-queries.ts';
import { disableAccount, endAccess } from '../accounts/access/end-access.ts';
import type { Connection } from '../db/data.ts';
import { type AuditEntry, auditQueries } from '../owners/audit-queries.ts';
import {
  addWorkspacePerson,
  type MembershipActor,
  removeMember,
  removeWorkspacePerson,
} from '../owners/members.ts';
import type { User } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { teamQueries } from '../owners/team-queries.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { ownerDeletionQueries } from '../projects/deletion/owner-deletion-queries.ts';
import type { DirectoryChange } from './change-directory.ts';
import { grantMemberships } from './group-mapping.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import { type Coverage, ScimError } from './scim/scim.ts';

export interface CoveredPerson {
  user: User;
  covers: Coverage;
  /** Whether the directory has disabled the account. */
  disabledAccount: boolean;
}

/**
 * Ends every session, API key, trusted publisher, approved terminal, reset link and remembered browser of the person; and their
 * account, or everything they have in the Workspace. Returns whether the directory has disabled the account. Throws `mutability`
 * for the last administrator and, if only the Workspace is covered, the last owner of something in it.
 */
export async function deactivate(change: DirectoryChange, person: CoveredPerson): Promise<boolean> {
  const { tx, by, at, workspace } = change;
  const entry = { by, at, details: { workspace: workspace.name } };
  if (person.covers === 'account') return disableAccountOf(tx, entry, person);
  await deactivateInWorkspace(change, person.user);
  return false;
}

export interface AccountChange {
  by: AuditEntry['actor'];
  at: number;
  /** Details of the entry in the audit log. */
  details: Record<string, unknown>;
}

/** Returns whether the directory has disabled the account. Throws `mutability` for the last administrator. */
export async function disableAccountOf(
  tx: Connection,
  { by, at, details }: AccountChange,
  person: Pick<CoveredPerson, 'user' | 'disabledAccount'>,
): Promise<boolean> {
  const { user } = person;
  const administrators = await ownerDeletionQueries(tx).lockAdministrators();
  if (administrators.length === 1 && administrators[0] === user.id)
    throw refusal('the person is the last administrator of the installation: add another one first');
  const account = await accountStateQueries(tx).lock(user.id);
  // Disabled by an administrator, which the directory must not undo later.
  if (account?.isDisabled) return person.disabledAccount;
  const ended = await disableAccount(tx, user.id, { keys: by, at });
  await auditQueries(tx).record({
    at,
    actor: by,
    action: 'account.disabled',
    ownerId: user.id,
    subject: user.name,
    details: { ...ended, ...details },
  });
  return true;
}

interface WorkspaceChange extends Omit<DirectoryChange, 'by'> {
  by: MembershipActor;
}

/**
 * Removes the person from the Workspace and its Projects, closes their invite links to the person, and ends their sessions, so that
 * nothing stays open. Throws what `refuse`
 * returns if nobody else owns the place. Returns how many sessions ended.
 */
export async function removeFromWorkspace(
  { tx, by, workspace, at }: WorkspaceChange,
  user: User,
  refuse: (place: 'Project' | 'Workspace', name: string) => Error,
): Promise<number> {
  const leaving = { by, user, at };
  // In the order of ids, so that parallel removals cannot deadlock.
  for (const id of await teamQueries(tx).projectsInWorkspace(workspace.id, { id: user.id })) {
    if (!(await quotaQueries(tx).lock(id))) continue;
    const project = await ownerQueries(tx).findOwnerById(id);
    if (project?.kind !== 'project') continue;
    const isOwner = (await ownerQueries(tx).teamsOf(id, user.id)).includes('owner');
    if (isOwner && !(await teamQueries(tx).hasOtherOwner(id, user.id))) throw refuse('Project', project.name);
    await removeMember(tx, { ...leaving, project });
  }
  const isOwner = (await workspaceQueries(tx).rolesOf(workspace.id, user.id)).includes('owner');
  if (isOwner && !(await workspaceQueries(tx).hasOtherOwner(workspace.id, user.id)))
    throw refuse('Workspace', workspace.name);
  await removeWorkspacePerson(tx, { ...leaving, workspace });
  await teamQueries(tx).excludeFromWorkspaceLinks(workspace.id, user.id);
  for (const { id } of await groupMappingQueries(tx).grantsOf(workspace.id, user.id))
    await groupMappingQueries(tx).deleteGrant(id, user.id);
  return (await endAccess(tx, user.id, { sessions: 'all', at })).sessions;
}

async function deactivateInWorkspace(change: DirectoryChange, user: User): Promise<void> {
  const { tx, by, workspace, at } = change;
  const sessions = await removeFromWorkspace(change, user, (place, name) =>
    refusal(`nobody else owns the ${place} ${name}: add another owner first`),
  );
  await auditQueries(tx).record({
    at,
    actor: by,
    action: 'directory.user-deactivated',
    ownerId: null,
    subject: `${user.name}: ${workspace.name}`,
    details: { sessions },
  });
}

const refusal = (detail: string) => new ScimError('mutability', detail, 'conflict');

export async function enableAccountOf(
  tx: Connection,
  { by, at, details }: AccountChange,
  user: User,
): Promise<void> {
  await accountStateQueries(tx).setDisabled(user.id, null);
  const entry = { at, actor: by, action: 'account.enabled', ownerId: user.id, subject: user.name };
  await auditQueries(tx).record({ ...entry, details });
}

/**
 * Enables the account again if the directory had disabled it, makes the person a member of the Workspace, and adds them to what the
 * groups are mapped to. Returns whether the account stays disabled by the directory.
 */
export async function reactivate(change: DirectoryChange, person: CoveredPerson): Promise<boolean> {
  const { tx, by, workspace, at } = change;
  const { user } = person;
  if (person.disabledAccount) {
    await enableAccountOf(tx, { by, at, details: { workspace: workspace.name } }, user);
  }
  await addWorkspacePerson(tx, { ...change, user, role: 'member', notify: false });
  const mappings = await groupMappingQueries(tx).listOfMember(workspace.id, user.id);
  await grantMemberships(tx, change, mappings, [user.id]);
  return false;
}
