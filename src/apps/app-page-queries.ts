import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { AppTabCounts } from './app-head.tsx';

/** A distribution page as the App's page and its builds list it. */
export interface ListedPage {
  id: string;
  name: string;
  /** 40 hexadecimal digits. */
  accessKey: string;
  active: boolean;
  buildId: string;
  /** Epoch ms. */
  updatedAt: number;
}

export const appPageQueries = defineQueries(createAppPageQueries);

function createAppPageQueries(db: Queries) {
  return {
    /** Counts along the indexes that start with the app. */
    async tabCounts(appId: string): Promise<AppTabCounts> {
      const row = await db
        .selectNoFrom((select) => [
          select
            .selectFrom('builds')
            .select((count) => count.fn.countAll<number>().as('count'))
            .where('app_id', '=', appId)
            .where('deleted_at', 'is', null)
            .as('builds'),
          select
            .selectFrom('distribution_pages')
            .select((count) => count.fn.countAll<number>().as('count'))
            .where('app_id', '=', appId)
            .as('pages'),
          select
            .selectFrom('hooks')
            .select((count) => count.fn.countAll<number>().as('count'))
            .where('app_id', '=', appId)
            .as('webhooks'),
        ])
        .executeTakeFirstOrThrow();
      return {
        builds: Number(row.builds ?? 0),
        pages: Number(row.pages ?? 0),
        webhooks: Number(row.webhooks ?? 0),
      };
    },

    /** Lists the App's distribution pages, the most recently updated first. */
    async listPages(appId: string, limit: number): Promise<ListedPage[]> {
      const rows = await db
        .selectFrom('distribution_pages')
        .select(['id', 'name', 'access_key', 'active', 'build_id', 'updated_at'])
        .where('app_id', '=', appId)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        accessKey: row.access_key,
        active: row.active === 1,
        buildId: row.build_id,
        updatedAt: row.updated_at,
      }));
    },

    /** Lists the pages that have served the build, since when, and whether they still do. */
    async pagesOfBuild(
      buildId: string,
    ): Promise<{ name: string; accessKey: string; since: number; current: boolean }[]> {
      const rows = await db
        .selectFrom('distribution_updates as d')
        .innerJoin('distribution_pages as p', 'p.id', 'd.page_id')
        .select(['p.name', 'p.access_key', 'p.build_id'])
        .select((select) => select.fn.min<number>('d.created_at').as('since'))
        .where('d.build_id', '=', buildId)
        .groupBy(['p.id', 'p.name', 'p.access_key', 'p.build_id'])
        .orderBy('p.name')
        .execute();
      return rows.map((row) => ({
        name: row.name,
        accessKey: row.access_key,
        since: row.since,
        current: row.build_id === buildId,
      }));
    },
  };
}
