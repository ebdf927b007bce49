import { type Kysely, sql } from 'kysely';

/** People whose accounts were deleted, and who are to be erased later. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index owners_deleted on owners (deleted_at) where deleted_at is not null`.execute(db);
}
