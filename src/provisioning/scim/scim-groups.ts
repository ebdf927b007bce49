/** The groups of a directory. Each change is one transaction, which locks the Workspace and applies the mappings of the group. */
import { NotFound } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import {
  changeDirectory,
  type DirectoryChange,
  type Expected,
  requireExpected,
} from '../change-directory.ts';
import { grantMemberships, revokeMemberships } from '../group-mapping.ts';
import { groupMappingQueries } from '../group-mapping-queries.ts';
import {
  type Directory,
  invalidValue,
  type ListRequest,
  notUnique,
  ScimError,
  type ScimGroup,
  type ScimMember,
  scimLimits,
} from './scim.ts';
import type { GroupAttributes, GroupChange } from './scim-group-attributes.ts';
import { scimGroupQueries } from './scim-group-queries.ts';
import type { ScimDeps } from './scim-users.ts';

/** Null members were not asked for. */
export type ScimGroupWithMembers = ScimGroup & { members: readonly ScimMember[] | null };

/** Throw `NotFound`, `precondition_failed`, or a `ScimError`. */
export interface ScimGroups {
  find(directory: Directory, id: string, withMembers: boolean): Promise<ScimGroupWithMembers>;
  /** Lists fewer groups than asked for if they have too many members. */
  list(
    directory: Directory,
    request: ListRequest,
    withMembers: boolean,
  ): Promise<{ total: number; resources: ScimGroupWithMembers[] }>;
  create(directory: Directory, attributes: GroupAttributes): Promise<ScimGroupWithMembers>;
  replace(
    directory: Directory,
    id: string,
    expected: Expected,
    attributes: GroupAttributes,
  ): Promise<ScimGroupWithMembers>;
  /** Returns the group without its members. */
  change(
    directory: Directory,
    id: string,
    expected: Expected,
    changes: readonly GroupChange[],
  ): Promise<ScimGroup>;
  remove(directory: Directory, id: string, expected: Expected): Promise<void>;
}

export function createScimGroups(deps: ScimDeps): ScimGroups {
  const { data } = deps;
  const find = async (on: Connection, { workspace }: Pick<Directory, 'workspace'>, id: string) => {
    const group = await scimGroupQueries(on).find(workspace.id, id);
    if (!group) throw new NotFound(`there is no group ${id.slice(0, 64)}`);
    return group;
  };
  const withMembersOf = async (group: ScimGroup): Promise<ScimGroupWithMembers> => {
    const members = await scimGroupQueries(data).membersOf([group.id]);
    return { ...group, members: members.get(group.id) ?? [] };
  };
  const taken = () => notUnique('another group has the displayName');
  const changeGroup = (
    directory: Directory,
    id: string,
    expected: Expected,
    work: (change: DirectoryChange, group: ScimGroup) => Promise<void>,
  ) =>
    data.refuseDuplicate(
      () =>
        changeDirectory(deps, directory, async (change) => {
          const group = await find(change.tx, directory, id);
          requireExpected(expected, group.version);
          await work(change, group);
        }),
      taken,
    );
  return {
    find: async (directory, id, withMembers) => {
      const group = await find(data, directory, id);
      return withMembers ? withMembersOf(group) : { ...group, members: null };
    },
    list: async ({ workspace }, request, withMembers) => {
      const queries = scimGroupQueries(data);
      const { total, resources } = await queries.list(workspace.id, request);
      if (!withMembers) return { total, resources: resources.map((group) => ({ ...group, members: null })) };
      const counts = await queries.countMembers(resources.map(({ id }) => id));
      let left: number = scimLimits.membersOfGroup;
      const shown = resources.filter(({ id }, at) => {
        left -= counts.get(id) ?? 0;
        return at === 0 || left >= 0;
      });
      const members = await queries.membersOf(shown.map(({ id }) => id));
      return {
        total,
        resources: shown.map((group) => ({ ...group, members: members.get(group.id) ?? [] })),
      };
    },
    create: async (directory, attributes) => {
      const { workspace } = directory;
      const id = await data.refuseDuplicate(
        () =>
          changeDirectory(deps, directory, async (change) => {
            const { tx, at } = change;
            if ((await scimGroupQueries(tx).count(workspace.id)) >= scimLimits.groups)
              throw new ScimError(
                'tooMany',
                `the directory has ${scimLimits.groups} groups, which is the limit`,
              );
            await requireFreeName(change, attributes.displayName, null);
            const made = await scimGroupQueries(tx).insert(workspace.id, attributes, at);
            await addMembers(change, made, attributes.members);
            await record(change, 'directory.group-added', attributes.displayName);
            return made;
          }),
        taken,
      );
      return withMembersOf(await find(data, directory, id));
    },
    replace: async (directory, id, expected, attributes) => {
      await changeGroup(directory, id, expected, async (change, group) => {
        const before = await scimGroupQueries(change.tx).memberIds(id);
        const wanted = new Set(attributes.members);
        const removed = before.filter((one) => !wanted.has(one));
        const known = new Set(before);
        const added = attributes.members.filter((one) => !known.has(one));
        const isRenamed =
          attributes.displayName !== group.displayName || attributes.externalId !== group.externalId;
        if (removed.length + added.length === 0 && !isRenamed) return;
        await removeMembers(change, id, removed);
        await addMembers(change, id, added);
        await rename(change, group, attributes);
      });
      return withMembersOf(await find(data, directory, id));
    },
    change: async (directory, id, expected, changes) => {
      await changeGroup(directory, id, expected, async (change, group) => {
        const draft = { displayName: group.displayName, externalId: group.externalId };
        let changed = false;
        for (const one of changes) {
          if (one.kind === 'attributes') Object.assign(draft, one.attributes);
          else if (one.kind === 'add') changed = (await addMembers(change, id, one.members)) || changed;
          else changed = (await removeMembers(change, id, await selected(change, id, one))) || changed;
        }
        const isRenamed = draft.displayName !== group.displayName || draft.externalId !== group.externalId;
        if (changed || isRenamed) await rename(change, group, draft);
      });
      return find(data, directory, id);
    },
    remove: (directory, id, expected) =>
      changeGroup(directory, id, expected, async (change, group) => {
        const mappings = await groupMappingQueries(change.tx).listOfGroup(id);
        for (const mapping of mappings)
          await revokeMemberships(
            change.tx,
            change,
            [mapping],
            await groupMappingQueries(change.tx).grantedUsers(mapping.id),
          );
        await scimGroupQueries(change.tx).delete(id);
        await record(change, 'directory.group-removed', group.displayName);
      }),
  };
}

