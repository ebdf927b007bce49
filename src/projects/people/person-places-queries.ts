import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Team } from '../../owners/owner.ts';
import { workspacesWithRole } from '../../owners/workspace-queries.ts';
import type { PersonPlaces } from './person-places.ts';

export const personPlacesQueries = defineQueries(createPersonPlacesQueries);

/** `managerId`: lists only what this User owns; null for everything. */
function createPersonPlacesQueries(db: Queries) {
  return {
    /** Lists the Projects by id that have the User in a team. */
    async listProjects(
      userId: string,
      managerId: string | null,
      limit: number,
    ): Promise<PersonPlaces['projects']> {
      const rows = await db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.project_id')
        .select(['o.id', 'o.name', 't.team'])
        .select(
          sql<number>`case when t.team = 'owner' and not exists (select 1 from team_members x
            join users u on u.owner_id = x.user_id where x.project_id = t.project_id and x.team = 'owner'
            and x.user_id <> t.user_id and u.disabled_at is null) then 1 else 0 end`.as('last_owner'),
        )
        .where('t.user_id', '=', userId)
        .where('o.deleted_at', 'is', null)
        .$if(managerId !== null, (query) => query.where('t.project_id', 'in', owned(managerId ?? '')))
        .orderBy('t.project_id')
        .limit(limit)
        .execute();
      const projects = new Map<string, PersonPlaces['projects'][number]>();
      for (const row of rows) {
        const known = projects.get(row.id);
        projects.set(row.id, {
          id: row.id,
          name: row.name,
          teams: [...(known?.teams ?? []), row.team as Team],
          isLastOwner: known?.isLastOwner === true || row.last_owner === 1,
        });
      }
      return [...projects.values()];
    },

    /** Lists the Workspaces in which the User has a role, by id. */
    async listWorkspaces(
      userId: string,
      managerId: string | null,
      limit: number,
    ): Promise<PersonPlaces['workspaces']> {
      const rows = await db
        .selectFrom('workspaces as w')
        .leftJoin('workspace_owners as m', (join) =>
          join.onRef('m.workspace_id', '=', 'w.id').on('m.user_id', '=', userId),
        )
        .select(['w.id', 'w.name', 'm.user_id as owner_id'])
        .select(
          sql<number>`case when exists (select 1 from workspace_owners x
            join users u on u.owner_id = x.user_id where x.workspace_id = w.id
            and x.user_id <> ${userId} and u.disabled_at is null) then 0 else 1 end`.as('last_owner'),
        )
        .where(sql<boolean>`w.id in ${workspacesWithRole(userId)}`)
        .$if(managerId !== null, (query) => query.where('w.id', 'in', ownedWorkspaces(managerId ?? '')))
        .orderBy('w.id')
        .limit(limit)
        .execute();
      return rows.map(({ id, name, owner_id: ownerId, last_owner: last }) => ({
        id,
        name,
        role: ownerId === null ? 'member' : 'owner',
        isLastOwner: ownerId !== null && last === 1,
      }));
    },

    /** Lists the apps of other Users that are shared with the User. */
    async listSharedApps(
      userId: string,
      managerId: string | null,
      limit: number,
    ): Promise<PersonPlaces['apps']> {
      const rows = await db
        .selectFrom('app_testers as t')
        .innerJoin('apps as a', 'a.id', 't.app_id')
        .innerJoin('owners as o', 'o.id', 'a.owner_id')
        .select(['a.id', 'a.package_name', 'a.platform', 'o.id as owner_id', 'o.name as owner_name'])
        .where('t.user_id', '=', userId)
        .where('a.deleted_at', 'is', null)
        .$if(managerId !== null, (query) => query.where('a.owner_id', '=', managerId ?? ''))
        .orderBy('a.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: `${row.package_name} (${row.platform})`,
        owner: { id: row.owner_id, name: row.owner_name },
      }));
    },

    /** Ids of the Projects and Workspaces that the User owns. */
    async listOwned(userId: string): Promise<Set<string>> {
      const projects = await db
        .selectFrom('team_members')
        .select('project_id as id')
        .where('user_id', '=', userId)
        .where('team', '=', 'owner')
        .unionAll(
          db.selectFrom('workspace_owners').select('workspace_id as id').where('user_id', '=', userId),
        )
        .execute();
      return new Set(projects.map(({ id }) => id));
    },
  };
}

const owned = (userId: string) =>
  sql<string>`(select project_id from team_members where user_id = ${userId} and team = 'owner')`;
const ownedWorkspaces = (userId: string) =>
  sql<string>`(select workspace_id from workspace_owners where user_id = ${userId})`;
