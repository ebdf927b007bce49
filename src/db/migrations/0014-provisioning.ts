import { type Kysely, sql } from 'kysely';

/** Directories of Workspaces (SCIM): their tokens, users and groups, the email domains of Workspaces, and rules that map groups. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table scim_tokens (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    name text not null,
    token_hash text not null,
    created_by text not null,
    created_at bigint not null,
    expires_at bigint,
    last_used_at bigint,
    constraint scim_tokens_hash unique (token_hash),
    constraint scim_tokens_name unique (workspace_id, name)
  )`,
  `create table workspace_domains (
    domain text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    created_at bigint not null
  )`,
  'create index workspace_domains_workspace on workspace_domains (workspace_id)',
  `create table scim_users (
    workspace_id text not null references workspaces (id) on delete cascade,
    user_id text not null references users (owner_id) on delete cascade,
    user_name text not null,
    user_name_key text not null,
    external_id text,
    display_name text,
    display_key text,
    formatted_name text,
    given_name text,
    given_key text,
    family_name text,
    family_key text,
    email text,
    email_key text,
    email_type text,
    active smallint not null,
    covers text not null,
    disabled_account smallint not null default 0,
    version integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    deleted_at bigint,
    constraint scim_users_pk primary key (workspace_id, user_id)
  )`,
  'create unique index scim_users_name on scim_users (workspace_id, user_name_key) where deleted_at is null',
  "create unique index scim_users_account on scim_users (user_id) where covers = 'account' and deleted_at is null",
  'create index scim_users_external on scim_users (workspace_id, external_id)',
  'create index scim_users_user on scim_users (user_id)',
  `create table scim_groups (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    display_name text not null,
    display_key text not null,
    external_id text,
    version integer not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint scim_groups_name unique (workspace_id, display_key)
  )`,
  `create table scim_group_members (
    group_id text not null references scim_groups (id) on delete cascade,
    workspace_id text not null,
    user_id text not null,
    constraint scim_group_members_pk primary key (group_id, user_id),
    constraint scim_group_members_user foreign key (workspace_id, user_id)
      references scim_users (workspace_id, user_id) on delete cascade
  )`,
  'create index scim_group_members_of on scim_group_members (workspace_id, user_id)',
  `create table group_mappings (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    scim_group_id text not null references scim_groups (id) on delete cascade,
    project_id text references projects (owner_id) on delete cascade,
    team text,
    group_id text references groups (id) on delete cascade,
    created_by text not null,
    created_at bigint not null
  )`,
  'create index group_mappings_group on group_mappings (scim_group_id)',
  'create index group_mappings_workspace on group_mappings (workspace_id)',
  'create index group_mappings_project on group_mappings (project_id)',
  'create index group_mappings_tester_group on group_mappings (group_id)',
  `create table granted_memberships (
    mapping_id text not null references group_mappings (id) on delete cascade,
    user_id text not null references users (owner_id) on delete cascade,
    joined_team smallint not null default 0,
    created_at bigint not null,
    constraint granted_memberships_pk primary key (mapping_id, user_id)
  )`,
  'create index granted_memberships_user on granted_memberships (user_id)',
];
