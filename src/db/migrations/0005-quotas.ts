import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Storage quotas, the reserved names of deleted owners, and searchable audit logs. */
export async function up(db: Schema): Promise<void> {
  const owners = db.schema.alterTable('owners');
  await owners.addColumn('max_storage_bytes', 'bigint').execute();
  await owners.addColumn('max_builds', 'bigint').execute();
  await owners.addColumn('deleted_at', 'bigint').execute();
  await db.schema.alterTable('workspaces').addColumn('deleted_at', 'bigint').execute();
  // The storage of an Owner is summed from this index alone, without reading the large rows.
  await db.schema
    .createIndex('builds_storage')
    .on('builds')
    .columns(['app_id', 'size_bytes', 'simulator_bytes'])
    .execute();
  await db.schema.createIndex('workspace_owners_user').on('workspace_owners').column('user_id').execute();
  await db.schema
    .createIndex('users_administrators')
    .on('users')
    .column('owner_id')
    .where(sql.ref('administrator'), '=', sql.lit(1))
    .execute();
  // Identifiers begin with their time, so this order serves both paging and dates.
  await db.schema.dropIndex('audit_rows_owner').execute();
  await db.schema.createIndex('audit_rows_owner').on('audit_rows').columns(['owner_id', 'id']).execute();
  await db.schema.createIndex('audit_rows_action').on('audit_rows').columns(['action', 'id']).execute();
  await db.schema.createIndex('audit_rows_actor').on('audit_rows').columns(['actor_name', 'id']).execute();
}
