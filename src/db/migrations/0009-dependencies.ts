import { type Kysely, sql } from 'kysely';

/** The libraries of each analyzed build, for searches across apps. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_libraries (
      build_id text not null references builds (id) on delete cascade,
      library text not null,
      name_key text not null,
      version text not null,
      constraint build_libraries_pk primary key (build_id, library, version)
    )`.execute(db);
  await sql`create index build_libraries_name on build_libraries (name_key, build_id)`.execute(db);
}
