import type { Queries } from '../db/database.ts';
import type { AppContents } from './app-deletion.ts';
import { blobsOf } from './build-deletion-queries.ts';

export type AppDeletionQueries = ReturnType<typeof createAppDeletionQueries>;

export function createAppDeletionQueries(db: Queries) {
  const count = async (table: 'distribution_pages' | 'app_testers', appId: string) => {
    const row = await db
      .selectFrom(table)
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('app_id', '=', appId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  };

  return {
    async contentsOf(appId: string, mostNames: number): Promise<AppContents> {
      const totals = await db
        .selectFrom('builds')
        .select((select) => [
          select.fn.countAll<number>().filterWhere('deleted_at', 'is', null).as('builds'),
          select.fn
            .countAll<number>()
            .filterWhere('deleted_at', 'is', null)
            .filterWhere('protected', '=', 1)
            .as('protected_builds'),
          select.fn.sum<number | null>('size_bytes').as('package_bytes'),
          select.fn.sum<number | null>('simulator_bytes').as('simulator_bytes'),
        ])
        .where('app_id', '=', appId)
        .executeTakeFirstOrThrow();
      const names = await db
        .selectFrom('distribution_pages')
        .select('name')
        .where('app_id', '=', appId)
        .orderBy('name')
        .limit(mostNames)
        .execute();
      return {
        builds: Number(totals.builds),
        protectedBuilds: Number(totals.protected_builds),
        bytes: Number(totals.package_bytes ?? 0) + Number(totals.simulator_bytes ?? 0),
        pageNames: names.map(({ name }) => name),
        pages: await count('distribution_pages', appId),
        testers: await count('app_testers', appId),
      };
    },

    /**
     * Hides the App and all that is in it, and frees its package name: the next upload begins another App. False when it
     * is deleted already.
     */
    async hideApp(appId: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('apps')
        // No package has a name with a space in it.
        .set({ deleted_at: now, package_name: `deleted ${appId}` })
        .where('id', '=', appId)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Takes away some pages of a hidden App; false when there were none left. */
    async removePages(appId: string, most: number): Promise<boolean> {
      const rows = await db
        .deleteFrom('distribution_pages')
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('distribution_pages as p')
            .innerJoin('apps as a', 'a.id', 'p.app_id')
            .select('p.id')
            .where('p.app_id', '=', appId)
            .where('a.deleted_at', 'is not', null)
            .limit(most),
        )
        .returning('id')
        .execute();
      return rows.length > 0;
    },

    /** Takes away some builds of a hidden App and answers the keys of their blobs; none when no build is left. */
    async removeBuilds(appId: string, most: number): Promise<string[]> {
      const rows = await db
        .deleteFrom('builds')
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('builds as b')
            .innerJoin('apps as a', 'a.id', 'b.app_id')
            .select('b.id')
            .where('b.app_id', '=', appId)
            .where('a.deleted_at', 'is not', null)
            .limit(most),
        )
        .returning(['package_blob', 'simulator_blob', 'icon_blob'])
        .execute();
      return rows.flatMap(blobsOf);
    },

    async removeApp(appId: string): Promise<void> {
      await db.deleteFrom('apps').where('id', '=', appId).where('deleted_at', 'is not', null).execute();
    },
  };
}
