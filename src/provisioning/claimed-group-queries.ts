import type { GroupClaimant, GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { ClaimedGroup } from './mapping-target.ts';

/** Below the limit of parameters of every database. */
const namesAtOnce = 500;

export const claimedGroupQueries = defineQueries(createClaimedGroupQueries);

function createClaimedGroupQueries(db: Queries) {
  const groups = () =>
    db
      .selectFrom('claimed_groups as c')
      .innerJoin('workspaces as w', 'w.id', 'c.workspace_id')
      .select(['c.id', 'c.workspace_id', 'c.source', 'c.name', 'w.name as workspace_name']);
  const heard = (by: GroupClaimant) =>
    groups()
      .where('c.source', '=', by.source)
      .$if(by.source === 'workspace', (query) =>
        query.where('c.workspace_id', '=', by.source === 'workspace' ? by.workspaceId : ''),
      );
  return {
    /** Lists the groups of the Workspace by name. */
    async list(workspaceId: string): Promise<ClaimedGroup[]> {
      const rows = await groups()
        .where('c.workspace_id', '=', workspaceId)
        .orderBy('c.name_key')
        .orderBy('c.source')
        .execute();
      return rows.map(toGroup);
    },

    async find(workspaceId: string, id: string): Promise<ClaimedGroup | null> {
      const row = await groups()
        .where('c.id', '=', id)
        .where('c.workspace_id', '=', workspaceId)
        .executeTakeFirst();
      return row ? toGroup(row) : null;
    },

    /** Finds groups of all Workspaces that hear the claimant. */
    async findByKeys(by: GroupClaimant, keys: readonly string[]): Promise<ClaimedGroup[]> {
      const found: ClaimedGroup[] = [];
      for (let at = 0; at < keys.length; at += namesAtOnce) {
        const some = keys.slice(at, at + namesAtOnce);
        const rows = await heard(by).where('c.name_key', 'in', some).execute();
        found.push(...rows.map(toGroup));
      }
      return found;
    },

    async findByIds(by: GroupClaimant, ids: readonly string[]): Promise<ClaimedGroup[]> {
      if (ids.length === 0) return [];
      const rows = await heard(by).where('c.id', 'in', ids).execute();
      return rows.map(toGroup);
    },

    /** Whether any Workspace has a group of the source. */
    async hasAny(source: GroupSource): Promise<boolean> {
      return (await groups().where('c.source', '=', source).limit(1).executeTakeFirst()) !== undefined;
    },

    /** The groups of the claimant that the person is in. */
    async groupsOf(userId: string, by: GroupClaimant): Promise<ClaimedGroup[]> {
      const rows = await heard(by)
        .innerJoin('claimed_group_members as m', 'm.group_id', 'c.id')
        .where('m.user_id', '=', userId)
        .execute();
      return rows.map(toGroup);
    },

    async memberIds(groupId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('claimed_group_members')
        .select('user_id')
        .where('group_id', '=', groupId)
        .orderBy('user_id')
        .execute();
      return rows.map((row) => row.user_id);
    },

    async addMember(groupId: string, userId: string, now: number): Promise<void> {
      await db
        .insertInto('claimed_group_members')
        .values({ group_id: groupId, user_id: userId, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    async removeMember(groupId: string, userId: string): Promise<void> {
      await db
        .deleteFrom('claimed_group_members')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .execute();
    },

    /** Violates the unique constraint if the Workspace has the group. */
    async insert(
      group: Pick<ClaimedGroup, 'workspaceId' | 'source' | 'name'> & {
        key: string;
        createdBy: string;
        now: number;
      },
    ): Promise<string> {
      const id = newIdentifier(group.now);
      await db
        .insertInto('claimed_groups')
        .values({
          id,
          workspace_id: group.workspaceId,
          source: group.source,
          name: group.name,
          name_key: group.key,
          created_by: group.createdBy,
          created_at: group.now,
        })
        .execute();
      return id;
    },

    async delete(id: string): Promise<void> {
      await db.deleteFrom('claimed_groups').where('id', '=', id).execute();
    },
  };
}

const toGroup = (row: {
  id: string;
  workspace_id: string;
  workspace_name: string;
  source: string;
  name: string;
}): ClaimedGroup => ({
  id: row.id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  source: row.source as GroupSource,
  name: row.name,
});
