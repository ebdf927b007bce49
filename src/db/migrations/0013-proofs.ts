import type { Kysely, Transaction } from 'kysely';

/** When the person of a session last re-authenticated; null: never since sign-in. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('sessions').addColumn('proven_at', 'bigint').execute();
}
