/** Permissions of a viewer for an Owner, which determine the pages that are shown. */
import type { Connection } from '../db/data.ts';
import type { Actor } from './actor.ts';
import { refusalAt } from './gate/workspace-refusal.ts';
import type { Owner, Team } from './owner.ts';
import { ownerQueries } from './owner-queries.ts';
import {
  canAdminister,
  canManage,
  canUpload,
  canView,
  teamsInRequest,
  uploadingTeams,
} from './permissions.ts';

export interface OwnerPermissions {
  /** May see the Owner's apps. */
  views: boolean;
  uploads: boolean;
  /** May manage keys, members and invitations. */
  manages: boolean;
  /** May manage settings, see the audit log, and delete it. */
  administers: boolean;
  administrator: boolean;
  /** Has the other permissions only to read, so that pages show no forms. */
  audits: boolean;
}

const noPermissions: OwnerPermissions = {
  views: false,
  uploads: false,
  manages: false,
  administers: false,
  administrator: false,
  audits: false,
};

/**
 * Loads the teams of the Project that the actor belongs to. Users, and a Project's own key, have none. If a policy of the Workspace
 * refuses the actor, throws `PolicyRefused`; a person for whom a job acts then has no permissions.
 */
export async function loadPermissions(
  connection: Connection,
  actor: Actor,
  owner: Owner,
): Promise<OwnerPermissions> {
  const hasTeams = owner.kind === 'project' && actor.kind === 'user';
  const teams = hasTeams ? await ownerQueries(connection).teamsOf(owner.id, actor.user.id) : [];
  const { gate: _, ...ungated } = actor;
  const permissions = permissionsOf(ungated, owner, teams);
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  if (actor.reading && permissions.audits) actor.reading.asAuditor = true;
  // Others must not learn that the Project exists.
  if (workspace === null || !Object.values(permissions).includes(true)) return permissions;
  const refusal = await refusalAt(connection, actor, workspace);
  if (refusal === null) return permissions;
  if (actor.credential) throw refusal;
  return noPermissions;
}

export function permissionsOf(actor: Actor, owner: Owner, teams: readonly Team[]): OwnerPermissions {
  const counted = teamsInRequest(actor, teams);
  return {
    views: canView(actor, owner, counted),
    uploads: canUpload(actor, owner, counted),
    manages: canManage(actor, owner, counted),
    administers: canAdminister(actor, owner, counted),
    administrator: actor.kind === 'user' && actor.user.administrator,
    audits: counted !== teams && !uploadingTeams.some((team) => teams.includes(team)),
  };
}
