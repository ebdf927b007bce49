import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type {
  BuildCount,
  CountedKind,
  CountedSystem,
  DayCount,
  DayInstalls,
  ExportedCount,
  PageCount,
  SystemCount,
} from './page-count.ts';
import { createVisitQueries } from './visit-queries.ts';

export const pageCountQueries = defineQueries(createPageCountQueries);

function createPageCountQueries(db: Queries) {
  const deletedBuilds = (appId: string) =>
    db
      .selectFrom('builds as n')
      .select('n.id')
      .where('n.app_id', '=', appId)
      .where('n.deleted_at', 'is not', null);
  const pagesOf = (appId: string) =>
    db.selectFrom('distribution_pages as o').select('o.id').where('o.app_id', '=', appId);
  /** Joined by pages, not by builds: an app has many more builds, most of them without counts. */
  const onPages = (appId: string, fromDay: string) =>
    db
      .selectFrom('page_counts as c')
      .select([
        'c.page_id',
        'c.build_id',
        'c.day',
        'c.platform',
        'c.kind',
        'c.times',
        'c.people',
        'c.members',
      ])
      .where('c.page_id', 'in', pagesOf(appId))
      .where('c.build_id', 'not in', deletedBuilds(appId))
      .where('c.day', '>=', fromDay);
  const withoutPage = (appId: string, fromDay: string) =>
    db
      .selectFrom('build_counts as c')
      .select(sql<string>`null`.as('page_id'))
      .select(['c.build_id', 'c.day', 'c.platform', 'c.kind', 'c.times', 'c.people', 'c.people as members'])
      .where('c.app_id', '=', appId)
      .where('c.build_id', 'not in', deletedBuilds(appId))
      .where('c.day', '>=', fromDay);
  const countsOf = (appId: string, fromDay: string) =>
    db.selectFrom(onPages(appId, fromDay).unionAll(withoutPage(appId, fromDay)).as('v'));
  const timesOf = (kind: CountedKind) =>
    sql<number>`sum(case when ${sql.ref('v.kind')} = ${kind} then ${sql.ref('v.times')} else 0 end)`;
  const installersOf = (people: 'members' | 'guests') => {
    const counted =
      people === 'members' ? sql.ref('v.members') : sql`${sql.ref('v.people')} - ${sql.ref('v.members')}`;
    return sql<number>`sum(case when ${sql.ref('v.kind')} = 'install' then ${counted} else 0 end)`;
  };
  return {
    ...createVisitQueries(db),

    /** Returns views and installs by day and system since that day, oldest first. */
    async countsByDay(appId: string, fromDay: string): Promise<DayCount[]> {
      const rows = await countsOf(appId, fromDay)
        .select(['v.day', 'v.platform', 'v.kind'])
        .select((select) => [
          select.fn.sum<number>('v.times').as('times'),
          select.fn.sum<number>('v.people').as('people'),
          select.fn.sum<number>('v.members').as('members'),
        ])
        .groupBy(['v.day', 'v.platform', 'v.kind'])
        .orderBy('v.day')
        .execute();
      return rows.map((row) => ({
        day: row.day,
        system: row.platform as CountedSystem,
        kind: row.kind as CountedKind,
        times: Number(row.times),
        people: Number(row.people),
        members: Number(row.members),
      }));
    },

    /** Returns views and installs by build, newest first, without builds that have none. */
    async countsByBuild(appId: string, fromDay: string, limit: number): Promise<BuildCount[]> {
      // Build IDs start with a timestamp, so the newest are found without reading build rows.
      const newest = countsOf(appId, fromDay)
        .select(['v.build_id', timesOf('view').as('views'), timesOf('install').as('installs')])
        .groupBy('v.build_id')
        .orderBy('v.build_id', 'desc')
        .limit(limit);
      const rows = await db
        .selectFrom(newest.as('counted'))
        .innerJoin('builds as b', 'b.id', 'counted.build_id')
        .select(['b.id', 'b.revision', 'b.version_name', 'b.version_code'])
        .select(['counted.views', 'counted.installs'])
        .orderBy('b.revision', 'desc')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        views: Number(row.views),
        installs: Number(row.installs),
      }));
    },

    /** Returns installs by day and build, without days and builds that have none. */
    async installsByDay(appId: string, fromDay: string): Promise<DayInstalls[]> {
      const counted = countsOf(appId, fromDay)
        .select(['v.day', 'v.build_id'])
        .select((select) => select.fn.sum<number>('v.times').as('installs'))
        .where('v.kind', '=', 'install')
        .groupBy(['v.day', 'v.build_id']);
      const rows = await db
        .selectFrom(counted.as('counted'))
        .innerJoin('builds as b', 'b.id', 'counted.build_id')
        .select(['counted.day', 'counted.installs', 'b.revision', 'b.version_name', 'b.version_code'])
        .execute();
      return rows.map((row) => ({
        day: row.day,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        installs: Number(row.installs),
      }));
    },

    /** Returns installs by system version, most frequent first. */
    async countsBySystem(appId: string, fromDay: string): Promise<SystemCount[]> {
      const onPages = db
        .selectFrom('install_systems as c')
        .select(['c.system', 'c.installs'])
        .where('c.page_id', 'in', pagesOf(appId))
        .where('c.build_id', 'not in', deletedBuilds(appId))
        .where('c.day', '>=', fromDay);
      const withoutPage = db
        .selectFrom('build_counts as c')
        .select(['c.system', 'c.times as installs'])
        .where('c.app_id', '=', appId)
        .where('c.build_id', 'not in', deletedBuilds(appId))
        .where('c.day', '>=', fromDay)
        .where('c.kind', '=', 'install');
      const rows = await db
        .selectFrom(onPages.unionAll(withoutPage).as('v'))
        .select('v.system')
        .select((select) => select.fn.sum<number>('v.installs').as('installs'))
        .groupBy('v.system')
        .orderBy('installs', 'desc')
        .orderBy('v.system', 'desc')
        .execute();
      return rows.map((row) => ({ system: row.system, installs: Number(row.installs) }));
    },

    /** Returns views and installs by page, those with the most installs first, without pages that have none. */
    async countsByPage(appId: string, fromDay: string, limit: number): Promise<PageCount[]> {
      const counted = db
        .selectFrom(onPages(appId, fromDay).as('v'))
        .select([
          'v.page_id',
          timesOf('view').as('views'),
          timesOf('install').as('installs'),
          installersOf('guests').as('guests'),
        ])
        .groupBy('v.page_id')
        .orderBy('installs', 'desc')
        .orderBy('views', 'desc')
        .limit(limit);
      const rows = await db
        .selectFrom(counted.as('counted'))
        .innerJoin('distribution_pages as p', 'p.id', 'counted.page_id')
        .select(['p.id', 'p.name', 'p.access_key', 'p.access'])
        .select(['counted.views', 'counted.installs', 'counted.guests'])
        .orderBy('counted.installs', 'desc')
        .orderBy('counted.views', 'desc')
        .execute();
      return rows.map((row) => ({
        pageId: row.id,
        name: row.name,
        accessKey: row.access_key,
        access: row.access,
        views: Number(row.views),
        installs: Number(row.installs),
        guests: Number(row.guests),
      }));
    },

    /** All counts of one day, by page and build; first those without a page. */
    async countsOfDay(appId: string, day: string): Promise<ExportedCount[]> {
      const rows = await countsOf(appId, day)
        .leftJoin('distribution_pages as p', 'p.id', 'v.page_id')
        .innerJoin('builds as b', 'b.id', 'v.build_id')
        .select(['p.name', 'b.revision', 'b.version_name', 'b.version_code'])
        .select([timesOf('view').as('views'), timesOf('install').as('installs')])
        .select([installersOf('members').as('members'), installersOf('guests').as('guests')])
        .where('v.day', '=', day)
        .groupBy(['p.id', 'p.name', 'b.id', 'b.revision', 'b.version_name', 'b.version_code'])
        .orderBy('b.revision', 'desc')
        .orderBy(sql`coalesce(p.name, '')`)
        .execute();
      return rows.map((row) => ({
        page: row.name ?? '',
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        views: Number(row.views),
        installs: Number(row.installs),
        members: Number(row.members),
        guests: Number(row.guests),
      }));
    },
  };
}
