import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import { workspaceMetadataPlace } from './gate/workspace-gate.ts';
import type { Workspace } from './owner.ts';

/** A person who owns a Workspace or is in one of its Projects. */
export interface WorkspacePerson {
  id: string;
  name: string;
  email: string | null;
  createdAt: number;
}

/** What ends with a Workspace. Members and mappings of groups end with their groups. */
const tablesOfWorkspace = [
  'workspace_owners',
  'scim_tokens',
  'workspace_domains',
  'scim_groups',
  'scim_users',
  'workspace_providers',
  'provider_accounts',
] as const;

export const workspaceQueries = defineQueries(createWorkspaceQueries);

function createWorkspaceQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';

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

    /** Whether the User owns the Workspace or is a member of one of its Projects. */
    async hasMember(workspaceId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('users as u')
        .select('u.owner_id')
        .where('u.owner_id', '=', userId)
        .where((where) =>
          where.or([
            where.exists(
              where
                .selectFrom('workspace_owners as m')
                .select('m.user_id')
                .where('m.workspace_id', '=', workspaceId)
                .whereRef('m.user_id', '=', 'u.owner_id'),
            ),
            where.exists(
              where
                .selectFrom('team_members as t')
                .innerJoin('projects as p', 'p.owner_id', 't.project_id')
                .select('t.user_id')
                .where('p.workspace_id', '=', workspaceId)
                .whereRef('t.user_id', '=', 'u.owner_id'),
            ),
          ]),
        )
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Lists its owners and the members of its Projects, ordered by name. */
    async listPeople(workspaceId: string, limit: number): Promise<WorkspacePerson[]> {
      const rows = await db
        .selectFrom('owners as o')
        .innerJoin('users as u', 'u.owner_id', 'o.id')
        .select(['o.id', 'o.name', 'u.email', 'o.created_at'])
        .where('o.deleted_at', 'is', null)
        .where('o.id', 'in', (inner) =>
          inner
            .selectFrom('workspace_owners as m')
            .select('m.user_id')
            .where('m.workspace_id', '=', workspaceId)
            .union(
              db
                .selectFrom('team_members as t')
                .innerJoin('projects as p', 'p.owner_id', 't.project_id')
                .select('t.user_id')
                .where('p.workspace_id', '=', workspaceId),
            ),
        )
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ id: row.id, name: row.name, email: row.email, createdAt: row.created_at }));
    },

    /** Lists the Workspaces that the User owns, ordered by name. */
    async listOwnedBy(userId: string): Promise<Workspace[]> {
      const rows = await db
        .selectFrom('workspace_owners as m')
        .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
        .select(['w.id', 'w.name', 'w.display_name', 'w.icon_url'])
        .where('m.user_id', '=', userId)
        .orderBy('w.name_key')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        displayName: row.display_name,
        iconUrl: row.icon_url,
      }));
    },

    /** Returns whether anything changed. */
    async removeOwner(workspaceId: string, userId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('workspace_owners')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
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
