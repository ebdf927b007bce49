import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { GateEvidence, GateProvider } from './workspace-gate.ts';

/** Whether any Workspace of this server has a provider, and may have conditions for sessions and keys. */
export const isGated = sql<number>`exists (select 1 from workspace_providers)`.as('is_gated');

export const workspaceGateQueries = defineQueries(createWorkspaceGateQueries);

/** Selects the ids of the Workspaces that the User owns, is a member of, or has a Project in. */
export const joinedWorkspaces = (db: Queries, userId: string) =>
  db
    .selectFrom('workspace_owners as o')
    .select('o.workspace_id')
    .where('o.user_id', '=', userId)
    .union(db.selectFrom('workspace_members as m').select('m.workspace_id').where('m.user_id', '=', userId))
    .union(
      db
        .selectFrom('team_members as t')
        .innerJoin('projects as j', 'j.owner_id', 't.project_id')
        .select(sql<string>`j.workspace_id`.as('workspace_id'))
        .where('t.user_id', '=', userId)
        .where('j.workspace_id', 'is not', null),
    );

/** Also those that the User manages a group in. */
export const workspacesOf = (db: Queries, userId: string) =>
  joinedWorkspaces(db, userId).union(
    db
      .selectFrom('group_managers as m')
      .innerJoin('groups as g', 'g.id', 'm.group_id')
      .innerJoin('projects as j', 'j.owner_id', 'g.owner_id')
      .select(sql<string>`j.workspace_id`.as('workspace_id'))
      .where('m.user_id', '=', userId)
      .where('j.workspace_id', 'is not', null),
  );

function createWorkspaceGateQueries(db: Queries) {
  return {
    /** Lists the providers of the Workspaces of the User. */
    async listProvidersOf(userId: string, evidence: GateEvidence): Promise<GateProvider[]> {
      const issuer = sql<string>`'workspace-saml:' || p.workspace_id || ':' || p.entity_id`;
      const rows = await db
        .selectFrom('workspace_providers as p')
        .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
        .innerJoin('users as u', (join) => join.on('u.owner_id', '=', userId))
        .select(['w.id', 'w.name', 'p.name as provider', 'p.entity_id', 'p.required_at', 'u.administrator'])
        .select((select) =>
          (evidence.kind === 'session'
            ? select
                .selectFrom('saml_sessions as m')
                .select('m.issuer')
                .where('m.session_id', '=', evidence.id)
                .where('m.issuer', '=', issuer)
            : select
                .selectFrom('key_sign_ons as k')
                .select('k.issuer')
                .where('k.key_id', '=', evidence.id)
                .where('k.issuer', '=', issuer)
          ).as('signed_on'),
        )
        .where('p.workspace_id', 'in', workspacesOf(db, userId))
        .execute();
      return rows.map((row) => ({
        workspace: { id: row.id, name: row.name },
        name: row.provider,
        entityId: row.entity_id,
        requiredAt: row.required_at,
        isSignedOn: row.signed_on !== null,
        isExempt: row.administrator === 1,
      }));
    },

    /** Remembers where the person was signed in when they created or rotated the key. */
    async recordKey(keyId: string, issuers: readonly string[]): Promise<void> {
      await db.deleteFrom('key_sign_ons').where('key_id', '=', keyId).execute();
      if (issuers.length === 0) return;
      await db
        .insertInto('key_sign_ons')
        .values(issuers.map((issuer) => ({ key_id: keyId, issuer })))
        .execute();
    },
  };
}
