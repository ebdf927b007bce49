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
  /** For auditors who read: what they may also change. */
  toChange?: Pick<OwnerPermissions, 'views' | 'uploads' | 'manages' | 'administers'>;
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
  const as = (them: readonly Team[]) => ({
    views: canView(actor, owner, them),
    uploads: canUpload(actor, owner, them),
    manages: canManage(actor, owner, them),
    administers: canAdminister(actor, owner, them),
  });
  return {
    ...as(counted),
    administrator: actor.kind === 'user' && actor.user.administrator,
    audits: counted !== teams && !uploadingTeams.some((team) => teams.includes(team)),
    ...(counted === teams ? {} : { toChange: as(teams) }),
  };
}

/** Whether a page for developers has what only the owner team changes: auditors who are developers would see forms that refuse them. */
export const showsAdministration = ({ views, administers, audits, toChange }: OwnerPermissions): boolean =>
  views && (audits ? administers : (toChange?.administers ?? administers));

/**
 * Decides for an access rule. An auditor who may change other things, but not what is on the page, sees the page without its forms.
 * `mayChange`: who may send the forms.
 */
export function admits(
  { reading }: Actor,
  permissions: OwnerPermissions,
  may: (permissions: OwnerPermissions) => boolean,
  mayChange = may,
): boolean {
  if (!may(permissions)) return false;
  const { toChange } = permissions;
  if (reading && toChange && !mayChange({ ...permissions, ...toChange })) reading.asAuditor = true;
  return true;
}
