import { type Kysely, sql } from 'kysely';

/** Uploads in progress, and for a day their results. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Without foreign keys: the stored bytes are found through the row, which therefore outlives its owner.
  await sql`
    create table resumable_uploads (
      id text primary key,
      owner_id text not null,
      sender_id text not null,
      key_id text not null,
      idempotency_key text,
      fields text not null,
      size_bytes bigint not null,
      received_bytes bigint not null,
      pieces text not null,
      sessions bigint not null,
      unfinished_blob text,
      state text not null,
      result text,
      created_at bigint not null,
      expires_at bigint not null,
      leased_until bigint,
      held_by text,
      claim_number bigint
    )`.execute(db);
  await sql`create index resumable_uploads_owner on resumable_uploads (owner_id, state)`.execute(db);
  await sql`create index resumable_uploads_key on resumable_uploads (key_id)`.execute(db);
  await sql`create index resumable_uploads_expiry on resumable_uploads (expires_at)`.execute(db);
  await sql`create index resumable_uploads_held_by on resumable_uploads (held_by, claim_number)`.execute(db);
}
