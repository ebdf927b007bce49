import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { BuildCount, CountedKind, CountedSystem, DayCount } from './page-count.ts';

export interface CountedVisit {
  pageId: string;
  buildId: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  system: CountedSystem;
  kind: CountedKind;
  /** Visitor hash, valid for this day only. */
  visitor: string;
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
      await db
        .insertInto('page_counts')
        .values({ page_id: pageId, build_id: buildId, day, platform: visit.system, kind, times: 1, people })
        .onConflict((conflict) =>
          conflict.columns(['page_id', 'build_id', 'day', 'platform', 'kind']).doUpdateSet((set) => ({
            times: set('page_counts.times', '+', 1),
            people: set('page_counts.people', '+', people),
          })),
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
      }));
    },

    /** Views and installs by build, newest first, without builds that have none. */
    async countsByBuild(appId: string, fromDay: string, limit: number): Promise<BuildCount[]> {
      const timesOf = (kind: CountedKind) =>
        sql<number>`sum(case when ${sql.ref('c.kind')} = ${kind} then ${sql.ref('c.times')} else 0 end)`;
      // Build IDs start with a timestamp, so the newest are found without reading build rows.
      const newest = countsOf(appId, fromDay)
        .select(['c.build_id', timesOf('view').as('views'), timesOf('install').as('installs')])
        .groupBy('c.build_id')
        .orderBy('c.build_id', 'desc')
        .limit(limit);
      const rows = await db
        .selectFrom(newest.as('counted'))
        .innerJoin('builds as b', 'b.id', 'counted.build_id')
        .select(['b.revision', 'b.version_name', 'b.version_code', 'counted.views', 'counted.installs'])
        .orderBy('b.revision', 'desc')
        .execute();
      return rows.map((row) => ({
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        views: Number(row.views),
        installs: Number(row.installs),
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
