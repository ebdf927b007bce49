/** Where a rule adds people. */
import type { GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import type { Team, Workspace } from '../owners/owner.ts';

export type MappingTarget =
  | { kind: 'team'; project: { id: string; name: string }; team: Team }
  /** People without access to the Project also join its tester team. */
  | { kind: 'testers'; project: { id: string; name: string }; group: { id: string; name: string } }
  /** The owners of the Workspace. */
  | { kind: 'owners' };

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
  target.kind === 'owners'
    ? 'owners'
    : target.kind === 'team'
      ? `${target.project.id} ${target.team}`
      : target.group.id;

/** For the audit log. */
export function describeTarget(target: MappingTarget, workspace: Pick<Workspace, 'name'>): string {
  if (target.kind === 'owners') return workspace.name;
  return `${target.project.name} (${target.kind === 'team' ? target.team : target.group.name})`;
}
