/**
 * Rules that map a group of a directory to a team, a group of testers or the owners of a Workspace. A rule removes only people whom
 * a rule added, and never the last owner.
 */
import type { Connection } from '../db/data.ts';
import { auditQueries, nameOfActor } from '../owners/audit-queries.ts';
import { maxPeopleOfGroup } from '../owners/group.ts';
import { groupQueries } from '../owners/group-queries.ts';
import {
  addMember,
  addWorkspacePerson,
  type MembershipActor,
  removeMember,
  removeWorkspacePerson,
} from '../owners/members.ts';
import type { User, Workspace } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { teamQueries } from '../owners/team-queries.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import { type GroupMapping, type MappingTarget, placeOf, roleOf } from './mapping-target.ts';

/** Whose memberships change, and where. */
export interface MappingScope {
  by: MembershipActor;
  workspace: Pick<Workspace, 'id' | 'name'>;
  at: number;
}

type Person = Pick<User, 'id' | 'name'>;

/** Adds people to the targets of the mappings. Call it in a transaction that has locked the Workspace. */
export async function grantMemberships(
  tx: Connection,
  scope: MappingScope,
  mappings: readonly GroupMapping[],
  userIds: readonly string[],
): Promise<void> {
  await lockTargets(tx, mappings);
  for (const user of mappings.length === 0 ? [] : await findPeople(tx, userIds))
    for (const mapping of mappings) await grant(tx, scope, mapping, user);
}

/** Removes people whom the mappings added, unless another mapping still has them. Call it like `grantMemberships`. */
export async function revokeMemberships(
  tx: Connection,
  scope: MappingScope,
  mappings: readonly GroupMapping[],
  userIds: readonly string[],
): Promise<void> {
  await lockTargets(tx, mappings);
  for (const user of mappings.length === 0 ? [] : await findPeople(tx, userIds))
    for (const mapping of mappings) await revoke(tx, scope, mapping, user);
}

/** In the order of ids, so that parallel changes cannot deadlock. */
async function lockTargets(tx: Connection, mappings: readonly GroupMapping[]): Promise<void> {
  const ids = mappings.flatMap(({ target }) => ('project' in target ? [target.project.id] : []));
  for (const id of [...new Set(ids)].sort()) await quotaQueries(tx).lock(id);
}

async function findPeople(tx: Connection, ids: readonly string[]): Promise<User[]> {
  const found: User[] = [];
  for (const id of ids) {
    const owner = await ownerQueries(tx).findOwnerById(id);
    if (owner?.kind === 'user') found.push(owner);
  }
  return found;
}

interface Joined {
  /** The person was not there yet. */
  added: boolean;
  joinedTeam: boolean;
}

async function grant(tx: Connection, scope: MappingScope, mapping: GroupMapping, user: User) {
  const { added, joinedTeam } = await join(tx, scope, mapping, user);
  // A person whom another mapping added stays until both are gone. One whom people added stays.
  if (added || joinedTeam || (await grantsTo(tx, scope, user, mapping.target)).length > 0)
    await groupMappingQueries(tx).recordGrant(mapping.id, user.id, { joinedTeam, now: scope.at });
}

async function join(
  tx: Connection,
  { by, workspace, at }: MappingScope,
  { target, group }: GroupMapping,
  user: User,
): Promise<Joined> {
  const details = { directoryGroup: group.displayName };
  const change = { by, user, at, notify: false, isByRule: true, details };
  const joined = (added: boolean, joinedTeam = false) => ({ added, joinedTeam });
  if (!('project' in target))
    return joined(await addWorkspacePerson(tx, { ...change, workspace, role: roleOf(target) }));
  const { project } = target;
  // Deleted in the meantime.
  if ((await ownerQueries(tx).findOwnerById(project.id))?.kind !== 'project') return joined(false);
  if (target.kind === 'team') return joined(await addMember(tx, { ...change, project, team: target.team }));
  const known = await groupQueries(tx).findGroup(project.id, target.group.id);
  if (!known || known.people >= maxPeopleOfGroup) return joined(false);
  const hadAccess = await groupQueries(tx).hasAccess({ id: project.id, kind: 'project' }, user.id);
  // A policy may not admit the address of the person.
  if (!hadAccess && !(await addMember(tx, { ...change, project, team: 'tester' }))) return joined(false);
  const added = await groupQueries(tx).addPerson(target.group.id, user.id, at, nameOfActor(by));
  if (added) await recordGroup(tx, { by, at }, 'group.joined', user, target);
  return joined(added, !hadAccess);
}

async function revoke(tx: Connection, scope: MappingScope, { id, target }: GroupMapping, user: User) {
  const grant = await groupMappingQueries(tx).deleteGrant(id, user.id);
  if (!grant) return;
  const remaining = await groupMappingQueries(tx).grantsOf(scope.workspace.id, user.id);
  if (!remaining.some((one) => placeOf(one.target) === placeOf(target))) await leave(tx, scope, target, user);
  if (target.kind !== 'testers' || !grant.joinedTeam) return;
  const heir = remaining.find(
    (one) => one.target.kind === 'testers' && one.target.project.id === target.project.id,
  );
  if (heir) await groupMappingQueries(tx).recordGrant(heir.id, user.id, { joinedTeam: true, now: scope.at });
  else await leave(tx, scope, { kind: 'team', project: target.project, team: 'tester' }, user);
}

async function leave(
  tx: Connection,
  { by, workspace, at }: MappingScope,
  target: MappingTarget,
  user: User,
): Promise<void> {
  const change = { by, user, at };
  if (!('project' in target)) {
    if (target.kind !== 'owners' || (await workspaceQueries(tx).hasOtherOwner(workspace.id, user.id)))
      await removeWorkspacePerson(tx, { ...change, workspace, leaves: [roleOf(target)] });
  } else if (target.kind === 'testers') {
    if (await groupQueries(tx).removePerson(target.group.id, user.id))
      await recordGroup(tx, change, 'group.left', user, target);
  } else if (target.team !== 'owner' || (await teamQueries(tx).hasOtherOwner(target.project.id, user.id)))
    await removeMember(tx, { ...change, project: target.project, leaves: [target.team] });
}

/** The mappings that added the person to the same place. */
async function grantsTo(tx: Connection, { workspace }: MappingScope, user: Person, target: MappingTarget) {
  const grants = await groupMappingQueries(tx).grantsOf(workspace.id, user.id);
  return grants.filter((one) => placeOf(one.target) === placeOf(target));
}

async function recordGroup(
  tx: Connection,
  { by, at }: Pick<MappingScope, 'by' | 'at'>,
  action: 'group.joined' | 'group.left',
  user: Person,
  { project, group }: Extract<MappingTarget, { kind: 'testers' }>,
): Promise<void> {
  const subject = `${user.name}: ${group.name}`;
  await auditQueries(tx).record({ at, actor: by, action, ownerId: project.id, subject });
}
