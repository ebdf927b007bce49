import type { Kysely, Transaction } from 'kysely';

/** Name, accent color and support address of the installation and of Workspaces. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('branding')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) =>
      column.unique().references('workspaces.id').onDelete('cascade'),
    )
    .addColumn('name', 'text')
    .addColumn('accent', 'text')
    .addColumn('support', 'text')
    .execute();
}
