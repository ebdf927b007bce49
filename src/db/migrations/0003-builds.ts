import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Protected and deleted builds, and apps that are being deleted. */
export async function up(db: Schema): Promise<void> {
  const builds = db.schema.alterTable('builds');
  await builds.addColumn('protected', 'smallint', (c) => c.notNull().defaultTo(0)).execute();
  await builds.addColumn('deleted_at', 'bigint').execute();
  await builds.addColumn('deleted_by', 'text').execute();
  // Lists and latest builds must stay fast with many deleted builds.
  await db.schema
    .createIndex('builds_listed')
    .on('builds')
    .columns(['app_id', 'revision'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('builds_deleted')
    .on('builds')
    .columns(['app_id', 'deleted_at', 'revision'])
    .where('deleted_at', 'is not', null)
    .execute();
  await db.schema.alterTable('apps').addColumn('deleted_at', 'bigint').execute();
}
