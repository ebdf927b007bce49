import type { Kysely, Transaction } from 'kysely';

/** Whose work a job is, and how many jobs of that owner waited when it was added. Earlier versions leave both out. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('outbox').addColumn('queued_for', 'text').execute();
  await db.schema
    .alterTable('outbox')
    .addColumn('turn', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('outbox_queued_for').on('outbox').column('queued_for').execute();
}
