import type { Kysely, Transaction } from 'kysely';

/**
 * Logos of the installation and of Workspaces. They are at most 64 KiB and in the row, as Base64, so that backups and
 * moves to another database copy them with it and no sweep has to know them.
 */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('branding').addColumn('logo', 'text').execute();
  await db.schema.alterTable('branding').addColumn('logo_name', 'text').execute();
  await db.schema.createIndex('branding_logo_name').on('branding').column('logo_name').execute();
}
