import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Webhooks and their deliveries. */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .createTable('hooks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id'))
    .addColumn('app_id', 'text', (c) => c.references('apps.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('shown_address', 'text', (c) => c.notNull())
    .addColumn('sealed_address', 'text', (c) => c.notNull())
    .addColumn('sealed_secret', 'text', (c) => c.notNull())
    .addColumn('hears_uploads', 'smallint', (c) => c.notNull())
    .addColumn('hears_deletions', 'smallint', (c) => c.notNull())
    .addColumn('hears_pages', 'smallint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('hooks_owner').on('hooks').columns(['owner_id', 'app_id', 'id']).execute();
  await db.schema.createIndex('hooks_app').on('hooks').column('app_id').execute();
  await db.schema
    .createTable('hook_deliveries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('hook_id', 'text', (c) => c.notNull().references('hooks.id').onDelete('cascade'))
    .addColumn('news_id', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('facts', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('fault', 'text')
    .addColumn('duration_ms', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('hook_deliveries_once', ['hook_id', 'news_id'])
    .execute();
  await db.schema
    .createIndex('hook_deliveries_listed')
    .on('hook_deliveries')
    .columns(['hook_id', 'id'])
    .execute();
}
