import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { prepareQuery } from '../../db/prepared-query.ts';
import { workspacesOf } from '../gate/workspace-gate-queries.ts';
import { type PolicyValues, parsePolicies, writePolicies } from './policies.ts';

export const policyQueries = defineQueries(createPolicyQueries);

function createPolicyQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const byWorkspace = prepareQuery(db, ['id'], (id) =>
    db.selectFrom('workspaces').select('policies').where('id', '=', id),
  );
  const byOwner = prepareQuery(db, ['ownerId'], (ownerId) =>
    db
      .selectFrom('projects as p')
      .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select('w.policies')
      .where('p.owner_id', '=', ownerId),
  );
  return {
    async ofWorkspace(id: string): Promise<PolicyValues> {
      const [row] = await byWorkspace(id);
      return parsePolicies(row?.policies ?? null);
    },

    /** Lists the policies of the Workspaces of the User that have any. */
    async ofPerson(userId: string): Promise<PolicyValues[]> {
      const rows = await db
        .selectFrom('workspaces')
        .select('policies')
        .where('policies', 'is not', null)
        .where('id', 'in', workspacesOf(db, userId))
        .execute();
      return rows.map(({ policies }) => parsePolicies(policies));
    },

    /** Returns the policies of the Project's Workspace. A User has none. */
    async ofOwner(ownerId: string): Promise<PolicyValues> {
      const [row] = await byOwner(ownerId);
      return parsePolicies(row?.policies ?? null);
    },

    /**
     * Like `ofOwner`, but no transaction can change the policies until this one ends: what they limit is then either visible to
     * the change of the policy, or sees it.
     */
    async lockOfOwner(ownerId: string): Promise<PolicyValues> {
      const row = await db
        .selectFrom('workspaces')
        .select('policies')
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('projects')
            .select('workspace_id')
            .where('owner_id', '=', ownerId)
            .where('workspace_id', 'is not', null)
            .$castTo<{ workspace_id: string }>(),
        )
        // SQLite transactions are exclusive already.
        .$if(database.dialect === 'postgres', (query) => query.forShare())
        .executeTakeFirst();
      return parsePolicies(row?.policies ?? null);
    },

    /** When the newest existing build was uploaded; null without any. */
    async newestBuildAt(of: { appId: string } | { ownerId: string }): Promise<number | null> {
      const row = await db
        .selectFrom('builds as b')
        .innerJoin('apps as a', 'a.id', 'b.app_id')
        .select('b.created_at')
        .where('b.deleted_at', 'is', null)
        .where('a.deleted_at', 'is', null)
        .$if('appId' in of, (query) => query.where('a.id', '=', 'appId' in of ? of.appId : ''))
        .$if('ownerId' in of, (query) => query.where('a.owner_id', '=', 'ownerId' in of ? of.ownerId : ''))
        .orderBy('b.created_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.created_at ?? null;
    },

    async set(workspaceId: string, values: PolicyValues): Promise<void> {
      await db
        .updateTable('workspaces')
        .set({ policies: writePolicies(values) })
        .where('id', '=', workspaceId)
        .execute();
    },

    /** Sets the access of the pages that have one of `below`. Returns how many there were. */
    async raisePageAccess(workspaceId: string, below: readonly string[], access: string): Promise<number> {
      const rows = await db
        .updateTable('distribution_pages')
        .set({ access })
        .where('access', 'in', below)
        .where('app_id', 'in', (inner) =>
          inner
            .selectFrom('apps as a')
            .innerJoin('projects as p', 'p.owner_id', 'a.owner_id')
            .select('a.id')
            .where('p.workspace_id', '=', workspaceId),
        )
        .returning('id')
        .execute();
      return rows.length;
    },
  };
}
