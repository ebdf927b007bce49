import { sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { nameContains, type PartByName, readPartByName } from '../db/name-order-queries.ts';
import { workspaceMetadataPlace } from './gate/workspace-gate.ts';
import { joinedWorkspaces } from './gate/workspace-gate-queries.ts';
import { type Workspace, type WorkspacePerson, type WorkspaceRole, workspaceRoles } from './owner.ts';
import { forgetGrants } from './team-queries.ts';

/** What ends with a Workspace. Members and mappings of groups end with their groups. */
const tablesOfWorkspace = [
  'workspace_owners',
  'workspace_members',
  'scim_tokens',
  'workspace_domains',
  'scim_groups',
  'scim_users',
  'workspace_providers',
  'provider_accounts',
] as const;

const tableOf = { owner: 'workspace_owners', member: 'workspace_members' } as const;

/** Selects the ids of the Workspaces in which the User has a role. */
export const workspacesWithRole = (userId: string) => sql`(
  select workspace_id from workspace_owners where user_id = ${userId}
  union select workspace_id from workspace_members where user_id = ${userId})`;

/** Selects the ids of the people of a Workspace. */
export const peopleOfWorkspace = (id: string) => sql<{ user_id: string }>`(
  select user_id from workspace_owners where workspace_id = ${id}
  union select user_id from workspace_members where workspace_id = ${id}
  union select t.user_id from projects p join team_members t on t.project_id = p.owner_id where p.workspace_id = ${id})`;

export const workspaceQueries = defineQueries(createWorkspaceQueries);

function createWorkspaceQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const people = (workspaceId: string) => {
    const has = (role: WorkspaceRole) => sql`exists (select 1 from ${sql.table(tableOf[role])} r
      where r.workspace_id = ${workspaceId} and r.user_id = o.id)`;
    return db
      .selectFrom(peopleOfWorkspace(workspaceId).as('person'))
      .innerJoin('owners as o', 'o.id', 'person.user_id')
      .innerJoin('users as u', 'u.owner_id', 'o.id')
      .select(['o.id', 'o.name', 'u.email', 'o.created_at'])
      .select(
        sql<WorkspacePerson['role']>`case when ${has('owner')} then 'owner'
          when ${has('member')} then 'member' else 'guest' end`.as('role'),
      )
      .where('o.deleted_at', 'is', null);
  };
  type PersonRow = Awaited<ReturnType<ReturnType<typeof people>['executeTakeFirstOrThrow']>>;
  const toPerson = ({ created_at: createdAt, ...row }: PersonRow): WorkspacePerson => ({ ...row, createdAt });

  return {
    /** Locks the Workspace until the transaction ends, so that nobody deletes it or changes its owners. Returns whether it exists. */
    async lock(workspaceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('workspaces')
        .select('id')
        .where('id', '=', workspaceId)
        .where('deleted_at', 'is', null)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Ordered by name. */
    async listOwners(workspaceId: string): Promise<{ id: string; name: string }[]> {
      return db
        .selectFrom('workspace_owners as m')
        .innerJoin('owners as o', 'o.id', 'm.user_id')
        .select(['o.id', 'o.name'])
        .where('m.workspace_id', '=', workspaceId)
        .orderBy('o.name_key')
        .execute();
    },

    /** Whether the Workspace has another owner with an active account. */
    async hasOtherOwner(workspaceId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('workspace_owners as m')
        .innerJoin('users as u', 'u.owner_id', 'm.user_id')
        .select('m.user_id')
        .where('m.workspace_id', '=', workspaceId)
        .where('m.user_id', '!=', userId)
        .where('u.disabled_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether the User has a role in the Workspace or is in a team of one of its Projects. */
    async hasPerson(workspaceId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom(joinedWorkspaces(db, userId).as('w'))
        .select('w.workspace_id')
        .where('w.workspace_id', '=', workspaceId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async findPerson(workspaceId: string, userId: string): Promise<WorkspacePerson | null> {
      const row = await people(workspaceId).where('o.id', '=', userId).executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** Lists people with names that contain every word, ignoring case, by name. */
    async listPeople(
      workspaceId: string,
      part: PartByName,
      words: readonly string[] = [],
    ): Promise<WorkspacePerson[]> {
      let query = people(workspaceId);
      for (const word of words) query = query.where(nameContains(word));
      return (await readPartByName(query, 'o.name_key', part)).map(toPerson);
    },

    /** The User's roles in the Workspace; the first one counts. */
    async rolesOf(workspaceId: string, userId: string): Promise<WorkspaceRole[]> {
      const roles: WorkspaceRole[] = [];
      for (const role of workspaceRoles) {
        const row = await db
          .selectFrom(tableOf[role])
          .select('user_id')
          .where('workspace_id', '=', workspaceId)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        if (row) roles.push(role);
      }
      return roles;
    },

    /** Returns whether anything changed. */
    async addPerson(
      workspaceId: string,
      userId: string,
      role: WorkspaceRole,
      added?: { at: number; by: string },
    ): Promise<boolean> {
      const row = await db
        .insertInto(tableOf[role])
        .values({
          workspace_id: workspaceId,
          user_id: userId,
          created_at: added?.at ?? null,
          added_by: added?.by ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether anything changed. */
    async removePerson(workspaceId: string, userId: string, role: WorkspaceRole): Promise<boolean> {
      const row = await db
        .deleteFrom(tableOf[role])
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      await forgetGrants(db, userId, (mapping) =>
        mapping.and([
          mapping('workspace_id', '=', workspaceId),
          mapping('project_id', 'is', null),
          mapping('team', role === 'owner' ? 'is' : '=', role === 'owner' ? null : role),
        ]),
      );
      return row !== undefined;
    },

    /** Lists the Workspaces in which the User has one of the roles, ordered by name. */
    async listOf(
      userId: string,
      roles: readonly WorkspaceRole[] = workspaceRoles,
    ): Promise<(Workspace & { role: WorkspaceRole })[]> {
      const found = new Map<string, Workspace & { role: WorkspaceRole; key: string }>();
      for (const role of roles) {
        const rows = await db
          .selectFrom(`${tableOf[role]} as m`)
          .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
          .select(['w.id', 'w.name', 'w.display_name', 'w.icon_url', 'w.name_key'])
          .where('m.user_id', '=', userId)
          .execute();
        for (const { id, name, display_name: displayName, icon_url: iconUrl, name_key: key } of rows)
          if (!found.has(id)) found.set(id, { id, name, displayName, iconUrl, role, key });
      }
      const listed = [...found.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
      return listed.map(({ key: _, ...workspace }) => workspace);
    },

    async change(workspaceId: string, look: Pick<Workspace, 'displayName' | 'iconUrl'>): Promise<void> {
      await db
        .updateTable('workspaces')
        .set({ display_name: look.displayName, icon_url: look.iconUrl })
        .where('id', '=', workspaceId)
        .execute();
    },

    async countProjects(workspaceId: string): Promise<number> {
      const row = await db
        .selectFrom('projects')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Keeps only the name, so that it cannot be reused. */
    async remove(workspaceId: string, now: number): Promise<void> {
      for (const table of tablesOfWorkspace)
        await db.deleteFrom(table).where('workspace_id', '=', workspaceId).execute();
      const place = workspaceMetadataPlace(workspaceId);
      await db.deleteFrom('saml_metadata').where('place', '=', place).execute();
      await db
        .updateTable('workspaces')
        .set({ deleted_at: now, display_name: '', icon_url: '', retention: null, policies: null })
        .where('id', '=', workspaceId)
        .execute();
    },
  };
}
