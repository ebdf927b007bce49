import { type Kysely, sql } from 'kysely';

/** What the analyzer found in the package of each build. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_analyses (
      build_id text primary key references builds (id) on delete cascade,
      analyzer_version bigint not null,
      analyzed_at bigint not null,
      analysis text,
      failure text,
      download_bytes bigint,
      install_bytes bigint
    )`.execute(db);
  await sql`create index build_analyses_version on build_analyses (analyzer_version, build_id)`.execute(db);
}
