import { type Kysely, sql } from 'kysely';

/** Members of Workspaces. Those whom the directory or the provider of a Workspace brought become members of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `create table workspace_members (
      workspace_id text not null references workspaces (id) on delete cascade,
      user_id text not null references users (owner_id) on delete cascade,
      created_at bigint,
      added_by text,
      constraint workspace_members_pk primary key (workspace_id, user_id)
    )`,
    'create index workspace_members_user on workspace_members (user_id)',
    `insert into workspace_members (workspace_id, user_id, created_at)
      select workspace_id, user_id, created_at from scim_users where active = 1 and deleted_at is null`,
    `insert into workspace_members (workspace_id, user_id, created_at)
      select a.workspace_id, a.user_id, a.created_at from provider_accounts a where not exists (
        select 1 from scim_users s where s.workspace_id = a.workspace_id and s.user_id = a.user_id)`,
  ])
    await sql.raw(statement).execute(db);
}
