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

export interface CountedVisit {
  pageId: string;
  buildId: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  system: CountedSystem;
  kind: CountedKind;
  /** Visitor hash, valid for this day only. */
  visitor: string;
  /** Whether the visit is also recorded by name. */
  isMember?: boolean;
}

export interface CountedInstallSystem {
  pageId: string;
  buildId: string;
  day: string;
  /** Platform and major version. */
  system: string;
}

export const pageCountQueries = defineQueries(createPageCountQueries);

function createPageCountQueries(db: Queries) {
  /** Joined by pages instead of builds: an app has many more builds, most of them without counts. */
  const countsOf = (appId: string, fromDay: string) =>
    db
      .selectFrom('page_counts as c')
      .where('c.page_id', 'in', (inner) =>
        inner.selectFrom('distribution_pages as p').select('p.id').where('p.app_id', '=', appId),
      )
      .where('c.build_id', 'not in', (inner) =>
        inner
          .selectFrom('builds as n')
          .select('n.id')
          .where('n.app_id', '=', appId)
          .where('n.deleted_at', 'is not', null),
      )
      .where('c.day', '>=', fromDay);
  const timesOf = (kind: CountedKind) =>
    sql<number>`sum(case when ${sql.ref('c.kind')} = ${kind} then ${sql.ref('c.times')} else 0 end)`;
  const installersOf = (people: 'members' | 'guests') => {
    const counted =
      people === 'members' ? sql.ref('c.members') : sql`${sql.ref('c.people')} - ${sql.ref('c.members')}`;
    return sql<number>`sum(case when ${sql.ref('c.kind')} = 'install' then ${counted} else 0 end)`;
  };
  return {
    /** Returns the salt of the day, shared by all nodes, and stores `fresh` if there is none. */
    async saltOf(day: string, fresh: string): Promise<string> {
      await db
        .insertInto('visitor_salts')
        .values({ day, salt: fresh })
        .onConflict((conflict) => conflict.column('day').doNothing())
        .execute();
      const row = await db
        .selectFrom('visitor_salts')
        .select('salt')
        .where('day', '=', day)
        .executeTakeFirstOrThrow();
      return row.salt;
    },

    /** Counts a visit, and a person if this visitor is new on this day. Call it in a transaction. */
    async count(visit: CountedVisit): Promise<void> {
      const { pageId, buildId, day, kind, visitor } = visit;
      const fresh = await db
        .insertInto('page_visitors')
        .values({ page_id: pageId, build_id: buildId, day, kind, visitor })
        .onConflict((conflict) => conflict.doNothing())
        .returning('day')
        .executeTakeFirst();
      const people = fresh ? 1 : 0;
      const members = visit.isMember ? people : 0;
      await db
        .insertInto('page_counts')
        .values({
          page_id: pageId,
          build_id: buildId,
          day,
          platform: visit.system,
          kind,
          times: 1,
          people,
          members,
        })
        .onConflict((conflict) =>
          conflict.columns(['page_id', 'build_id', 'day', 'platform', 'kind']).doUpdateSet((set) => ({
            times: set('page_counts.times', '+', 1),
            people: set('page_counts.people', '+', people),
            members: set('page_counts.members', '+', members),
          })),
        )
        .execute();
    },

    /** Counts an install for the system version of the phone. */
    async countSystem({ pageId, buildId, day, system }: CountedInstallSystem): Promise<void> {
      await db
        .insertInto('install_systems')
        .values({ page_id: pageId, build_id: buildId, day, system, installs: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['page_id', 'day', 'build_id', 'system'])
            .doUpdateSet((set) => ({ installs: set('install_systems.installs', '+', 1) })),
        )
        .execute();
    },

    /** Returns false if the ticket has already started an install. */
    async consumeTicket(pageId: string, ticket: string, now: number): Promise<boolean> {
      const row = await db
        .insertInto('install_tickets')
        .values({ page_id: pageId, ticket, used_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .returning('ticket')
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Takes one install of the limit. Returns false if none is left. A single statement, so that two callers cannot
     * take the last one.
     */
    async takeInstall(pageId: string): Promise<boolean> {
      const row = await db
        .updateTable('distribution_pages')
        .set((set) => ({ installs: set('installs', '+', 1) }))
        .where('id', '=', pageId)
        .where((where) =>
          where.or([
            where('max_installs', 'is', null),
            where('installs', '<', where.ref('distribution_pages.max_installs')),
          ]),
        )
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Views and installs by day and system since that day, oldest first. */
    async countsByDay(appId: string, fromDay: string): Promise<DayCount[]> {
      const rows = await countsOf(appId, fromDay)
        .select(['c.day', 'c.platform', 'c.kind'])
        .select((select) => [
          select.fn.sum<number>('c.times').as('times'),
          select.fn.sum<number>('c.people').as('people'),
          select.fn.sum<number>('c.members').as('members'),
        ])
        .groupBy(['c.day', 'c.platform', 'c.kind'])
        .orderBy('c.day')
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

    /** Views and installs by build, newest first, without builds that have none. */
    async countsByBuild(appId: string, fromDay: string, limit: number): Promise<BuildCount[]> {
      // Build IDs start with a timestamp, so the newest are found without reading build rows.
      const newest = countsOf(appId, fromDay)
        .select(['c.build_id', timesOf('view').as('views'), timesOf('install').as('installs')])
        .groupBy('c.build_id')
        .orderBy('c.build_id', 'desc')
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

    /** Installs by day and build, without days and builds that have none. */
    async installsByDay(appId: string, fromDay: string): Promise<DayInstalls[]> {
      const counted = countsOf(appId, fromDay)
        .select(['c.day', 'c.build_id'])
        .select((select) => select.fn.sum<number>('c.times').as('installs'))
        .where('c.kind', '=', 'install')
        .groupBy(['c.day', 'c.build_id']);
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

    /** Installs by system version of all pages, the most frequent first. */
    async countsBySystem(appId: string, fromDay: string): Promise<SystemCount[]> {
      const rows = await db
        .selectFrom('install_systems as s')
        .select('s.system')
        .select((select) => select.fn.sum<number>('s.installs').as('installs'))
        .where('s.page_id', 'in', (inner) =>
          inner.selectFrom('distribution_pages as p').select('p.id').where('p.app_id', '=', appId),
        )
        .where('s.build_id', 'not in', (inner) =>
          inner
            .selectFrom('builds as n')
            .select('n.id')
            .where('n.app_id', '=', appId)
            .where('n.deleted_at', 'is not', null),
        )
        .where('s.day', '>=', fromDay)
        .groupBy('s.system')
        .orderBy('installs', 'desc')
        .orderBy('s.system', 'desc')
        .execute();
      return rows.map((row) => ({ system: row.system, installs: Number(row.installs) }));
    },

    /** Views and installs by page, those with the most installs first, without pages that have none. */
    async countsByPage(appId: string, fromDay: string, limit: number): Promise<PageCount[]> {
      const counted = countsOf(appId, fromDay)
        .select([
          'c.page_id',
          timesOf('view').as('views'),
          timesOf('install').as('installs'),
          installersOf('guests').as('guests'),
        ])
        .groupBy('c.page_id')
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

    /** All counts of one day, by page and build. */
    async countsOfDay(appId: string, day: string): Promise<ExportedCount[]> {
      const rows = await countsOf(appId, day)
        .innerJoin('distribution_pages as p', 'p.id', 'c.page_id')
        .innerJoin('builds as b', 'b.id', 'c.build_id')
        .select(['p.name', 'b.revision', 'b.version_name', 'b.version_code'])
        .select([timesOf('view').as('views'), timesOf('install').as('installs')])
        .select([installersOf('members').as('members'), installersOf('guests').as('guests')])
        .where('c.day', '=', day)
        .groupBy(['p.id', 'p.name', 'b.id', 'b.revision', 'b.version_name', 'b.version_code'])
        .orderBy('b.revision', 'desc')
        .orderBy('p.name')
        .execute();
      return rows.map((row) => ({
        page: row.name,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        views: Number(row.views),
        installs: Number(row.installs),
        members: Number(row.members),
        guests: Number(row.guests),
      }));
    },

    /** Permanently deletes the visitors and salts of earlier days. */
    async forgetVisitors(beforeDay: string): Promise<void> {
      await db.deleteFrom('page_visitors').where('day', '<', beforeDay).execute();
      await db.deleteFrom('visitor_salts').where('day', '<', beforeDay).execute();
    },

    async deleteExpiredTickets(before: number): Promise<void> {
      await db.deleteFrom('install_tickets').where('used_at', '<', before).execute();
    },
  };
}
