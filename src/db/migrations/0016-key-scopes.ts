import type { Kysely, Transaction } from 'kysely';

/**
 * What an API key permits, where, who created it, from which network it was last used, and the secret that a rotation replaced.
 * Existing keys permit what they permitted: everything. A node that still runs an older version also inserts keys that permit everything.
 */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  const add = (name: string, type: 'text' | 'bigint') =>
    db.schema.alterTable('api_keys').addColumn(name, type).execute();
  await db.schema
    .alterTable('api_keys')
    .addColumn('scopes', 'text', (column) => column.notNull().defaultTo('upload read manage admin'))
    .execute();
  // JSON, or null: wherever the Owner of the key may act.
  await add('restricted_to', 'text');
  // The User's id without a reference: the name stays when the account is deleted.
  await add('created_by', 'text');
  await add('created_by_name', 'text');
  await add('last_used_network', 'text');
  await add('previous_hash', 'text');
  await add('previous_until', 'bigint');
  await add('rotated_at', 'bigint');
  await db.schema.createIndex('api_keys_previous').unique().on('api_keys').column('previous_hash').execute();
}
