import type { Kysely, Transaction } from 'kysely';

/** What grows when the access of an account is ended, and which codes of terminals a person has looked at. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('access_epoch', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('device_codes').addColumn('viewed_at', 'bigint').execute();
  await db.schema.createIndex('device_codes_user_id').on('device_codes').column('user_id').execute();
}
