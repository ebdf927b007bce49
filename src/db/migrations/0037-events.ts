import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * Events of owners, as webhooks and the API report them, and the choice of events and of the payload by each webhook. `app` is its
 * platform and package name: the events of a deleted app stay. `events` is null for webhooks of earlier versions, which choose by `hears_…`.
 * `old_secret_until`: until then, deliveries are signed with the secret of before the rotation, too.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id'))
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('app', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('events_pk', ['owner_id', 'position'])
    .execute();
  await db.schema.createIndex('events_type').on('events').columns(['owner_id', 'type', 'position']).execute();
  await db.schema.createIndex('events_app').on('events').columns(['owner_id', 'app', 'position']).execute();
  await db.schema.createIndex('events_at').on('events').column('at').execute();
  await db.schema.alterTable('hooks').addColumn('events', 'text').execute();
  await db.schema
    .alterTable('hooks')
    .addColumn('payload_version', 'smallint', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('hooks').addColumn('old_secret_until', 'bigint').execute();
}
