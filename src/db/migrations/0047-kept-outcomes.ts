import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * The last refusal of each member and device on a page, what each attempt of a webhook delivery sent and got, and emails
 * that outlive the build they are about. An older version that is still running writes none of it.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .createTable('refused_visits')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.references('users.owner_id').onDelete('cascade'))
    .addColumn('device_id', 'text', (c) => c.references('devices.id').onDelete('cascade'))
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('system', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('refused_visits_user', ['page_id', 'user_id'])
    .addUniqueConstraint('refused_visits_device', ['page_id', 'device_id'])
    .execute();
  const indexes = { page: ['page_id', 'at'], of_user: ['user_id'], of_device: ['device_id'], age: ['at'] };
  for (const [name, of] of Object.entries(indexes))
    await db.schema.createIndex(`refused_visits_${name}`).on('refused_visits').columns(of).execute();
  await db.schema.alterTable('hook_deliveries').addColumn('attempt_log', 'text').execute();
  await keepMails(db);
}

async function keepMails(db: Schema): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`alter table mails alter column build_id drop not null`.execute(db);
    await sql`alter table mails drop constraint mails_build_id_fkey`.execute(db);
    await sql`alter table mails add constraint mails_build_id_fkey
      foreign key (build_id) references builds (id) on delete set null`.execute(db);
    await db.schema.alterTable('mails').addColumn('about', 'text').execute();
  } else {
    await rebuildMails(db);
  }
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const about = isPostgres
    ? sql`json_build_object('app', b.name, 'versionName', b.version_name, 'versionCode', b.version_code, 'platform', a.platform)::text`
    : sql`json_object('app', b.name, 'versionName', b.version_name, 'versionCode', b.version_code, 'platform', a.platform)`;
  await sql`update mails set about = (
    select ${about} from builds as b inner join apps as a on a.id = b.app_id where b.id = mails.build_id)`.execute(
    db,
  );
}

/** SQLite cannot change a reference. */
async function rebuildMails(db: Schema): Promise<void> {
  await sql`alter table mails rename to mails_before`.execute(db);
  await db.schema
    .createTable('mails')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.references('builds.id').onDelete('set null'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('set null'))
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('about', 'text')
    .addUniqueConstraint('mails_once', ['build_id', 'user_id'])
    .execute();
  const columns = sql.raw(
    'id, user_id, build_id, page_id, address, state, attempts, last_error, created_at, updated_at',
  );
  await sql`insert into mails (${columns}) select ${columns} from mails_before`.execute(db);
  // Drops its indexes, too.
  await sql`drop table mails_before`.execute(db);
  const indexes = { page: ['page_id'], state: ['state', 'id'], user: ['user_id'] };
  for (const [name, of] of Object.entries(indexes))
    await db.schema.createIndex(`mails_${name}`).on('mails').columns(of).execute();
}
