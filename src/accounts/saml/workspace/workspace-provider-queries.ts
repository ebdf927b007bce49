import { defineQueries } from '../../../db/data.ts';
import type { Queries } from '../../../db/database.ts';
import { workspaceIssuer } from '../../../owners/gate/workspace-gate.ts';
import { emailKey, nameKey } from '../../../owners/owner.ts';
import type { WorkspaceProvider } from './workspace-provider.ts';

export const workspaceProviderQueries = defineQueries(createWorkspaceProviderQueries);

function createWorkspaceProviderQueries(db: Queries) {
  const providers = () =>
    db
      .selectFrom('workspace_providers as p')
      .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['w.id', 'w.name as workspace', 'p.name', 'p.entity_id', 'p.metadata_url', 'p.attributes'])
      .select('p.required_at')
      .where('w.deleted_at', 'is', null);
  type Row = Awaited<ReturnType<ReturnType<typeof providers>['executeTakeFirstOrThrow']>>;
  const toProvider = (row: Row): WorkspaceProvider => ({
    workspace: { id: row.id, name: row.workspace },
    name: row.name,
    entityId: row.entity_id,
    metadataUrl: row.metadata_url,
    attributes: row.attributes,
    requiredAt: row.required_at,
  });
  return {
    async findByName(workspace: string): Promise<WorkspaceProvider | null> {
      const row = await providers().where('w.name_key', '=', nameKey(workspace)).executeTakeFirst();
      return row ? toProvider(row) : null;
    },

    async find(workspaceId: string): Promise<WorkspaceProvider | null> {
      const row = await providers().where('w.id', '=', workspaceId).executeTakeFirst();
      return row ? toProvider(row) : null;
    },

    /** Lists the providers that these identities are linked to. */
    async listOfIssuers(issuers: readonly string[]): Promise<WorkspaceProvider[]> {
      const ids = issuers.flatMap((issuer) => /^workspace-saml:([^:]+):/.exec(issuer)?.[1] ?? []);
      if (ids.length === 0) return [];
      const rows = await providers().where('w.id', 'in', ids).orderBy('w.name_key').execute();
      return rows
        .map(toProvider)
        .filter(({ workspace, entityId }) => issuers.includes(workspaceIssuer(workspace.id, entityId)));
    },

    async set(provider: WorkspaceProvider, now: number): Promise<void> {
      const { workspace, name, entityId, metadataUrl, attributes, requiredAt } = provider;
      const row = {
        name,
        entity_id: entityId,
        metadata_url: metadataUrl,
        attributes,
        required_at: requiredAt,
      };
      await db
        .insertInto('workspace_providers')
        .values({ workspace_id: workspace.id, created_at: now, ...row })
        .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row))
        .execute();
    },

    async remove(workspaceId: string): Promise<void> {
      await db.deleteFrom('workspace_providers').where('workspace_id', '=', workspaceId).execute();
    },

    /** Whether an administrator assigned the domain of the address to the Workspace. */
    async hasDomainOf(workspaceId: string, address: string): Promise<boolean> {
      const key = emailKey(address);
      const row = await db
        .selectFrom('workspace_domains')
        .select('domain')
        .where('domain', '=', key.slice(key.lastIndexOf('@') + 1))
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Returns what decides about claims of the Workspace on an account. `made`: its provider created it, or its directory manages the
     * whole account. Null if there is no such User.
     */
    async findClaims(
      workspaceId: string,
      userId: string,
    ): Promise<{ isAdministrator: boolean; confirmedEmail: string | null; made: boolean } | null> {
      const row = await db
        .selectFrom('users as u')
        .select(['u.administrator', 'u.email', 'u.email_confirmed'])
        .select((select) => [
          select
            .selectFrom('provider_accounts as a')
            .select('a.user_id')
            .whereRef('a.user_id', '=', 'u.owner_id')
            .where('a.workspace_id', '=', workspaceId)
            .as('made'),
          select
            .selectFrom('scim_users as s')
            .select('s.user_id')
            .whereRef('s.user_id', '=', 'u.owner_id')
            .where('s.workspace_id', '=', workspaceId)
            .where('s.covers', '=', 'account')
            .where('s.deleted_at', 'is', null)
            .as('covered'),
        ])
        .where('u.owner_id', '=', userId)
        .executeTakeFirst();
      if (!row) return null;
      return {
        isAdministrator: row.administrator === 1,
        confirmedEmail: row.email_confirmed === 1 ? row.email : null,
        made: row.made !== null || row.covered !== null,
      };
    },

    async recordAccount(workspaceId: string, userId: string, now: number): Promise<void> {
      await db
        .insertInto('provider_accounts')
        .values({ user_id: userId, workspace_id: workspaceId, created_at: now })
        .execute();
    },

    async countAccounts(workspaceId: string): Promise<number> {
      const row = await db
        .selectFrom('provider_accounts')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },
  };
}
