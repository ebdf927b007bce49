import { type Kysely, sql } from 'kysely';

/** The policies of a Workspace, as JSON; null without any. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table workspaces add column policies text').execute(db);
}
