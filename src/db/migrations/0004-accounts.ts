import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Second factors, and ways to get an account. */
export async function up(db: Schema): Promise<void> {
  await extendUsers(db);
  await createSecondFactors(db);
  await createSignInMethods(db);
}

async function extendUsers(db: Schema) {
  const users = db.schema.alterTable('users');
  await users.addColumn('must_change_password', 'smallint', (c) => c.notNull().defaultTo(0)).execute();
  await users.addColumn('totp_secret', 'text').execute();
  await users.addColumn('totp_last_step', 'bigint').execute();
  const sessions = db.schema.alterTable('sessions');
  await sessions.addColumn('user_agent', 'text', (c) => c.notNull().defaultTo('')).execute();
  await sessions.addColumn('address', 'text', (c) => c.notNull().defaultTo('')).execute();
  await sessions.addColumn('last_seen_at', 'bigint', (c) => c.notNull().defaultTo(0)).execute();
}

async function createSecondFactors(db: Schema) {
  await db.schema
    .createTable('recovery_codes')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_codes_pk', ['user_id', 'code_hash'])
    .execute();
  await db.schema
    .createTable('passkeys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('signature_count', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('passkeys_user').on('passkeys').column('user_id').execute();
}

async function createSignInMethods(db: Schema) {
  await db.schema
    .createTable('identities')
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('identities_pk', ['issuer', 'subject'])
    .execute();
  await db.schema.createIndex('identities_user').on('identities').column('user_id').execute();
  await db.schema
    .createTable('invitations')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text')
    .addColumn('project_id', 'text', (c) => c.references('projects.owner_id').onDelete('cascade'))
    .addColumn('team', 'text')
    .addColumn('invited_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('invitations_project')
    .on('invitations')
    .columns(['project_id', 'id'])
    .execute();
  await db.schema
    .createTable('password_resets')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.owner_id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('password_resets_user').on('password_resets').column('user_id').execute();
}
