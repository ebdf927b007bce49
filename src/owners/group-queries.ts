import { type RawBuilder, sql } from 'kysely';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Group, ManagedGroup } from './group.ts';
import { forgetGrants } from './team-queries.ts';

/** Whether the User is in a group that the page admits. Both arguments may be columns or values. */
export const isInGroupOfPage = (pageId: RawBuilder<unknown>, userId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select 1 from page_groups as pg inner join group_members as gm on gm.group_id = pg.group_id
    where pg.page_id = ${pageId} and gm.user_id = ${userId})`;

export const groupQueries = defineQueries(createGroupQueries);

/** Names are unique per owner, ignoring case. */
const groupKey = (name: string) => name.normalize('NFC').toLowerCase();

function createGroupQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const groups = () =>
    db
      .selectFrom('groups as g')
      .select(['g.id', 'g.name'])
      .select((select) =>
        select
          .selectFrom('group_members as m')
          .select((count) => count.fn.countAll<number>().as('count'))
          .whereRef('m.group_id', '=', 'g.id')
          .as('people'),
      );
  const toGroup = (row: { id: string; name: string; people: number | null }): Group => ({
    id: row.id,
    name: row.name,
    people: Number(row.people ?? 0),
  });

  return {
    /** Lists the groups of the owner by name. */
    async listGroups(ownerId: string): Promise<Group[]> {
      const rows = await groups().where('g.owner_id', '=', ownerId).orderBy('g.name_key').execute();
      return rows.map(toGroup);
    },

    async findGroup(ownerId: string, id: string): Promise<Group | null> {
      const row = await groups().where('g.id', '=', id).where('g.owner_id', '=', ownerId).executeTakeFirst();
      return row ? toGroup(row) : null;
    },

    /** Locks the owner until the transaction ends, so that parallel callers together stay within the limit. */
    async lockOwner(ownerId: string): Promise<void> {
      await db
        .selectFrom('owners')
        .select('id')
        .where('id', '=', ownerId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .execute();
    },

    /** Violates the unique constraint if the owner has a group with that name. */
    async insertGroup(group: { ownerId: string; name: string; now: number }): Promise<string> {
      const id = newIdentifier(group.now);
      await db
        .insertInto('groups')
        .values({
          id,
          owner_id: group.ownerId,
          name: group.name,
          name_key: groupKey(group.name),
          created_at: group.now,
        })
        .execute();
      return id;
    },

    /** Violates the unique constraint if the owner has another group with that name. */
    async renameGroup(id: string, name: string): Promise<void> {
      await db
        .updateTable('groups')
        .set({ name, name_key: groupKey(name) })
        .where('id', '=', id)
        .execute();
    },

    async deleteGroup(id: string): Promise<void> {
      await db.deleteFrom('groups').where('id', '=', id).execute();
    },

    /** Lists at most `limit` people of the group by name. */
    async listPeople(groupId: string, limit: number): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('group_members as m')
        .innerJoin('owners as o', 'o.id', 'm.user_id')
        .select(['o.id', 'o.name'])
        .where('m.group_id', '=', groupId)
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
    },

    /** Whether the User has access to an app of the owner other than by owning it. */
    async hasAccess(owner: { id: string; kind: 'user' | 'project' }, userId: string): Promise<boolean> {
      const row =
        owner.kind === 'project'
          ? await db
              .selectFrom('team_members')
              .select('user_id')
              .where('project_id', '=', owner.id)
              .where('user_id', '=', userId)
              .limit(1)
              .executeTakeFirst()
          : await db
              .selectFrom('app_testers as t')
              .innerJoin('apps as a', 'a.id', 't.app_id')
              .select('t.user_id')
              .where('t.user_id', '=', userId)
              .where('a.owner_id', '=', owner.id)
              .limit(1)
              .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the person was not in the group yet. */
    async addPerson(
      groupId: string,
      userId: string,
      now: number,
      addedBy: string | null = null,
    ): Promise<boolean> {
      const row = await db
        .insertInto('group_members')
        .values({ group_id: groupId, user_id: userId, created_at: now, added_by: addedBy })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the person was in the group. */
    async removePerson(groupId: string, userId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('group_members')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      await forgetGrants(db, userId, (mapping) => mapping('group_id', '=', groupId));
      return row !== undefined;
    },

    /** Removes the person from every group of the owner, also as its manager. */
    async removeFromOwner(ownerId: string, userId: string): Promise<void> {
      for (const table of ['group_members', 'group_managers'] as const)
        await db
          .deleteFrom(table)
          .where('user_id', '=', userId)
          .where('group_id', 'in', (inner) =>
            inner.selectFrom('groups').select('id').where('owner_id', '=', ownerId),
          )
          .execute();
      await forgetGrants(db, userId, (mapping) =>
        mapping.and([mapping('project_id', '=', ownerId), mapping('group_id', 'is not', null)]),
      );
    },

    /** Lists the people who may add people to the group and remove them, by name. */
    async listManagers(groupId: string): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('group_managers as m')
        .innerJoin('owners as o', 'o.id', 'm.user_id')
        .select(['o.id', 'o.name'])
        .where('m.group_id', '=', groupId)
        .orderBy('o.name_key')
        .execute();
    },

    async isManager(ownerId: string, groupId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('group_managers as m')
        .innerJoin('groups as g', 'g.id', 'm.group_id')
        .select('m.user_id')
        .where('m.group_id', '=', groupId)
        .where('m.user_id', '=', userId)
        .where('g.owner_id', '=', ownerId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Lists the groups that the person manages, by name. */
    async listManaged(userId: string): Promise<ManagedGroup[]> {
      const rows = await groups()
        .innerJoin('group_managers as r', 'r.group_id', 'g.id')
        .innerJoin('owners as o', 'o.id', 'g.owner_id')
        .leftJoin('projects as p', 'p.owner_id', 'g.owner_id')
        .select(['o.id as owner_id', 'o.kind', 'o.name as owner', 'p.workspace_id'])
        .where('r.user_id', '=', userId)
        .orderBy('g.name_key')
        .execute();
      return rows.map((row) => ({
        ...toGroup(row),
        owner: { id: row.owner_id, kind: row.kind === 'user' ? 'user' : 'project', name: row.owner },
        workspace: row.workspace_id === null ? null : { id: row.workspace_id },
      }));
    },

    /** Returns whether the person was no manager yet. */
    async addManager(groupId: string, userId: string, now: number): Promise<boolean> {
      const row = await db
        .insertInto('group_managers')
        .values({ group_id: groupId, user_id: userId, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the person was a manager. */
    async removeManager(groupId: string, userId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('group_managers')
        .where('group_id', '=', groupId)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Lists the groups that the page admits, by name. */
    async groupsOfPage(pageId: string): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('page_groups as p')
        .innerJoin('groups as g', 'g.id', 'p.group_id')
        .select(['g.id', 'g.name'])
        .where('p.page_id', '=', pageId)
        .orderBy('g.name_key')
        .execute();
    },

    /** Lists the pages that admit the group, by name. */
    async pagesOfGroup(groupId: string): Promise<{ name: string; accessKey: string }[]> {
      const rows = await db
        .selectFrom('page_groups as p')
        .innerJoin('distribution_pages as d', 'd.id', 'p.page_id')
        .select(['d.name', 'd.access_key'])
        .where('p.group_id', '=', groupId)
        .orderBy('d.name')
        .execute();
      return rows.map((row) => ({ name: row.name, accessKey: row.access_key }));
    },

    async setGroupsOfPage(pageId: string, groupIds: readonly string[]): Promise<void> {
      await db.deleteFrom('page_groups').where('page_id', '=', pageId).execute();
      if (groupIds.length === 0) return;
      await db
        .insertInto('page_groups')
        .values(groupIds.map((groupId) => ({ page_id: pageId, group_id: groupId })))
        .execute();
    },

    /** Whether the User is in a group that the page admits. */
    async isInGroupOfPage(pageId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectNoFrom(isInGroupOfPage(sql.val(pageId), sql.val(userId)).as('is_in'))
        .executeTakeFirstOrThrow();
      return Boolean(row.is_in);
    },
  };
}