/** Those whom the change removes. */
async function selected(
  { tx }: DirectoryChange,
  groupId: string,
  change: Exclude<GroupChange, { kind: 'attributes' | 'add' }>,
): Promise<readonly string[]> {
  if (change.kind === 'remove') return change.members;
  const ids = await scimGroupQueries(tx).memberIds(groupId);
  return change.kind === 'remove-all' ? ids : ids.filter((id) => !change.members.includes(id));
}

/** Returns whether anyone was not a member yet. Throws `invalidValue` for anyone who is not a user of the directory. */
async function addMembers(
  change: DirectoryChange,
  groupId: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  const { tx, workspace } = change;
  const queries = scimGroupQueries(tx);
  const known = await queries.knownUsers(workspace.id, ids);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined)
    throw invalidValue(
      `members.value ${unknown.slice(0, 64)} is not a user of the directory; groups in groups are not supported`,
    );
  const added = await queries.addMembers(workspace.id, groupId, ids);
  const counts = await queries.countMembers([groupId]);
  if ((counts.get(groupId) ?? 0) > scimLimits.membersOfGroup)
    throw new ScimError('tooMany', `a group has at most ${scimLimits.membersOfGroup} members`);
  const mappings = await groupMappingQueries(tx).listOfGroup(groupId);
  if (mappings.length > 0)
    await grantMemberships(tx, change, mappings, await queries.activeUsers(workspace.id, added));
  return added.length > 0;
}

/** Returns whether anyone was a member. */
async function removeMembers(
  change: DirectoryChange,
  groupId: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  const removed = await scimGroupQueries(change.tx).removeMembers(groupId, ids);
  const mappings = await groupMappingQueries(change.tx).listOfGroup(groupId);
  await revokeMemberships(change.tx, change, mappings, removed);
  return removed.length > 0;
}

async function rename(
  change: DirectoryChange,
  group: ScimGroup,
  attributes: Pick<ScimGroup, 'displayName' | 'externalId'>,
): Promise<void> {
  if (attributes.displayName !== group.displayName)
    await requireFreeName(change, attributes.displayName, group.id);
  await scimGroupQueries(change.tx).update(group.id, attributes, change.at);
  await record(change, 'directory.group-changed', attributes.displayName);
}

async function requireFreeName({ tx, workspace }: DirectoryChange, name: string, exceptId: string | null) {
  if (await scimGroupQueries(tx).hasName(workspace.id, name, exceptId))
    throw notUnique(`another group has the displayName ${name}`);
}

const record = ({ tx, by, workspace, at }: DirectoryChange, action: string, name: string) =>
  auditQueries(tx).record({ at, actor: by, action, ownerId: null, subject: `${name}: ${workspace.name}` });
