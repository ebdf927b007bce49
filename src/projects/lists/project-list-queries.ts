import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { nameContains, readPartByName } from '../../db/name-order-queries.ts';
import type { Project, Team, Workspace } from '../../owners/owner.ts';
import { ownerColumns, toOwner } from '../../owners/owner-queries.ts';
import { workspacesWithRole } from '../../owners/workspace-queries.ts';
import type { NamePage, ProjectLine, ProjectScope } from './project-list.ts';

export const projectListQueries = defineQueries(createProjectListQueries);

function createProjectListQueries(db: Queries) {
  const lines = (scope: ProjectScope) =>
    db
      .selectFrom('owners as o')
      .innerJoin('projects as p', 'p.owner_id', 'o.id')
      .leftJoin('users as u', 'u.owner_id', 'o.id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(ownerColumns)
      .select(lastUpload.as('last_upload_at'))
      .where('o.deleted_at', 'is', null)
      .$if(scope.memberId !== undefined, (query) =>
        query.where('o.id', 'in', (inner) =>
          inner
            .selectFrom('team_members as t')
            .select('t.project_id')
            .where('t.user_id', '=', scope.memberId ?? '')
            .$if(scope.teams !== undefined, (members) => members.where('t.team', 'in', scope.teams ?? [])),
        ),
      )
      .$if(scope.workspaceId !== undefined, (query) =>
        query.where('p.workspace_id', '=', scope.workspaceId ?? ''),
      )
      .$if(scope.within != null, (query) => query.where('o.id', 'in', scope.within ?? []));

  return {
    /** Lists Projects with names that contain every word, ignoring case, by name. */
    async listProjects(
      scope: ProjectScope,
      words: readonly string[],
      page: NamePage,
    ): Promise<ProjectLine[]> {
      let query = lines(scope);
      for (const word of words) {
        query = query.where(nameContains(word));
      }
      return (await readPartByName(query, 'o.name_key', page)).flatMap(toLine);
    },

    /** Lists the Projects with the latest upload first. For a Project without uploads, its creation counts. */
    async listLatestProjects(scope: ProjectScope, limit: number): Promise<Project[]> {
      const rows = await lines(scope)
        .orderBy(sql`coalesce(${lastUpload}, o.created_at)`, 'desc')
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return rows.flatMap(toLine).map(({ project }) => project);
    },

    /** Returns the User's teams in those Projects. */
    async teamsByProject(memberId: string, projectIds: readonly string[]): Promise<Map<string, Team[]>> {
      const teams = new Map<string, Team[]>();
      if (projectIds.length === 0) return teams;
      const rows = await db
        .selectFrom('team_members as t')
        .select(['t.project_id', 't.team'])
        .where('t.user_id', '=', memberId)
        .where('t.project_id', 'in', projectIds)
        .execute();
      for (const { project_id: id, team } of rows) teams.set(id, [...(teams.get(id) ?? []), team as Team]);
      return teams;
    },

    /** Lists the Workspaces in which the User has a role, by name. Words match the name or display name. */
    async listWorkspaces(userId: string, words: readonly string[], page: NamePage): Promise<Workspace[]> {
      let query = db
        .selectFrom('workspaces as w')
        .select(['w.id', 'w.name', 'w.display_name', 'w.icon_url'])
        .where(sql<boolean>`w.id in ${workspacesWithRole(userId)}`);
      for (const word of words) {
        query = query.where(
          sql<boolean>`(w.name_key || ' ' || lower(w.display_name)) like ${holding(word)} escape '\\'`,
        );
      }
      const rows = await readPartByName(query, 'w.name_key', page);
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        displayName: row.display_name,
        iconUrl: row.icon_url,
      }));
    },
  };
}

const lastUpload = sql<number | null>`(
  select max(a.last_upload_at) from apps as a where a.owner_id = o.id and a.deleted_at is null)`;

/** Name keys are lowercase. */
const holding = (word: string) => `%${word.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;

function toLine(row: Parameters<typeof toOwner>[0] & { last_upload_at: number | null }): ProjectLine[] {
  const owner = toOwner(row);
  return owner.kind === 'project' ? [{ project: owner, lastUploadAt: row.last_upload_at }] : [];
}
