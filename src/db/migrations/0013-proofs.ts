import type { Kysely, Transaction } from 'kysely';

/** When the person of a session last proved who they are; null: never since it was started. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('proven_at', 'bigint').execute();
}
