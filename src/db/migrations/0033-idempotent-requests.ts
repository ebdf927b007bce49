import type { Kysely, Transaction } from 'kysely';

/** Answers of API requests with an `Idempotency-Key`, encrypted: they may contain secrets that are shown once. Null: not answered yet. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('idempotent_requests')
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('encrypted_answer', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotent_requests_pk', ['owner_id', 'key'])
    .execute();
  await db.schema
    .createIndex('idempotent_requests_created_at')
    .on('idempotent_requests')
    .column('created_at')
    .execute();
}
