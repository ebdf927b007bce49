import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Access rules, counters, devices and email for testers. */
export async function up(db: Schema): Promise<void> {
  await extendPages(db);
  await createCounts(db);
  await createDevices(db);
  await createMail(db);
  await createAttempts(db);
}

async function extendPages(db: Schema) {
  const pages = db.schema.alterTable('distribution_pages');
  await pages.addColumn('access', 'text', (c) => c.notNull().defaultTo('unlisted')).execute();
  await pages.addColumn('passcode_hash', 'text').execute();
  await pages.addColumn('expires_at', 'bigint').execute();
  await pages.addColumn('max_installs', 'bigint').execute();
  await pages.addColumn('installs', 'bigint', (c) => c.notNull().defaultTo(0)).execute();
  await pages.addColumn('networks', 'text', (c) => c.notNull().defaultTo('[]')).execute();
  await db.schema
    .alterTable('distribution_updates')
    .addColumn('withdrawn', 'smallint', (c) => c.notNull().defaultTo(0))
    .execute();
  // Publish history of a page, newest last; each build appears once in the list.
  await db.schema
    .createIndex('distribution_updates_served')
    .on('distribution_updates')
    .columns(['page_id', 'build_id', 'id'])
    .execute();
  await db.schema
    .createTable('app_testers')
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('app_testers_pk', ['app_id', 'user_id'])
    .execute();
  await db.schema.createIndex('app_testers_user').on('app_testers').column('user_id').execute();
}

async function createCounts(db: Schema) {
  await db.schema
    .createTable('install_tickets')
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('ticket', 'text', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('install_tickets_pk', ['page_id', 'ticket'])
    .execute();
  await db.schema.createIndex('install_tickets_age').on('install_tickets').column('used_at').execute();
  await db.schema
    .createTable('page_counts')
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addColumn('people', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_counts_pk', ['page_id', 'build_id', 'day', 'platform', 'kind'])
    .execute();
  await db.schema.createIndex('page_counts_build').on('page_counts').columns(['build_id', 'day']).execute();
  await db.schema
    .createTable('page_visitors')
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('visitor', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('page_visitors_pk', ['page_id', 'build_id', 'day', 'kind', 'visitor'])
    .execute();
  await db.schema.createIndex('page_visitors_day').on('page_visitors').column('day').execute();
  await db.schema.createIndex('page_visitors_build').on('page_visitors').column('build_id').execute();
  await db.schema
    .createTable('visitor_salts')
    .addColumn('day', 'text', (c) => c.primaryKey())
    .addColumn('salt', 'text', (c) => c.notNull())
    .execute();
}

async function createDevices(db: Schema) {
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
    .addUniqueConstraint('devices_udid', ['owner_id', 'udid'])
    .execute();
  await db.schema.createIndex('devices_user').on('devices').column('user_id').execute();
  await db.schema.createIndex('devices_page').on('devices').column('page_id').execute();
}

async function createMail(db: Schema) {
  await db.schema
    .createTable('mail_choices')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('wanted', 'smallint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('mail_choices_pk', ['user_id', 'app_id'])
    .execute();
  await db.schema.createIndex('mail_choices_app').on('mail_choices').column('app_id').execute();
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('set null'))
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('mails_once', ['build_id', 'user_id'])
    .execute();
  await db.schema.createIndex('mails_user').on('mails').column('user_id').execute();
  await db.schema.createIndex('mails_page').on('mails').column('page_id').execute();
  await db.schema.createIndex('mails_state').on('mails').columns(['state', 'id']).execute();
}

async function createAttempts(db: Schema) {
  await db.schema
    .createTable('attempts')
    .addColumn('subject', 'text', (c) => c.primaryKey())
    .addColumn('count', 'integer', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('attempts_age').on('attempts').column('since').execute();
}
