import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { blobColumns, blobsOf } from '../builds/build-row-queries.ts';
import { symbolBlobsOf } from '../files/symbol-file-queries.ts';
import { lockOwnerOf } from './build-deletion-queries.ts';
import type { AppContents } from './deletion.ts';

export const appDeletionQueries = defineQueries(createAppDeletionQueries);

function createAppDeletionQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
  const locksRows = database.dialect === 'postgres';
  const count = async (table: 'distribution_pages' | 'app_testers', appId: string) => {
    const row = await db
      .selectFrom(table)
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };

  return {
    async contentsOf(appId: string, maxNames: number): Promise<AppContents> {
      // Each count uses an index that contains few other builds.
      const counted = db
        .selectFrom('builds')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('app_id', '=', appId);
      const hidden = await counted.where('deleted_at', 'is not', null).executeTakeFirstOrThrow();
      const guarded = await counted
        .where('deleted_at', 'is', null)
        .where('protected', '=', sql.lit(1))
        .executeTakeFirstOrThrow();
      const totals = await db
        .selectFrom('apps')
        .select(['stored_builds', 'stored_bytes'])
        .where('id', '=', appId)
        .executeTakeFirst();
      const names = await db
        .selectFrom('distribution_pages')
        .select('name')
        .where('app_id', '=', appId)
        .orderBy('name')
        .limit(maxNames)
        .execute();
      return {
        builds: Number(totals?.stored_builds ?? 0) - Number(hidden.count),
        protectedBuilds: Number(guarded.count),
        bytes: Number(totals?.stored_bytes ?? 0),
        pageNames: names.map(({ name }) => name),
        pages: await count('distribution_pages', appId),
        testers: await count('app_testers', appId),
      };
    },

    /** Returns the lowest revisions that exist. */
    async revisionsOf(appId: string, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('builds')
        .select('revision')
        .where('app_id', '=', appId)
        .where('deleted_at', 'is', null)
        .orderBy('revision')
        .limit(limit)
        .execute();
      return rows.map(({ revision }) => revision);
    },

    /**
     * Hides the app with its contents and frees its package name, so the next upload creates a new app. Returns false
     * if it is already deleted.
     */
    async hideApp(appId: string, now: number): Promise<boolean> {
      if (locksRows) await lockOwnerOf(db, { appId });
      const row = await db
        .updateTable('apps')
        // Package names never contain a space.
        .set({ deleted_at: now, package_name: `deleted ${appId}` })
        .where('id', '=', appId)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Removes some pages of a hidden app. Returns false if none were left. */
    async removePages(appId: string, limit: number): Promise<boolean> {
      const rows = await db
        .deleteFrom('distribution_pages')
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('distribution_pages as p')
            .innerJoin('apps as a', 'a.id', 'p.app_id')
            .select('p.id')
            .where('p.app_id', '=', appId)
            .where('a.deleted_at', 'is not', null)
            .limit(limit),
        )
        .returning('id')
        .execute();
      return rows.length > 0;
    },

    /** Removes some feedback of a hidden app and returns the keys of its blobs. Returns null if none was left. */
    async removeFeedback(appId: string, limit: number): Promise<string[] | null> {
      const rows = await db
        .selectFrom('feedback as f')
        .innerJoin('apps as a', 'a.id', 'f.app_id')
        .select('f.id')
        .where('f.app_id', '=', appId)
        .where('a.deleted_at', 'is not', null)
        .orderBy('f.id')
        .limit(limit)
        .execute();
      if (rows.length === 0) return null;
      const ids = rows.map(({ id }) => id);
      const screenshots = await db
        .deleteFrom('feedback_screenshots')
        .where('feedback_id', 'in', ids)
        .returning('blob')
        .execute();
      await db.deleteFrom('feedback').where('id', 'in', ids).execute();
      return screenshots.map(({ blob }) => blob);
    },

    /** Removes some builds of a hidden app and returns the keys of their blobs. Returns an empty list if no build is left. */
    async removeBuilds(appId: string, limit: number): Promise<string[]> {
      if (locksRows) await lockOwnerOf(db, { appId });
      const chosen = await db
        .selectFrom('builds as b')
        .innerJoin('apps as a', 'a.id', 'b.app_id')
        .select('b.id')
        .where('b.app_id', '=', appId)
        .where('a.deleted_at', 'is not', null)
        .limit(limit)
        .execute();
      if (chosen.length === 0) return [];
      const ids = chosen.map(({ id }) => id);
      const symbols = await symbolBlobsOf(db, ids);
      const rows = await db.deleteFrom('builds').where('id', 'in', ids).returning(blobColumns).execute();
      return [...rows.flatMap(blobsOf), ...symbols];
    },

    async removeApp(appId: string): Promise<void> {
      if (locksRows) await lockOwnerOf(db, { appId });
      await db.deleteFrom('apps').where('id', '=', appId).where('deleted_at', 'is not', null).execute();
    },
  };
}
