import { type Kysely, sql } from 'kysely';

/** The signing keys that people have registered for an app in Google's Android Developer Console. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table key_registrations (
      app_id text not null references apps (id) on delete cascade,
      sha256 text not null,
      registered_at bigint not null,
      constraint key_registrations_pk primary key (app_id, sha256)
    )`.execute(db);
}
