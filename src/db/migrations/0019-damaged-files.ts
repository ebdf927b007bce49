import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** `damage`: JSON that maps blobs of the build to their faults; null: no known damage. */
export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('builds').addColumn('simulator_sha256', 'text').execute();
  await db.schema.alterTable('builds').addColumn('damage', 'text').execute();
  await sql`create index builds_damaged on builds (id) where damage is not null`.execute(db);
}
