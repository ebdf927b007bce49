import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Disabled accounts, last activity, and paging through people and Projects by name. */
export async function up(db: Schema): Promise<void> {
  const users = db.schema.alterTable('users');
  await users.addColumn('disabled_at', 'bigint').execute();
  await users.addColumn('last_seen_at', 'bigint').execute();
  await db.schema
    .createIndex('owners_listed')
    .on('owners')
    .columns(['kind', 'name_key', 'id'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
  // A search for part of an address reads only this index.
  await db.schema.createIndex('users_addresses').on('users').columns(['email_key', 'owner_id']).execute();
  await db.schema
    .createIndex('users_disabled')
    .on('users')
    .column('owner_id')
    .where(sql.ref('disabled_at'), 'is not', null)
    .execute();
}
