/**
 * Identity provider groups: groups that providers claim when people sign in. Those of the installation may contain everyone, so an
 * administrator assigns each to the Workspaces that may use it, as with email domains; owners assign those of the Workspace's
 * provider. Rules of the Workspace then map them.
 */
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import { readDn } from '../accounts/ldap/ldap-person.ts';
import {
  type GroupClaims,
  type GroupSource,
  maxClaimedGroups,
  maxGroupClaimLength,
} from '../accounts/single-sign-on/group-claims.ts';
import { conflictingField, Forbidden, NotFound } from '../core/errors.ts';
import type { Connection, Data } from '../db/data.ts';
import { isAdministrator } from '../owners/members.ts';
import type { User, Workspace } from '../owners/owner.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { changeGroups, recordDirectoryChange } from './change-directory.ts';
import { claimedGroupQueries } from './claimed-group-queries.ts';
import { grantMemberships, revokeMemberships } from './group-mapping.ts';
import { groupMappingQueries } from './group-mapping-queries.ts';
import type { ClaimedGroup } from './mapping-target.ts';
import { provisioningTexts } from './provisioning-texts.ts';
import { directoryKey, scimLimits } from './scim/scim.ts';
import { scimUserQueries } from './scim/scim-user-queries.ts';

interface Deps {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}

const t = provisioningTexts.groups;

/** Returns the form in which names of groups are compared. */
export const groupKey = (source: GroupSource, name: string) =>
  source === 'ldap' ? readDn(name.trim()) : directoryKey(name.trim());

export function createGroupClaims(deps: Deps): GroupClaims {
  const { data } = deps;
  return {
    assigned: async (by, names) => {
      if (names === null) return null;
      const keys = names.filter((name) => name.length <= maxGroupClaimLength);
      const found = await claimedGroupQueries(data).findByKeys(by, [
        ...new Set(keys.map((name) => groupKey(by.source, name))),
      ]);
      return found.length > maxClaimedGroups ? null : found.map(({ id }) => id);
    },
    apply: async (user, by, groupIds) => {
      if (groupIds === null) return;
      const now = await claimedGroupQueries(data).findByIds(by, groupIds);
      const before = await claimedGroupQueries(data).groupsOf(user.id, by);
      const joined = now.filter(({ id }) => !before.some((one) => one.id === id));
      const left = before.filter(({ id }) => !now.some((one) => one.id === id));
      const places = [...new Set([...joined, ...left].map(({ workspaceId }) => workspaceId))].sort();
      for (const workspaceId of places) {
        const isThere = (one: ClaimedGroup) => one.workspaceId === workspaceId;
        await data.transaction((tx) =>
          change(tx, deps.now(), {
            user,
            workspaceId,
            joined: joined.filter(isThere),
            left: left.filter(isThere),
          }),
        );
      }
      if (places.length > 0) deps.wakeOutbox();
    },
  };
}

async function change(
  tx: Connection,
  at: number,
  {
    user,
    workspaceId,
    joined,
    left,
  }: { user: User; workspaceId: string; joined: ClaimedGroup[]; left: ClaimedGroup[] },
): Promise<void> {
  const [{ workspaceName = '' } = {}] = [...joined, ...left];
  if (!(await workspaceQueries(tx).lock(workspaceId))) return;
  const queries = claimedGroupQueries(tx);
  const workspace = { id: workspaceId, name: workspaceName };
  const scope = { by: 'single-sign-on', workspace, at } as const;
  for (const { id } of left) {
    await queries.removeMember(id, user.id);
    await revokeMemberships(tx, scope, await groupMappingQueries(tx).listOfGroup(id), [user.id]);
  }
  // The directory of the Workspace has removed the person from everything in it.
  const isKept = !(await scimUserQueries(tx).isDeactivated(workspaceId, user.id));
  for (const { id } of joined) {
    // The group may have been removed in the meantime.
    if (!(await queries.find(workspaceId, id))) continue;
    await queries.addMember(id, user.id, at);
    if (isKept) await grantMemberships(tx, scope, await groupMappingQueries(tx).listOfGroup(id), [user.id]);
  }
}

/**
 * Throw `NotFound` unless `by` owns the Workspace or is an administrator, and `Forbidden` for owners and a group of a provider of the
 * installation.
 */
export interface ClaimedGroups {
  /** Throws `conflict` if the Workspace has the group, or too many. Returns the id. */
  assign(by: UserActor, workspace: Workspace, group: { source: GroupSource; name: string }): Promise<string>;
  /** Also removes its rules, and the people whom they added. */
  remove(by: UserActor, workspace: Workspace, id: string): Promise<void>;
}

export function createClaimedGroups(deps: Deps): ClaimedGroups {
  const { data } = deps;
  const requireAssigner = async (tx: Connection, by: UserActor, source: GroupSource) => {
    if (source !== 'workspace' && !(await isAdministrator(tx, by))) throw new Forbidden(t.administrators);
  };
  return {
    assign: (by, workspace, { source, name }) =>
      data.refuseDuplicate(
        () =>
          changeGroups(deps, by, workspace, async (tx, at) => {
            await requireAssigner(tx, by, source);
            const known = await claimedGroupQueries(tx).list(workspace.id);
            if (known.length >= scimLimits.claimedGroups)
              throw conflictingField('group', t.errors.tooMany({ limit: scimLimits.claimedGroups }));
            const key = groupKey(source, name);
            const group = { workspaceId: workspace.id, source, name: name.trim(), key };
            const id = await claimedGroupQueries(tx).insert({ ...group, createdBy: by.user.name, now: at });
            await recordDirectoryChange(
              tx,
              { by, workspace, at },
              'directory.claimed-group-assigned',
              group.name,
            );
            return id;
          }),
        () => conflictingField('group', t.errors.exists),
      ),
    remove: (by, workspace, id) =>
      changeGroups(deps, by, workspace, async (tx, at) => {
        const group = await claimedGroupQueries(tx).find(workspace.id, id);
        if (!group) throw new NotFound();
        await requireAssigner(tx, by, group.source);
        for (const mapping of await groupMappingQueries(tx).listOfGroup(id)) {
          const granted = await groupMappingQueries(tx).grantedUsers(mapping.id);
          await revokeMemberships(tx, { by, workspace, at }, [mapping], granted);
        }
        await claimedGroupQueries(tx).delete(id);
        await recordDirectoryChange(tx, { by, workspace, at }, 'directory.claimed-group-removed', group.name);
      }),
  };
}
