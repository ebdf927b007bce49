/** Where a rule adds people. */
import type { GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import type { Team, Workspace, WorkspaceRole } from '../owners/owner.ts';

export type MappingTarget =
  | { kind: 'team'; project: { id: string; name: string }; team: Team }
  /** People without access to the Project also join its tester team. */
  | { kind: 'testers'; project: { id: string; name: string }; group: { id: string; name: string } }
  /** A role in the Workspace. */
  | { kind: 'owners' | 'members' };

/** An identity provider group that an administrator assigned to a Workspace. */
export interface ClaimedGroup {
  id: string;
  workspaceId: string;
  workspaceName: string;
  source: GroupSource;
  name: string;
}

/** A group that a rule can map: from the directory of the Workspace, or an identity provider group. */
export interface DirectoryGroup {
  id: string;
  displayName: string;
  source: 'scim' | GroupSource;
}

export interface GroupMapping {
  id: string;
  group: DirectoryGroup;
  target: MappingTarget;
  /** Name of the person who added the rule. */
  createdBy: string;
  createdAt: number;
}

/** Equal for mappings that add people to the same place. */
export const placeOf = (target: MappingTarget) =>
  !('project' in target)
    ? target.kind
    : target.kind === 'team'
      ? `${target.project.id} ${target.team}`
      : target.group.id;

export const roleOf = ({ kind }: { kind: 'owners' | 'members' }): WorkspaceRole =>
  kind === 'owners' ? 'owner' : 'member';

/** For the audit log. */
export function describeTarget(target: MappingTarget, workspace: Pick<Workspace, 'name'>): string {
  if (!('project' in target)) return `${workspace.name} (${target.kind})`;
  return `${target.project.name} (${target.kind === 'team' ? target.team : target.group.name})`;
}
