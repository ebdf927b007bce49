import { type Kysely, sql } from 'kysely';

/** Providers of SAML of Workspaces, the accounts that they created, and the metadata that was read last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table saml_metadata (
    place text primary key,
    xml text,
    read_at bigint,
    tried_at bigint not null,
    problem text
  )`,
  `create table workspace_providers (
    workspace_id text primary key references workspaces (id) on delete cascade,
    name text not null,
    metadata_url text,
    entity_id text not null,
    attributes text,
    required_at bigint,
    created_at bigint not null
  )`,
  `create table provider_accounts (
    user_id text primary key references users (owner_id) on delete cascade,
    workspace_id text not null references workspaces (id) on delete cascade,
    created_at bigint not null
  )`,
  'create index provider_accounts_workspace on provider_accounts (workspace_id)',
  `create table key_sign_ons (
    key_id text not null references api_keys (id) on delete cascade,
    issuer text not null,
    constraint key_sign_ons_pk primary key (key_id, issuer)
  )`,
  'alter table saml_sessions add column joined smallint not null default 0',
  'alter table device_codes add column sign_ons text',
];
