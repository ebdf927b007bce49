import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * Who holds a claimed job or request: the process and its claim, null for those of earlier versions. `nodes`: the servers of the
 * installation, and how far their clocks are from that of the database. `installation_facts`: one row per fact.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('idempotent_requests').addColumn('leased_until', 'bigint').execute();
  for (const table of ['outbox', 'idempotent_requests'] as const) {
    await db.schema.alterTable(table).addColumn('held_by', 'text').execute();
    await db.schema.alterTable(table).addColumn('claim_number', 'bigint').execute();
    await db.schema.createIndex(`${table}_held_by`).on(table).columns(['held_by', 'claim_number']).execute();
  }
  await db.schema
    .createTable('nodes')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('clock_offset_ms', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('installation_facts')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}
