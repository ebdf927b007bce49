import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { blobColumns, blobsOf, toBuild } from '../builds/build-row-queries.ts';
import { symbolBlobsOf } from '../files/symbol-file-queries.ts';
import type { BlockingPage, DeletedBuild, LockedBuild } from './deletion.ts';

export const buildDeletionQueries = defineQueries(createBuildDeletionQueries);

/** Deletion hides builds. Rows and blobs remain until the builds can no longer be restored. */
function createBuildDeletionQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
  const locksRows = database.dialect === 'postgres';

  return {
    /**
     * Locks the existing rows of the revisions, including deleted ones, until the transaction ends, so that no page can publish
     * them in the meantime. To prevent deadlocks, all callers lock in the same order: the app comes first, because its name can
     * change with its newest build.
     */
    async lockBuilds(appId: string, revisions: readonly number[]): Promise<LockedBuild[]> {
      if (revisions.length === 0) return [];
      if (locksRows) {
        await db.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute();
      }
      const rows = await db
        .selectFrom('builds')
        .select(['id', 'revision', 'protected', 'created_at', 'deleted_at'])
        .where('app_id', '=', appId)
        .where('revision', 'in', revisions)
        .orderBy('revision')
        .$if(locksRows, (query) => query.forUpdate())
        .execute();
      return rows.map((row) => ({
        id: row.id,
        revision: row.revision,
        protected: row.protected === 1,
        createdAt: row.created_at,
        deletedAt: row.deleted_at,
      }));
    },

    async blockingPages(buildIds: readonly string[]): Promise<BlockingPage[]> {
      if (buildIds.length === 0) return [];
      const rows = await db
        .selectFrom('distribution_pages')
        .select(['build_id', 'name', 'access_key'])
        .where('build_id', 'in', buildIds)
        .orderBy('name')
        .execute();
      return rows.map((row) => ({ buildId: row.build_id, name: row.name, accessKey: row.access_key }));
    },

    async hideBuilds(buildIds: readonly string[], deletedBy: string, now: number): Promise<void> {
      if (buildIds.length === 0) return;
      await db
        .updateTable('builds')
        .set({ deleted_at: now, deleted_by: deletedBy })
        .where('id', 'in', buildIds)
        .execute();
    },

    async showBuilds(buildIds: readonly string[]): Promise<void> {
      if (buildIds.length === 0) return;
      await db
        .updateTable('builds')
        .set({ deleted_at: null, deleted_by: null })
        .where('id', 'in', buildIds)
        .execute();
    },

    /** Builds deleted after that time, latest first. */
    async listDeleted(appId: string, after: number, limit: number): Promise<DeletedBuild[]> {
      const rows = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .where('deleted_at', 'is not', null)
        .where('deleted_at', '>', after)
        .orderBy('deleted_at', 'desc')
        .orderBy('revision', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        build: toBuild(row),
        deletedAt: row.deleted_at ?? 0,
        deletedBy: row.deleted_by ?? '',
      }));
    },

    /**
     * Permanently removes the row with its history and activity. Returns the keys of its blobs, or null if the build
     * was restored or deleted again.
     */
    async removeBuild(buildId: string, deletedAt: number): Promise<string[] | null> {
      if (locksRows) await lockOwnerOf(db, { buildId });
      const screenshots = await screenshotsOf(db, (feedback) => feedback.where('f.build_id', '=', buildId));
      const symbols = await symbolBlobsOf(db, [buildId]);
      const row = await db
        .deleteFrom('builds')
        .where('id', '=', buildId)
        .where('deleted_at', '=', deletedAt)
        .returning(blobColumns)
        .executeTakeFirst();
      return row ? [...blobsOf(row), ...screenshots, ...symbols] : null;
    },
  };
}

/**
 * Locks the owner before anything else, as uploads do, because every change of an app or build updates the owner's storage total.
 * The fixed order prevents deadlocks.
 */
export async function lockOwnerOf(db: Queries, of: { appId: string } | { buildId: string }): Promise<void> {
  const apps = db.selectFrom('apps as a').select('a.owner_id');
  const ownerId =
    'appId' in of
      ? apps.where('a.id', '=', of.appId)
      : apps.innerJoin('builds as b', 'b.app_id', 'a.id').where('b.id', '=', of.buildId);
  await db.selectFrom('owners').select('id').where('id', '=', ownerId).forNoKeyUpdate().execute();
}

/** Returns the blobs of the screenshots that testers sent about the builds. */
async function screenshotsOf(
  db: Queries,
  ofBuilds: (feedback: ReturnType<typeof selectScreenshots>) => ReturnType<typeof selectScreenshots>,
): Promise<string[]> {
  const rows = await ofBuilds(selectScreenshots(db)).execute();
  return rows.map(({ blob }) => blob);
}

const selectScreenshots = (db: Queries) =>
  db
    .selectFrom('feedback_screenshots as s')
    .innerJoin('feedback as f', 'f.id', 's.feedback_id')
    .select('s.blob');
