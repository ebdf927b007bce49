import { type Kysely, sql } from 'kysely';

/** Since when people have access, and who gave it to them. Null for what was stored before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    'alter table team_members add column added_by text',
    'alter table group_members add column added_by text',
    'alter table app_testers add column added_by text',
    'alter table workspace_owners add column added_by text',
    'alter table workspace_owners add column created_at bigint',
    'alter table hooks add column created_by text references users (owner_id) on delete set null',
    'create index hooks_creator on hooks (created_by)',
    'create index api_keys_creator on api_keys (created_by)',
    'create index trusted_publishers_creator on trusted_publishers (created_by)',
  ])
    await sql.raw(statement).execute(db);
}
