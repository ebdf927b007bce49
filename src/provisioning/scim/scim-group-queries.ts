import { sql } from 'kysely';
import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { directoryKey, type ListRequest, type ListResult, type ScimGroup, type ScimMember } from './scim.ts';
import { type FilterColumns, filterCondition, sortColumn } from './scim-filter-queries.ts';

const member: FilterColumns[string] = {
  kind: 'exact',
  column: 'm.user_id',
  within: (condition) =>
    sql`exists (select 1 from scim_group_members as m where m.group_id = g.id and ${condition})`,
};
const columns: FilterColumns = {
  id: { kind: 'exact', column: 'g.id' },
  externalid: { kind: 'exact', column: 'g.external_id' },
  displayname: { kind: 'folded', column: 'g.display_key' },
  members: member,
  'members.value': member,
  'meta.created': { kind: 'time', column: 'g.created_at' },
  'meta.lastmodified': { kind: 'time', column: 'g.updated_at' },
};

/** Rows per statement, below the limits of both databases on parameters. */
const rowsAtOnce = 500;

function* chunksOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += rowsAtOnce) yield all.slice(at, at + rowsAtOnce);
}

export const scimGroupQueries = defineQueries(createScimGroupQueries);

function createScimGroupQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const groups = (workspaceId: string) =>
    db.selectFrom('scim_groups as g').where('g.workspace_id', '=', workspaceId);
  return {
    async find(workspaceId: string, id: string): Promise<ScimGroup | null> {
      const row = await groups(workspaceId).selectAll('g').where('g.id', '=', id).executeTakeFirst();
      return row ? toScimGroup(row) : null;
    },

    /** Throws `invalidFilter`. */
    async list(workspaceId: string, request: ListRequest): Promise<ListResult<ScimGroup>> {
      let found = groups(workspaceId);
      if (request.filter) found = found.where(filterCondition(request.filter, columns, database));
      const counted = await found
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const order = request.sortBy === null ? 'g.id' : sortColumn(request.sortBy, columns);
      if (request.count === 0) return { total: Number(counted.count), resources: [] };
      const rows = await found
        .selectAll('g')
        .orderBy(sql.ref(order), request.descending ? 'desc' : 'asc')
        .orderBy('g.id')
        .limit(request.count)
        .offset(request.startIndex - 1)
        .execute();
      return { total: Number(counted.count), resources: rows.map(toScimGroup) };
    },

    /** Lists the groups of the Workspace by name. */
    async listAll(workspaceId: string): Promise<ScimGroup[]> {
      const rows = await groups(workspaceId).selectAll('g').orderBy('g.display_key').execute();
      return rows.map(toScimGroup);
    },

    async count(workspaceId: string): Promise<number> {
      const row = await groups(workspaceId)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async hasName(workspaceId: string, displayName: string, exceptId: string | null): Promise<boolean> {
      const row = await groups(workspaceId)
        .select('g.id')
        .where('g.display_key', '=', directoryKey(displayName))
        .$if(exceptId !== null, (query) => query.where('g.id', '!=', exceptId ?? ''))
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Violates the unique constraint if the name is taken. */
    async insert(
      workspaceId: string,
      group: Pick<ScimGroup, 'displayName' | 'externalId'>,
      now: number,
    ): Promise<string> {
      const id = newIdentifier(now);
      await db
        .insertInto('scim_groups')
        .values({
          id,
          workspace_id: workspaceId,
          display_name: group.displayName,
          display_key: directoryKey(group.displayName),
          external_id: group.externalId,
          version: 1,
          created_at: now,
          updated_at: now,
        })
        .execute();
      return id;
    },

    /** Violates the unique constraint if the name is taken. */
    async update(
      id: string,
      group: Pick<ScimGroup, 'displayName' | 'externalId'>,
      now: number,
    ): Promise<void> {
      await db
        .updateTable('scim_groups')
        .set((set) => ({
          display_name: group.displayName,
          display_key: directoryKey(group.displayName),
          external_id: group.externalId,
          version: set('version', '+', 1),
          updated_at: now,
        }))
        .where('id', '=', id)
        .execute();
    },

    async delete(id: string): Promise<void> {
      await db.deleteFrom('scim_groups').where('id', '=', id).execute();
    },

    /** Counts the members of each of the groups; groups without members are absent. */
    async countMembers(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('scim_group_members')
        .select('group_id')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('group_id', 'in', ids)
        .groupBy('group_id')
        .execute();
      return new Map(rows.map((row) => [row.group_id, Number(row.count)]));
    },

    /** Lists the members of the groups, by the id of the group. */
    async membersOf(ids: readonly string[]): Promise<ReadonlyMap<string, ScimMember[]>> {
      const found = new Map<string, ScimMember[]>();
      if (ids.length === 0) return found;
      const rows = await db
        .selectFrom('scim_group_members as m')
        .innerJoin('scim_users as s', (join) =>
          join.onRef('s.workspace_id', '=', 'm.workspace_id').onRef('s.user_id', '=', 'm.user_id'),
        )
        .select(['m.group_id', 'm.user_id', 's.user_name'])
        .where('m.group_id', 'in', ids)
        .orderBy('m.user_id')
        .execute();
      for (const row of rows) {
        const members = found.get(row.group_id) ?? [];
        members.push({ id: row.user_id, userName: row.user_name });
        found.set(row.group_id, members);
      }
      return found;
    },

    async memberIds(groupId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('scim_group_members')
        .select('user_id')
        .where('group_id', '=', groupId)
        .orderBy('user_id')
        .execute();
      return rows.map((row) => row.user_id);
    },

    /** Returns those of the ids that are users of the directory. */
    async knownUsers(workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
      const known = new Set<string>();
      for (const chunk of chunksOf(ids)) {
        const rows = await db
          .selectFrom('scim_users')
          .select('user_id')
          .where('workspace_id', '=', workspaceId)
          .where('user_id', 'in', [...chunk])
          .where('deleted_at', 'is', null)
          .execute();
        for (const row of rows) known.add(row.user_id);
      }
      return known;
    },

    /** Returns those of the ids whom the directory has not deactivated. */
    async activeUsers(workspaceId: string, ids: readonly string[]): Promise<string[]> {
      const active: string[] = [];
      for (const chunk of chunksOf(ids)) {
        const rows = await db
          .selectFrom('scim_users')
          .select('user_id')
          .where('workspace_id', '=', workspaceId)
          .where('user_id', 'in', [...chunk])
          .where('active', '=', 1)
          .orderBy('user_id')
          .execute();
        active.push(...rows.map((row) => row.user_id));
      }
      return active;
    },

    /** Returns the ids of those who were not members yet. */
    async addMembers(workspaceId: string, groupId: string, ids: readonly string[]): Promise<string[]> {
      const added: string[] = [];
      for (const chunk of chunksOf(ids)) {
        const rows = await db
          .insertInto('scim_group_members')
          .values(chunk.map((id) => ({ group_id: groupId, workspace_id: workspaceId, user_id: id })))
          .onConflict((conflict) => conflict.doNothing())
          .returning('user_id')
          .execute();
        added.push(...rows.map((row) => row.user_id));
      }
      return added;
    },

    /** Returns the ids of those who were members. */
    async removeMembers(groupId: string, ids: readonly string[]): Promise<string[]> {
      const removed: string[] = [];
      for (const chunk of chunksOf(ids)) {
        const rows = await db
          .deleteFrom('scim_group_members')
          .where('group_id', '=', groupId)
          .where('user_id', 'in', [...chunk])
          .returning('user_id')
          .execute();
        removed.push(...rows.map((row) => row.user_id));
      }
      return removed;
    },

    /** Returns the ids of the groups that the person was in. */
    async removeFromAll(workspaceId: string, userId: string): Promise<string[]> {
      const rows = await db
        .deleteFrom('scim_group_members')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .returning('group_id')
        .execute();
      return rows.map((row) => row.group_id);
    },
  };
}

function toScimGroup(row: {
  id: string;
  display_name: string;
  external_id: string | null;
  version: number;
  created_at: number;
  updated_at: number;
}): ScimGroup {
  return {
    id: row.id,
    displayName: row.display_name,
    externalId: row.external_id,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
