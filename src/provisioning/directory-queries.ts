import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Directory, DirectoryToken } from './scim/scim.ts';

export const directoryQueries = defineQueries(createDirectoryQueries);

/** Tokens of directories, and the email domains of Workspaces. */
function createDirectoryQueries(db: Queries) {
  return {
    /** Returns the directory of an unexpired token. */
    async findByToken(
      tokenHash: string,
      now: number,
    ): Promise<(Directory & { lastUsedAt: number | null }) | null> {
      const row = await db
        .selectFrom('scim_tokens as t')
        .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
        .select(['t.id', 't.name', 't.last_used_at', 't.expires_at', 'w.id as workspace_id'])
        .select('w.name as workspace_name')
        .where('t.token_hash', '=', tokenHash)
        .where('w.deleted_at', 'is', null)
        .executeTakeFirst();
      if (!row || (row.expires_at !== null && row.expires_at <= now)) return null;
      return {
        workspace: { id: row.workspace_id, name: row.workspace_name },
        token: { id: row.id, name: row.name },
        lastUsedAt: row.last_used_at,
      };
    },

    /** Whether the token was not revoked in the meantime. */
    async hasToken(id: string): Promise<boolean> {
      const row = await db.selectFrom('scim_tokens').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },

    async touchToken(id: string, now: number): Promise<void> {
      await db.updateTable('scim_tokens').set({ last_used_at: now }).where('id', '=', id).execute();
    },

    /** Lists the tokens of the Workspace, the oldest first. */
    async listTokens(workspaceId: string): Promise<DirectoryToken[]> {
      const rows = await db
        .selectFrom('scim_tokens')
        .select(['id', 'name', 'created_by', 'created_at', 'expires_at', 'last_used_at'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        createdBy: row.created_by,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        lastUsedAt: row.last_used_at,
      }));
    },

    /** Violates the unique constraint if the Workspace has a token with that name. */
    async insertToken(token: {
      workspaceId: string;
      name: string;
      tokenHash: string;
      createdBy: string;
      expiresAt: number | null;
      now: number;
    }): Promise<string> {
      const id = newIdentifier(token.now);
      await db
        .insertInto('scim_tokens')
        .values({
          id,
          workspace_id: token.workspaceId,
          name: token.name,
          token_hash: token.tokenHash,
          created_by: token.createdBy,
          created_at: token.now,
          expires_at: token.expiresAt,
        })
        .execute();
      return id;
    },

    /** Returns the name of the token; null if the Workspace has no such token. */
    async deleteToken(workspaceId: string, id: string): Promise<string | null> {
      const row = await db
        .deleteFrom('scim_tokens')
        .where('id', '=', id)
        .where('workspace_id', '=', workspaceId)
        .returning('name')
        .executeTakeFirst();
      return row?.name ?? null;
    },

    async listDomains(workspaceId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('workspace_domains')
        .select('domain')
        .where('workspace_id', '=', workspaceId)
        .orderBy('domain')
        .execute();
      return rows.map(({ domain }) => domain);
    },

    async hasDomain(workspaceId: string, domain: string): Promise<boolean> {
      const row = await db
        .selectFrom('workspace_domains')
        .select('domain')
        .where('domain', '=', domain)
        .where('workspace_id', '=', workspaceId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Violates the unique constraint if a Workspace has the domain. */
    async insertDomain(workspaceId: string, domain: string, now: number): Promise<void> {
      await db
        .insertInto('workspace_domains')
        .values({ domain, workspace_id: workspaceId, created_at: now })
        .execute();
    },

    async deleteDomain(workspaceId: string, domain: string): Promise<boolean> {
      const row = await db
        .deleteFrom('workspace_domains')
        .where('domain', '=', domain)
        .where('workspace_id', '=', workspaceId)
        .returning('domain')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
