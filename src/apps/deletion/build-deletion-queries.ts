import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { toBuild } from '../builds/build-queries.ts';
import type { DeletedBuild, HoldingPage, LockedBuild } from './deletion.ts';

export type BuildDeletionQueries = ReturnType<typeof createBuildDeletionQueries>;

export const buildDeletionQueries = defineQueries(createBuildDeletionQueries);

/** Deleting is hiding; the rows and what they name stay until nobody can bring them back any more. */
function createBuildDeletionQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // On SQLite a transaction is alone anyway.
  const locksRows = database.dialect === 'postgres';

  return {
    /**
     * Those of the revisions that have a row, deleted ones too, held until the transaction ends, so that no page
     * chooses one of them meanwhile. In one order for all callers, so that two of them never wait for each other: the App
     * first, whose name may change with its newest build.
     */
    async lockBuilds(appId: string, revisions: readonly number[]): Promise<LockedBuild[]> {
      if (revisions.length === 0) return [];
      if (locksRows) {
        await db.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute();
      }
      const rows = await db
        .selectFrom('builds')
        .select(['id', 'revision', 'protected', 'deleted_at'])
        .where('app_id', '=', appId)
        .where('revision', 'in', revisions)
        .orderBy('revision')
        .$if(locksRows, (query) => query.forUpdate())
        .execute();
      return rows.map((row) => ({
        id: row.id,
        revision: row.revision,
        protected: row.protected === 1,
        deletedAt: row.deleted_at,
      }));
    },

    /** By name. */
    async holdingPages(buildIds: readonly string[]): Promise<HoldingPage[]> {
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

    /** Those deleted after that moment, the last deleted first. */
    async listDeleted(appId: string, after: number, most: number): Promise<DeletedBuild[]> {
      const rows = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .where('deleted_at', 'is not', null)
        .where('deleted_at', '>', after)
        .orderBy('deleted_at', 'desc')
        .orderBy('revision', 'desc')
        .limit(most)
        .execute();
      return rows.map((row) => ({
        build: toBuild(row),
        deletedAt: row.deleted_at ?? 0,
        deletedBy: row.deleted_by ?? '',
      }));
    },

    /**
     * Takes the row away for good, with its place in the history and the counts of pages. Answers the keys of its
     * blobs; null when the build is not deleted any more, or was brought back and deleted again.
     */
    async removeBuild(buildId: string, deletedAt: number): Promise<string[] | null> {
      if (locksRows) await holdOwnerOf(db, { buildId });
      const row = await db
        .deleteFrom('builds')
        .where('id', '=', buildId)
        .where('deleted_at', '=', deletedAt)
        .returning(['package_blob', 'simulator_blob', 'icon_blob'])
        .executeTakeFirst();
      return row ? blobsOf(row) : null;
    },
  };
}

/**
 * What an Owner stores is counted with every App and build that comes or goes. Whoever changes that holds the Owner before
 * anything else, as uploads do, so that nobody waits for each other.
 */
export async function holdOwnerOf(db: Queries, of: { appId: string } | { buildId: string }): Promise<void> {
  const apps = db.selectFrom('apps as a').select('a.owner_id');
  const ownerId =
    'appId' in of
      ? apps.where('a.id', '=', of.appId)
      : apps.innerJoin('builds as b', 'b.app_id', 'a.id').where('b.id', '=', of.buildId);
  await db.selectFrom('owners').select('id').where('id', '=', ownerId).forNoKeyUpdate().execute();
}

export function blobsOf(row: {
  package_blob: string;
  simulator_blob: string | null;
  icon_blob: string | null;
}): string[] {
  return [row.package_blob, row.simulator_blob, row.icon_blob].filter((key) => key !== null);
}
