import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** What members opened and installed, by name, and installs by system version for everyone. */
export async function up(db: Schema): Promise<void> {
  // People in earlier counts are guests: nobody was recorded by name.
  await db.schema
    .alterTable('page_counts')
    .addColumn('members', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('member_activity')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('system', 'text', (c) => c.notNull())
    .addColumn('model', 'text')
    .addColumn('opens', 'bigint', (c) => c.notNull())
    .addColumn('opened_at', 'bigint')
    .addColumn('installs', 'bigint', (c) => c.notNull())
    .addColumn('first_installed_at', 'bigint')
    .addColumn('installed_at', 'bigint')
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('member_activity_once', ['build_id', 'user_id', 'page_id'])
    .execute();
  const indexes = {
    app: ['app_id', 'last_at', 'id'],
    installs: ['app_id', 'installed_at', 'user_id', 'build_id', 'first_installed_at'],
    build: ['build_id', 'last_at', 'id'],
    page: ['page_id', 'last_at', 'id'],
    user: ['user_id', 'page_id'],
    age: ['last_at'],
  };
  for (const [name, columns] of Object.entries(indexes)) {
    await db.schema.createIndex(`member_activity_${name}`).on('member_activity').columns(columns).execute();
  }
  await db.schema
    .createTable('install_systems')
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('system', 'text', (c) => c.notNull())
    .addColumn('installs', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('install_systems_pk', ['page_id', 'day', 'build_id', 'system'])
    .execute();
  await db.schema.createIndex('install_systems_build').on('install_systems').column('build_id').execute();
}
