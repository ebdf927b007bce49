import { type Kysely, sql } from 'kysely';

/** Trusted publishers, the ID tokens they have used, the keys they receive, and the source of the builds they upload. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table trusted_publishers (
    id text primary key,
    owner_id text not null references owners (id) on delete cascade,
    name text not null,
    platform text,
    package_name text,
    page_name_pattern text,
    provider text not null,
    issuer text not null,
    rules text not null,
    pinned text not null default '{}',
    allow_self_hosted smallint not null default 0,
    created_by text,
    created_at bigint not null,
    last_used_at bigint,
    last_refused_at bigint,
    last_refusal text,
    constraint trusted_publishers_name unique (owner_id, name)
  )`,
  'create index trusted_publishers_issuer on trusted_publishers (issuer, owner_id)',
  `create table used_id_tokens (
    issuer text not null,
    token_id text not null,
    expires_at bigint not null,
    constraint used_id_tokens_pk primary key (issuer, token_id)
  )`,
  'create index used_id_tokens_expiry on used_id_tokens (expires_at)',
  'alter table api_keys add column trusted_publisher_id text references trusted_publishers (id) on delete cascade',
  'alter table api_keys add column source text',
  'create index api_keys_trusted on api_keys (trusted_publisher_id) where trusted_publisher_id is not null',
  'alter table builds add column source text',
  'alter table owners add column trusted_publishers_only smallint not null default 0',
  'alter table apps add column trusted_publishers_only smallint not null default 0',
];
