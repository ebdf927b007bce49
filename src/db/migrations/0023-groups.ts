import type { Kysely, Transaction } from 'kysely';

/** Groups of people per owner, and the distribution pages that admit only some of them. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('groups')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('groups_owner_name', ['owner_id', 'name_key'])
    .execute();
  await db.schema
    .createTable('group_members')
    .addColumn('group_id', 'text', (column) => column.notNull().references('groups.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.owner_id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('group_members_pk', ['group_id', 'user_id'])
    .execute();
  await db.schema.createIndex('group_members_user').on('group_members').column('user_id').execute();
  await db.schema
    .createTable('page_groups')
    .addColumn('page_id', 'text', (column) =>
      column.notNull().references('distribution_pages.id').onDelete('cascade'),
    )
    .addColumn('group_id', 'text', (column) => column.notNull().references('groups.id').onDelete('cascade'))
    .addPrimaryKeyConstraint('page_groups_pk', ['page_id', 'group_id'])
    .execute();
  await db.schema.createIndex('page_groups_group').on('page_groups').column('group_id').execute();
}
