/** Changes of the rules that map directory groups. A rule applies at once to everyone in the group. */
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import { AppError, conflictingField, invalidField, NotFound } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { groupQueries } from '../owners/group-queries.ts';
import { requireProjectManager } from '../owners/members.ts';
import { type Team, teams, type Workspace } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { changeGroups } from './change-directory.ts';
import { claimedGroupQueries } from './claimed-group-queries.ts';
import { grantMemberships, revokeMemberships } from './group-mapping.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import { type DirectoryGroup, describeTarget, type MappingTarget, placeOf } from './mapping-target.ts';
import { provisioningTexts } from './provisioning-texts.ts';
import { scimLimits } from './scim/scim.ts';
import { scimGroupQueries } from './scim/scim-group-queries.ts';
import { scimUserQueries } from './scim/scim-user-queries.ts';

/** `kind`: `owners` and `members` need no Project. `group`: id of a group of testers of the Project. */
export interface MappingRequest {
  directoryGroup: string;
  kind: MappingTarget['kind'];
  project: string | null;
  team: Team | null;
  group: string | null;
}

/** Throw `NotFound` unless `by` owns the Workspace or is an administrator. */
export interface GroupMappings {
  /**
   * Throws `invalid` for a target outside the Workspace. Only people who manage a Project may map groups to its owner, developer and
   * auditor teams, because owning a Workspace does not include seeing apps. Returns the id.
   */
  add(by: UserActor, workspace: Workspace, request: MappingRequest): Promise<string>;
  /** Also removes the people whom it added. */
  remove(by: UserActor, workspace: Workspace, id: string): Promise<void>;
}

const t = provisioningTexts.mappings.errors;

export function createGroupMappings(deps: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): GroupMappings {
  return {
    add: (by, workspace, request) =>
      changeGroups(deps, by, workspace, async (tx, at) => {
        const group = await findDirectoryGroup(tx, workspace, request.directoryGroup);
        if (!group) throw invalidField('directory_group', t.group);
        const target = await findTarget(tx, by, workspace, request);
        const known = await groupMappingQueries(tx).list(workspace.id);
        if (known.length >= scimLimits.mappings)
          throw conflictingField('directory_group', t.tooMany({ limit: scimLimits.mappings }));
        const isSame = (one: (typeof known)[number]) =>
          one.group.id === group.id && placeOf(one.target) === placeOf(target);
        if (known.some(isSame)) throw conflictingField('directory_group', t.exists);
        const id = await groupMappingQueries(tx).insert(workspace.id, {
          group,
          target,
          createdBy: by.user.name,
          now: at,
        });
        await record(tx, { by, at, workspace }, 'directory.mapping-added', group.displayName, target);
        const mapping = await groupMappingQueries(tx).find(workspace.id, id);
        const active = await membersOf(tx, workspace, group);
        if (mapping) await grantMemberships(tx, { by, workspace, at }, [mapping], active);
        return id;
      }),
    remove: (by, workspace, id) =>
      changeGroups(deps, by, workspace, async (tx, at) => {
        const mapping = await groupMappingQueries(tx).find(workspace.id, id);
        if (!mapping) throw new NotFound();
        const granted = await groupMappingQueries(tx).grantedUsers(id);
        await revokeMemberships(tx, { by, workspace, at }, [mapping], granted);
        await groupMappingQueries(tx).delete(id);
        const { group, target } = mapping;
        await record(tx, { by, at, workspace }, 'directory.mapping-removed', group.displayName, target);
      }),
  };
}

/** Null if the Workspace may not use it. */
async function findDirectoryGroup(
  tx: Connection,
  workspace: Workspace,
  id: string,
): Promise<DirectoryGroup | null> {
  const provisioned = await scimGroupQueries(tx).find(workspace.id, id);
  if (provisioned) return { id, displayName: provisioned.displayName, source: 'scim' };
  const claimed = await claimedGroupQueries(tx).find(workspace.id, id);
  return claimed && { id, displayName: claimed.name, source: claimed.source };
}

/** Without those whom the directory of the Workspace deactivated. */
async function membersOf(tx: Connection, workspace: Workspace, group: DirectoryGroup): Promise<string[]> {
  if (group.source === 'scim') {
    const members = await scimGroupQueries(tx).memberIds(group.id);
    return scimGroupQueries(tx).activeUsers(workspace.id, members);
  }
  const kept: string[] = [];
  for (const id of await claimedGroupQueries(tx).memberIds(group.id))
    if (!(await scimUserQueries(tx).isDeactivated(workspace.id, id))) kept.push(id);
  return kept;
}

async function findTarget(
  tx: Connection,
  by: UserActor,
  workspace: Workspace,
  { kind, project: name, team, group: groupId }: MappingRequest,
): Promise<MappingTarget> {
  if (kind === 'owners' || kind === 'members') return { kind };
  const project = name ? await ownerQueries(tx).findOwner(name) : null;
  if (project?.kind !== 'project' || project.workspace?.id !== workspace.id)
    throw invalidField('project', t.project);
  const place = { id: project.id, name: project.name };
  if (kind === 'testers') {
    const group = groupId ? await groupQueries(tx).findGroup(project.id, groupId) : null;
    if (!group) throw invalidField('group', t.testers);
    return { kind, project: place, group: { id: group.id, name: group.name } };
  }
  if (team === null || !teams.includes(team)) throw invalidField('team', t.team);
  if (team !== 'tester')
    await requireProjectManager(tx, by, project).catch((error: unknown) => {
      if (error instanceof AppError && error.kind === 'not_found') throw invalidField('team', t.unmanaged);
      throw error;
    });
  return { kind, project: place, team };
}

const record = (
  tx: Connection,
  { by, at, workspace }: { by: UserActor; at: number; workspace: Workspace },
  action: string,
  group: string,
  target: MappingTarget,
) =>
  auditQueries(tx).record({
    at,
    actor: by,
    action,
    ownerId: 'project' in target ? target.project.id : null,
    subject: `${group}: ${describeTarget(target, workspace)}`,
    details: { workspace: workspace.name },
  });
