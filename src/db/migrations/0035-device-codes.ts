import type { Kysely, Transaction } from 'kysely';

/** Sign-ins of programs without a browser (RFC 8628), and which keys they created. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('device_codes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('user_code_hash', 'text')
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('network', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('key_days', 'integer')
    .addColumn('polled_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  for (const column of ['secret_hash', 'user_code_hash']) {
    await db.schema
      .createIndex(`device_codes_${column}`)
      .on('device_codes')
      .column(column)
      .unique()
      .execute();
  }
  await db.schema.createIndex('device_codes_expires_at').on('device_codes').column('expires_at').execute();
  await db.schema.alterTable('api_keys').addColumn('client', 'text').execute();
}
