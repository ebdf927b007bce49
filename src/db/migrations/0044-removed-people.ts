import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

/** The links to a place that were open when a person was removed from it, and an index of invited addresses. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invitation_exclusions')
    .addColumn('invitation_id', 'text', (column) =>
      column.notNull().references('invitations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) =>
      column.notNull().references('users.owner_id').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('invitation_exclusions_pk', ['invitation_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('invitation_exclusions_user')
    .on('invitation_exclusions')
    .column('user_id')
    .execute();
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .createIndex('invitations_email')
    .on('invitations')
    .expression(isPostgres ? sql`lower(email collate "C")` : sql`lower(email)`)
    .execute();
}
