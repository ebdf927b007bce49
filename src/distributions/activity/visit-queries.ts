/** Counts visits as they happen. Part of `pageCountQueries`. */
import type { Queries } from '../../db/database.ts';
import type { CountedKind, CountedSystem } from './page-count.ts';

/** Visits that differ only in their visitors. */
export interface CountedVisits {
  pageId: string;
  buildId: string;
  /** `2026-11-21`, in UTC. */
  day: string;
  system: CountedSystem;
  kind: CountedKind;
  /** The hashes of the visitors, one for each visit, valid for this day only. */
  visitors: readonly string[];
  /** Whether the visits are also recorded by name. */
  isMember?: boolean;
}

export interface CountedInstallSystem {
  pageId: string;
  buildId: string;
  day: string;
  /** Platform and major version. */
  system: string;
}

/** An open or an install by a member without a page. */
export interface CountedDirectVisit {
  appId: string;
  buildId: string;
  day: string;
  platform: CountedSystem;
  kind: CountedKind;
  /** Platform and major version. */
  system: string;
  /** Whether it is the first time on this day that the member did this with the build. */
  isFirst: boolean;
}

export function createVisitQueries(db: Queries) {
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

    /** Counts the visits, and as people the visitors who are new on this day. Call it in a transaction. */
    async count(visits: CountedVisits): Promise<void> {
      const { pageId, buildId, day, kind, visitors } = visits;
      const fresh = await db
        .insertInto('page_visitors')
        .values(visitors.map((visitor) => ({ page_id: pageId, build_id: buildId, day, kind, visitor })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('day')
        .execute();
      const times = visitors.length;
      const people = fresh.length;
      const members = visits.isMember ? people : 0;
      await db
        .insertInto('page_counts')
        .values({
          page_id: pageId,
          build_id: buildId,
          day,
          platform: visits.system,
          kind,
          times,
          people,
          members,
        })
        .onConflict((conflict) =>
          conflict.columns(['page_id', 'build_id', 'day', 'platform', 'kind']).doUpdateSet((set) => ({
            times: set('page_counts.times', '+', times),
            people: set('page_counts.people', '+', people),
            members: set('page_counts.members', '+', members),
          })),
        )
        .execute();
    },

    async countDirect(visit: CountedDirectVisit): Promise<void> {
      const { appId, buildId, day, kind, platform, system } = visit;
      const people = visit.isFirst ? 1 : 0;
      await db
        .insertInto('build_counts')
        .values({ app_id: appId, build_id: buildId, day, kind, platform, system, times: 1, people })
        .onConflict((conflict) =>
          conflict.columns(['build_id', 'day', 'kind', 'platform', 'system']).doUpdateSet((set) => ({
            times: set('build_counts.times', '+', 1),
            people: set('build_counts.people', '+', people),
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

    /** Returns false if the ticket was already used for an install. */
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
     * Counts one install toward the limit. Returns false if none is left. A single statement, so that two callers cannot both
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

    /** Permanently deletes visitors and salts of earlier days. */
    async forgetVisitors(beforeDay: string): Promise<void> {
      await db.deleteFrom('page_visitors').where('day', '<', beforeDay).execute();
      await db.deleteFrom('visitor_salts').where('day', '<', beforeDay).execute();
    },

    async deleteExpiredTickets(before: number): Promise<void> {
      await db.deleteFrom('install_tickets').where('used_at', '<', before).execute();
    },
  };
}
