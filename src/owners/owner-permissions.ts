/** Permissions of a viewer for an Owner, which determine the pages that are shown. */
import type { Connection } from '../db/data.ts';
import type { Actor } from './actor.ts';
import { barOf, WorkspaceBarred } from './gate/workspace-gate.ts';
import type { Owner, Team } from './owner.ts';
import { ownerQueries } from './owner-queries.ts';
import { canAdminister, canManage, canUpload, canView } from './permissions.ts';

export interface OwnerPermissions {
  /** May see the Owner's apps. */
  views: boolean;
  uploads: boolean;
  /** May manage keys, members and invitations. */
  manages: boolean;
  /** May manage settings, see the audit log, and delete it. */
  administers: boolean;
  administrator: boolean;
}

/**
 * Loads the teams of the Project that the actor belongs to. Users, and a Project's own key, have none. Throws `WorkspaceBarred` for a
 * member whose session or key may not use the Workspace of the Project.
 */
export async function loadPermissions(
  connection: Connection,
  actor: Actor,
  owner: Owner,
): Promise<OwnerPermissions> {
  const hasTeams = owner.kind === 'project' && actor.kind === 'user';
  const teams = hasTeams ? await ownerQueries(connection).teamsOf(owner.id, actor.user.id) : [];
  const bar = hasTeams && teams.length > 0 ? barOf(actor, owner.workspace?.id) : null;
  if (bar) throw new WorkspaceBarred(bar);
  return permissionsOf(actor, owner, teams);
}

export function permissionsOf(actor: Actor, owner: Owner, teams: readonly Team[]): OwnerPermissions {
  return {
    views: canView(actor, owner, teams),
    uploads: canUpload(actor, owner, teams),
    manages: canManage(actor, owner, teams),
    administers: canAdminister(actor, owner, teams),
    administrator: actor.kind === 'user' && actor.user.administrator,
  };
}
