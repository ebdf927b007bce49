import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Groups that providers of sign-in claim, who is in them, and rules that map them; accounts that the directory disabled; managers of
 * groups of testers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of [...claims, ...(isPostgres ? postgresMappings : sqliteMappings), ...others])
    await sql.raw(statement).execute(db);
}

const claims = [
  `create table claimed_groups (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    source text not null,
    name text not null,
    name_key text not null,
    created_by text not null,
    created_at bigint not null,
    constraint claimed_groups_name unique (workspace_id, source, name_key)
  )`,
  'create index claimed_groups_source on claimed_groups (source, name_key)',
  `create table claimed_group_members (
    group_id text not null references claimed_groups (id) on delete cascade,
    user_id text not null references users (owner_id) on delete cascade,
    created_at bigint not null,
    constraint claimed_group_members_pk primary key (group_id, user_id)
  )`,
  'create index claimed_group_members_user on claimed_group_members (user_id)',
];

const postgresMappings = [
  'alter table group_mappings alter column scim_group_id drop not null',
  'alter table group_mappings add column claimed_group_id text references claimed_groups (id) on delete cascade',
];

/** SQLite cannot drop "not null", and dropping the table alone would delete the memberships that reference it. */
const sqliteMappings = [
  'create table kept_mappings as select * from group_mappings',
  'create table kept_memberships as select * from granted_memberships',
  'drop table granted_memberships',
  'drop table group_mappings',
  `create table group_mappings (
    id text primary key,
    workspace_id text not null references workspaces (id) on delete cascade,
    scim_group_id text references scim_groups (id) on delete cascade,
    project_id text references projects (owner_id) on delete cascade,
    team text,
    group_id text references groups (id) on delete cascade,
    created_by text not null,
    created_at bigint not null,
    claimed_group_id text references claimed_groups (id) on delete cascade
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
  'insert into group_mappings select *, null from kept_mappings',
  'insert into granted_memberships select * from kept_memberships',
  'drop table kept_mappings',
  'drop table kept_memberships',
];

const others = [
  'create index group_mappings_claimed_group on group_mappings (claimed_group_id)',
  'alter table identities add column disabled_account smallint not null default 0',
  `create table group_managers (
    group_id text not null references groups (id) on delete cascade,
    user_id text not null references users (owner_id) on delete cascade,
    created_at bigint not null,
    constraint group_managers_pk primary key (group_id, user_id)
  )`,
  'create index group_managers_user on group_managers (user_id)',
];
