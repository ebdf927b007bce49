import type { Kysely, Transaction } from 'kysely';

/** The language that a person has chosen; null: that of the browser. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('users').addColumn('language', 'text').execute();
}
