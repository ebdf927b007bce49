import { type Kysely, sql } from 'kysely';

/** Verified attestations of builds, and the commit that the file of a build names itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table attestations (
      id text primary key,
      build_id text not null references builds (id) on delete cascade,
      bundle text not null,
      bundle_sha256 text not null,
      facts text not null,
      attached_at bigint not null,
      attached_by text not null,
      constraint attestations_bundle unique (build_id, bundle_sha256)
    )`.execute(db);
  await sql`
    create table package_commits (
      build_id text primary key references builds (id) on delete cascade,
      commit_id text not null
    )`.execute(db);
}
