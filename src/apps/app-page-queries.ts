import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { AppTabCounts, ListedPage, ListedPagePosition, PageViewer } from './listed-page.ts';
import { isOpenable } from './openable-page-queries.ts';

type TabCountedApp = { id: string; owner: { id: string; kind: 'user' | 'project' } };

export const appPageQueries = defineQueries(createAppPageQueries);

function createAppPageQueries(db: Queries) {
  return {
    /** Counts along the indexes that start with the app or its Project. */
    async tabCounts({ id: appId, owner }: TabCountedApp): Promise<AppTabCounts> {
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
            .selectFrom('feedback')
            .select((count) => count.fn.countAll<number>().as('count'))
            .where('app_id', '=', appId)
            .where('state', '=', 'new')
            .as('feedback'),
          select
            .selectFrom('hooks')
            .select((count) => count.fn.countAll<number>().as('count'))
            .where('app_id', '=', appId)
            .as('webhooks'),
          owner.kind === 'project'
            ? select
                .selectFrom('team_members')
                .select((count) => count.fn.count<number>('user_id').distinct().as('count'))
                .where('project_id', '=', owner.id)
                .as('testers')
            : select
                .selectFrom('app_testers')
                .select((count) => count.fn.countAll<number>().as('count'))
                .where('app_id', '=', appId)
                .as('testers'),
        ])
        .executeTakeFirstOrThrow();
      return {
        builds: Number(row.builds ?? 0),
        pages: Number(row.pages ?? 0),
        testers: Number(row.testers ?? 0),
        feedback: Number(row.feedback ?? 0),
        webhooks: Number(row.webhooks ?? 0),
      };
    },

    /** Lists the App's distribution pages after `before`, the most recently updated first. */
    async listPages(
      viewer: PageViewer,
      appId: string,
      limit: number,
      before: ListedPagePosition | null = null,
    ): Promise<ListedPage[]> {
      let query = db
        .selectFrom('distribution_pages as p')
        .innerJoin('builds as b', 'b.id', 'p.build_id')
        .select(['p.id', 'p.name', 'p.access_key', 'p.active', 'p.access', 'p.build_id', 'p.updated_at'])
        .select(['p.expires_at', 'p.installs', 'b.revision', 'b.version_name', 'b.version_code'])
        .where('p.app_id', '=', appId)
        .where(isOpenable(viewer));
      if (before) {
        query = query
          .where('p.updated_at', '<=', before.updatedAt)
          .where((where) =>
            where.or([where('p.updated_at', '<', before.updatedAt), where('p.id', '<', before.id)]),
          );
      }
      const rows = await query.orderBy('p.updated_at', 'desc').orderBy('p.id', 'desc').limit(limit).execute();
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        accessKey: row.access_key,
        active: row.active === 1,
        access: row.access,
        buildId: row.build_id,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        updatedAt: row.updated_at,
        expiresAt: row.expires_at,
        installs: row.installs,
      }));
    },

    /** Open pages by app, the most recently updated first. */
    async livePagesOf(
      viewer: PageViewer,
      appIds: readonly string[],
      limit: number,
    ): Promise<Map<string, { name: string; accessKey: string }[]>> {
      const live = new Map<string, { name: string; accessKey: string }[]>();
      if (appIds.length === 0) return live;
      const rows = await db
        .selectFrom('distribution_pages as p')
        .select(['p.app_id', 'p.name', 'p.access_key'])
        .where('p.app_id', 'in', appIds)
        .where('p.active', '=', 1)
        .where(isOpenable(viewer))
        .orderBy('p.updated_at', 'desc')
        .orderBy('p.id', 'desc')
        .execute();
      for (const { app_id: appId, name, access_key: accessKey } of rows) {
        const pages = live.get(appId) ?? [];
        if (pages.length < limit) live.set(appId, [...pages, { name, accessKey }]);
      }
      return live;
    },

    /** Lists the pages that serve one of the builds, by name. */
    async pagesServing(
      viewer: PageViewer,
      buildIds: readonly string[],
    ): Promise<{ buildId: string; name: string; accessKey: string }[]> {
      if (buildIds.length === 0) return [];
      const rows = await db
        .selectFrom('distribution_pages as p')
        .select(['p.build_id', 'p.name', 'p.access_key'])
        .where('p.build_id', 'in', buildIds)
        .where(isOpenable(viewer))
        .orderBy('p.name')
        .execute();
      return rows.map((row) => ({ buildId: row.build_id, name: row.name, accessKey: row.access_key }));
    },

    /** Counts the installs of each build, with and without a page; builds without installs are absent. */
    async installsOf(buildIds: readonly string[]): Promise<Map<string, number>> {
      if (buildIds.length === 0) return new Map();
      const installs = (table: 'page_counts' | 'build_counts') =>
        db
          .selectFrom(table)
          .select(['build_id', 'times'])
          .where('build_id', 'in', buildIds)
          .where('kind', '=', 'install');
      const rows = await db
        .selectFrom(installs('page_counts').unionAll(installs('build_counts')).as('counted'))
        .select('build_id')
        .select((select) => select.fn.sum<number>('times').as('installs'))
        .groupBy('build_id')
        .execute();
      return new Map(rows.map((row) => [row.build_id, Number(row.installs)]));
    },

    /** Lists the pages that have served the build, since when, and whether they still do. */
    async pagesOfBuild(
      viewer: PageViewer,
      buildId: string,
    ): Promise<{ name: string; accessKey: string; since: number; current: boolean }[]> {
      const rows = await db
        .selectFrom('distribution_updates as d')
        .innerJoin('distribution_pages as p', 'p.id', 'd.page_id')
        .select(['p.name', 'p.access_key', 'p.build_id'])
        .select((select) => select.fn.min<number>('d.created_at').as('since'))
        .where('d.build_id', '=', buildId)
        .where(isOpenable(viewer))
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
