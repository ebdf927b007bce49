import { type Kysely, sql } from 'kysely';

/** IDs of SAML that must not be accepted again, and which sessions began at which provider of SAML. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table used_saml_ids (
      id_hash text primary key,
      expires_at bigint not null
    )`.execute(db);
  await sql`create index used_saml_ids_expiry on used_saml_ids (expires_at)`.execute(db);
  await sql`
    create table saml_sessions (
      session_id text not null references sessions (id) on delete cascade,
      issuer text not null,
      name_id text not null,
      name_id_format text,
      session_index text,
      signed_in_at bigint not null,
      constraint saml_sessions_session primary key (session_id, issuer)
    )`.execute(db);
  await sql`create index saml_sessions_person on saml_sessions (issuer, name_id)`.execute(db);
}
