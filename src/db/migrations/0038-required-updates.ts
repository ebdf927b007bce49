import type { Kysely, Transaction } from 'kysely';

/** The revision below which the update check calls updates of a page mandatory. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('distribution_pages').addColumn('mandatory_from', 'bigint').execute();
}
