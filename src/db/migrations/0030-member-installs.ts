import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * Members also open and install builds that no page serves: their activity then has no page, and is counted by build. An
 * older version that is still running neither writes nor lists such activity.
 */
export async function up(db: Schema): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table member_activity alter column page_id drop not null`.execute(db);
  } else {
    await rebuild(db);
  }
  // The unique constraint takes missing pages for different ones.
  await db.schema
    .createIndex('member_activity_direct')
    .on('member_activity')
    .unique()
    .columns(['build_id', 'user_id'])
    .where(sql.ref('page_id'), 'is', null)
    .execute();
  await db.schema
    .createTable('build_counts')
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('system', 'text', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addColumn('people', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('build_counts_pk', ['build_id', 'day', 'kind', 'platform', 'system'])
    .execute();
  await db.schema.createIndex('build_counts_app').on('build_counts').columns(['app_id', 'day']).execute();
}

/** SQLite cannot change whether a column may be null. */
async function rebuild(db: Schema): Promise<void> {
  const columns = [
    ...['id', 'app_id', 'build_id', 'page_id', 'user_id', 'system', 'model', 'opens', 'opened_at'],
    ...['installs', 'first_installed_at', 'installed_at', 'last_at'],
  ];
  await sql`alter table member_activity rename to member_activity_before`.execute(db);
  await db.schema
    .createTable('member_activity')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('cascade'))
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
  const listed = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into member_activity (${listed}) select ${listed} from member_activity_before`.execute(db);
  // Drops its indexes, too.
  await sql`drop table member_activity_before`.execute(db);
  const indexes = {
    app: ['app_id', 'last_at', 'id'],
    installs: ['app_id', 'installed_at', 'user_id', 'build_id', 'first_installed_at'],
    build: ['build_id', 'last_at', 'id'],
    page: ['page_id', 'last_at', 'id'],
    user: ['user_id', 'page_id'],
    age: ['last_at'],
  };
  for (const [name, of] of Object.entries(indexes)) {
    await db.schema.createIndex(`member_activity_${name}`).on('member_activity').columns(of).execute();
  }
}
