import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** The first schema: owners and access, apps and builds, pages, and the outbox. */
export async function up(db: Schema): Promise<void> {
  await createOwners(db);
  await createAccess(db);
  await createApps(db);
  await createPages(db);
  await createFollowUps(db);
}

async function createOwners(db: Schema) {
  await db.schema
    .createTable('owners')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('users')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('owners.id').onDelete('cascade'))
    .addColumn('email', 'text')
    .addColumn('email_key', 'text', (c) => c.unique())
    .addColumn('password_hash', 'text')
    .addColumn('administrator', 'smallint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('icon_url', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('workspace_owners')
    .addColumn('workspace_id', 'text', (c) => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addPrimaryKeyConstraint('workspace_owners_pk', ['workspace_id', 'user_id'])
    .execute();
  await db.schema
    .createTable('projects')
    .addColumn('owner_id', 'text', (c) => c.primaryKey().references('owners.id').onDelete('cascade'))
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('workspace_id', 'text', (c) => c.references('workspaces.id'))
    .execute();
  await db.schema.createIndex('projects_workspace').on('projects').column('workspace_id').execute();
  await db.schema
    .createTable('team_members')
    .addColumn('project_id', 'text', (c) => c.notNull().references('projects.owner_id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('team', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('team_members_pk', ['project_id', 'user_id', 'team'])
    .execute();
  await db.schema
    .createIndex('team_members_user')
    .on('team_members')
    .columns(['user_id', 'project_id'])
    .execute();
}

async function createAccess(db: Schema) {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('hint', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_owner').on('api_keys').column('owner_id').execute();
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('sessions_user').on('sessions').column('user_id').execute();
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();
}

async function createApps(db: Schema) {
  await db.schema
    .createTable('apps')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('package_name', 'text', (c) => c.notNull())
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('last_revision', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_upload_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('apps_identity', ['owner_id', 'package_name', 'platform'])
    .execute();
  await db.schema
    .createIndex('apps_last_upload')
    .on('apps')
    .columns(['owner_id', 'last_upload_at', 'id'])
    .execute();
  await db.schema
    .createTable('builds')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version_name', 'text')
    .addColumn('version_code', 'text', (c) => c.notNull())
    .addColumn('info', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('md5', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('package_blob', 'text', (c) => c.notNull().unique())
    .addColumn('simulator_blob', 'text', (c) => c.unique())
    .addColumn('simulator_bytes', 'bigint')
    .addColumn('icon_state', 'text', (c) => c.notNull())
    .addColumn('icon_blob', 'text', (c) => c.unique())
    .addColumn('verification', 'text')
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('branch', 'text')
    .addColumn('commit_id', 'text')
    .addColumn('build_url', 'text')
    .addColumn('label', 'text')
    .addColumn('upload_warnings', 'text', (c) => c.notNull())
    .addColumn('uploaded_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('builds_revision', ['app_id', 'revision'])
    .execute();
}

async function createPages(db: Schema) {
  await db.schema
    .createTable('distribution_pages')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('app_id', 'text', (c) => c.notNull().references('apps.id').onDelete('cascade'))
    .addColumn('access_key', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('active', 'smallint', (c) => c.notNull())
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id'))
    .addColumn('release_note', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('distribution_pages_name', ['app_id', 'name'])
    .execute();
  await db.schema
    .createIndex('distribution_pages_build')
    .on('distribution_pages')
    .column('build_id')
    .execute();
  await db.schema
    .createTable('distribution_updates')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('page_id', 'text', (c) => c.notNull().references('distribution_pages.id').onDelete('cascade'))
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('release_note', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('distribution_updates_page')
    .on('distribution_updates')
    .columns(['page_id', 'id'])
    .execute();
  await db.schema
    .createIndex('distribution_updates_build')
    .on('distribution_updates')
    .column('build_id')
    .execute();
}

async function createFollowUps(db: Schema) {
  await db.schema
    .createTable('idempotency_keys')
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('build_id', 'text', (c) => c.notNull().references('builds.id').onDelete('cascade'))
    .addColumn('page_id', 'text', (c) => c.references('distribution_pages.id').onDelete('set null'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['owner_id', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_keys_age').on('idempotency_keys').column('created_at').execute();
  await db.schema.createIndex('idempotency_keys_build').on('idempotency_keys').column('build_id').execute();
  await db.schema.createIndex('idempotency_keys_page').on('idempotency_keys').column('page_id').execute();
  await db.schema
    .createTable('outbox')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('run_at', 'bigint', (c) => c.notNull())
    .addColumn('leased_until', 'bigint')
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('outbox_due').on('outbox').columns(['run_at', 'id']).execute();
  await db.schema
    .createTable('audit_rows')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('owner_id', 'text')
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('audit_rows_owner').on('audit_rows').columns(['owner_id', 'at']).execute();
}
