import type { Kysely, Transaction } from 'kysely';

/** Finds builds by hash, version or commit. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('builds_sha256')
    .on('builds')
    .columns(['app_id', 'sha256', 'revision'])
    .execute();
  await db.schema
    .createIndex('builds_version')
    .on('builds')
    .columns(['app_id', 'version_code', 'revision'])
    .execute();
  await db.schema
    .createIndex('builds_commit')
    .on('builds')
    .columns(['app_id', 'commit_id', 'revision'])
    .execute();
}
