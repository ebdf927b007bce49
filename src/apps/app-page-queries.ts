import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import { isInstallable, isServable, pageStateOf } from './distributions/page-state.ts';
import type { AppTabCounts, ListedPage, ListedPagePosition, MarkedPage, PageViewer } from './listed-page.ts';
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
        .select(markColumns)
        .select(['p.id', 'p.build_id', 'p.updated_at', 'b.revision', 'b.version_name', 'b.version_code'])
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
        ...toMark(row),
        id: row.id,
        buildId: row.build_id,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        updatedAt: row.updated_at,
      }));
    },

    /** Returns, by app, the pages from which people can install now, the most recently updated first. */
    async livePagesOf(
      viewer: PageViewer,
      appIds: readonly string[],
      { limit, now }: { limit: number; now: number },
    ): Promise<Map<string, MarkedPage[]>> {
      const live = new Map<string, MarkedPage[]>();
      if (appIds.length === 0) return live;
      const rows = await db
        .selectFrom('distribution_pages as p')
        .innerJoin('builds as b', 'b.id', 'p.build_id')
        .select(markColumns)
        .select('p.app_id')
        .where('p.app_id', 'in', appIds)
        .where('p.active', '=', 1)
        .where(isOpenable(viewer))
        .orderBy('p.updated_at', 'desc')
        .orderBy('p.id', 'desc')
        .execute();
      for (const row of rows) {
        const pages = live.get(row.app_id) ?? [];
        const page = toMark(row);
        if (pages.length < limit && isInstallable(pageStateOf(page, now)))
          live.set(row.app_id, [...pages, page]);
      }
      return live;
    },

    /** Lists the pages that serve one of the builds, by name. */
    async pagesServing(
      viewer: PageViewer,
      buildIds: readonly string[],
    ): Promise<(MarkedPage & { buildId: string })[]> {
      if (buildIds.length === 0) return [];
      const rows = await db
        .selectFrom('distribution_pages as p')
        .innerJoin('builds as b', 'b.id', 'p.build_id')
        .select(markColumns)
        .select('p.build_id')
        .where('p.build_id', 'in', buildIds)
        .where(isOpenable(viewer))
        .orderBy('p.name')
        .execute();
      return rows.map((row) => ({ ...toMark(row), buildId: row.build_id }));
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
    ): Promise<(MarkedPage & { since: number; current: boolean })[]> {
      const rows = await db
        .selectFrom('distribution_updates as d')
        .innerJoin('distribution_pages as p', 'p.id', 'd.page_id')
        .innerJoin('builds as b', 'b.id', 'p.build_id')
        .select(markColumns)
        .select('p.build_id')
        .select((select) => select.fn.min<number>('d.created_at').as('since'))
        .where('d.build_id', '=', buildId)
        .where(isOpenable(viewer))
        .groupBy(['p.id', 'b.id'])
        .orderBy('p.name')
        .execute();
      return rows.map((row) => ({
        ...toMark(row),
        since: row.since,
        current: row.build_id === buildId,
      }));
    },
  };
}

/** The columns that `toMark` reads. Aliases: `p` for pages, `b` for the builds that they serve. */
export const markColumns = [
  'p.name',
  'p.access_key',
  'p.active',
  'p.access',
  'p.expires_at',
  'p.max_installs',
  'p.installs',
  'p.networks',
  'b.apk_state',
] as const;

export function toMark(row: {
  name: string;
  access_key: string;
  active: number;
  access: string;
  expires_at: number | null;
  max_installs: number | null;
  installs: number;
  networks: string;
  apk_state: string | null;
}): MarkedPage {
  return {
    name: row.name,
    accessKey: row.access_key,
    active: row.active === 1,
    access: row.access,
    expiresAt: row.expires_at,
    maxInstalls: row.max_installs,
    installs: row.installs,
    networks: JSON.parse(row.networks) as string[],
    isServable: isServable(row.apk_state),
  };
}
