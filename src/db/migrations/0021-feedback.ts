import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Feedback from testers with its screenshots and replies. Off for every page and webhook. */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('distribution_pages')
    .addColumn('feedback', 'smallint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('hooks')
    .addColumn('hears_feedback', 'smallint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('feedback')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('set null'))
    .addColumn('page_name', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    .addColumn('sender', 'text')
    .addColumn('device', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('feedback_app').on('feedback').columns(['app_id', 'id']).execute();
  await db.schema.createIndex('feedback_state').on('feedback').columns(['app_id', 'state', 'id']).execute();
  await db.schema.createIndex('feedback_build').on('feedback').columns(['build_id', 'id']).execute();
  await db.schema.createIndex('feedback_page').on('feedback').column('page_id').execute();
  await db.schema
    .createTable('feedback_screenshots')
    .addColumn('feedback_id', 'text', (c) => c.notNull().references('feedback.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('blob', 'text', (c) => c.notNull().unique())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('feedback_screenshots_key', ['feedback_id', 'number'])
    .execute();
  await db.schema
    .createTable('feedback_replies')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('feedback_id', 'text', (c) => c.notNull().references('feedback.id').onDelete('cascade'))
    .addColumn('author', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('feedback_replies_feedback')
    .on('feedback_replies')
    .columns(['feedback_id', 'id'])
    .execute();
}
