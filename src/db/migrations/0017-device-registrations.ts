import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * A device is registered by a person or a browser, and one registration never touches another's, even of the same UDID.
 * Existing cookies contain the id of a row, so each existing row uses its id as its browser.
 */
export async function up(db: Schema): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await db.schema.alterTable('devices').addColumn('browser', 'text').execute();
    await sql`update devices set browser = id`.execute(db);
    await sql`alter table devices alter column browser set not null`.execute(db);
    await sql`alter table devices drop constraint devices_udid`.execute(db);
  } else {
    await rebuild(db);
  }
  const index = (name: string) => db.schema.createIndex(name).on('devices');
  await index('devices_udid').columns(['owner_id', 'udid']).execute();
  await index('devices_browser').column('browser').execute();
  await index('devices_of_user')
    .unique()
    .columns(['owner_id', 'udid', 'user_id'])
    .where(sql.ref('user_id'), 'is not', null)
    .execute();
  await index('devices_of_browser')
    .unique()
    .columns(['owner_id', 'udid', 'browser'])
    .where(sql.ref('user_id'), 'is', null)
    .execute();
}

/** SQLite cannot drop a constraint of a table. */
async function rebuild(db: Schema): Promise<void> {
  await sql`alter table devices rename to devices_before`.execute(db);
  await sql`drop index devices_user`.execute(db);
  await sql`drop index devices_page`.execute(db);
  await db.schema
    .createTable('devices')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('udid', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('product', 'text', (c) => c.notNull())
    .addColumn('os_version', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.references('users.owner_id').onDelete('set null'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('browser', 'text', (c) => c.notNull())
    .execute();
  await sql`
    insert into devices (id, owner_id, udid, name, product, os_version, user_id, page_id, created_at, updated_at, browser)
    select id, owner_id, udid, name, product, os_version, user_id, page_id, created_at, updated_at, id
    from devices_before`.execute(db);
  await sql`drop table devices_before`.execute(db);
  await db.schema.createIndex('devices_user').on('devices').column('user_id').execute();
  await db.schema.createIndex('devices_page').on('devices').column('page_id').execute();
}
