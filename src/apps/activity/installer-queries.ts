/** Counts of what members installed, by app, build and page. Part of `memberActivityQueries`. */
import { sql } from 'kysely';
import type { Queries } from '../../db/database.ts';
import type { App } from '../app.ts';
import type { InstallCount, MemberInstall, PageInstallers } from './member-activity.ts';

/** Limits the work of an adoption plot by leaving out the oldest installs. */
const maxInstallsRead = 20_000;

/** Added to epoch milliseconds so that all numbers have the same length and sort as text. */
const momentBase = 10 ** 13;
const momentLength = String(momentBase).length;

export function createInstallerQueries(db: Queries) {
  const installed = (appId: string) =>
    db
      .selectFrom('member_activity as m')
      .where('m.app_id', '=', appId)
      .where('m.installed_at', 'is not', null)
      .where('m.build_id', 'not in', (inner) =>
        inner
          .selectFrom('builds as n')
          .select('n.id')
          .where('n.app_id', '=', appId)
          .where('n.deleted_at', 'is not', null),
      );
  const peopleWithAccess = (app: App) =>
    app.owner.kind === 'project'
      ? db.selectFrom('team_members').select('user_id').where('project_id', '=', app.owner.id)
      : db
          .selectFrom('app_testers')
          .select('user_id')
          .where('app_id', '=', app.id)
          .union(db.selectFrom('users').select('owner_id as user_id').where('owner_id', '=', app.owner.id));

  /** Counts only people in a group of the page who still have access to the app. */
  const inGroups = async (app: App, pageIds: readonly string[]) =>
    pageIds.length === 0
      ? []
      : db
          .selectFrom('page_groups as pg')
          .innerJoin('group_members as g', 'g.group_id', 'pg.group_id')
          .leftJoin('member_activity as m', (join) =>
            join
              .onRef('m.user_id', '=', 'g.user_id')
              .onRef('m.page_id', '=', 'pg.page_id')
              .on('m.installed_at', 'is not', null),
          )
          .select('pg.page_id')
          .select((select) => [
            select.fn.count<number>('m.user_id').distinct().as('installed'),
            select.fn.count<number>('g.user_id').distinct().as('allowed'),
          ])
          .where('pg.page_id', 'in', pageIds)
          .where('g.user_id', 'in', peopleWithAccess(app))
          .groupBy('pg.page_id')
          .execute();

  return {
    /** Counts members who installed any build since then, each once. */
    async countInstallers(appId: string, since: number): Promise<number> {
      const row = await installed(appId)
        .select((select) => select.fn.count<number>('m.user_id').distinct().as('count'))
        .where('m.installed_at', '>=', since)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Returns the last build that each member installed on each day, earliest first. */
    async installsByMembers(appId: string): Promise<MemberInstall[]> {
      const latest = installed(appId)
        .select(['m.user_id', 'm.build_id', 'm.installed_at', 'm.first_installed_at'])
        .orderBy('m.installed_at', 'desc')
        .limit(maxInstallsRead);
      const moments = db
        .selectFrom(latest.as('latest'))
        .select(['user_id', 'build_id', 'installed_at as at'])
        .unionAll(
          db
            .selectFrom(latest.as('latest'))
            .select(['user_id', 'build_id', 'first_installed_at as at'])
            .whereRef('first_installed_at', '<', 'installed_at'),
        );
      // A text of fixed length, so that its maximum also identifies the build; few rows are joined and read.
      const moment = sql<string>`max(cast(${sql.lit(momentBase)} + at as text) || build_id)`;
      const last = db
        .selectFrom(moments.as('moments'))
        .select(['user_id', moment.as('moment')])
        .groupBy(['user_id', sql`at / 86400000`]);
      const rows = await db
        .selectFrom(last.as('last'))
        .innerJoin('builds as b', (join) =>
          join.onRef('b.id', '=', sql<string>`substr(last.moment, ${sql.lit(momentLength + 1)})`),
        )
        .select(['last.user_id', 'last.moment', 'b.revision', 'b.version_name', 'b.version_code'])
        .orderBy('last.moment')
        .execute();
      return rows.map((row) => ({
        userId: row.user_id,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        at: Number(row.moment.slice(0, momentLength)) - momentBase,
      }));
    },

    /** Counts the installs of each build, with and without a page, in one query. `since`: a day and its start in epoch milliseconds. */
    async installCountsOf(
      buildIds: readonly string[],
      since: { day: string; at: number } = { day: '', at: 0 },
    ): Promise<Map<string, InstallCount>> {
      if (buildIds.length === 0) return new Map();
      const counted = sql<number>;
      const rows = await db
        .selectFrom('builds as b')
        .select('b.id')
        .select((select) => [
          select
            .selectFrom('page_counts as c')
            .select(counted`coalesce(sum(times), 0)`.as('installs'))
            .whereRef('c.build_id', '=', 'b.id')
            .where('c.kind', '=', 'install')
            .where('c.day', '>=', since.day)
            .as('installs'),
          select
            .selectFrom('build_counts as c')
            .select(counted`coalesce(sum(times), 0)`.as('installs'))
            .whereRef('c.build_id', '=', 'b.id')
            .where('c.kind', '=', 'install')
            .where('c.day', '>=', since.day)
            .as('direct'),
          select
            .selectFrom('page_counts as c')
            .select(counted`coalesce(sum(people - members), 0)`.as('guests'))
            .whereRef('c.build_id', '=', 'b.id')
            .where('c.kind', '=', 'install')
            .where('c.day', '>=', since.day)
            .as('guests'),
          select
            .selectFrom('member_activity as m')
            .select((count) => count.fn.count<number>('m.user_id').distinct().as('members'))
            .whereRef('m.build_id', '=', 'b.id')
            .where('m.installed_at', '>=', since.at)
            .as('members'),
        ])
        .where('b.id', 'in', buildIds)
        .execute();
      return new Map(
        rows.map((row) => [
          row.id,
          {
            installs: Number(row.installs) + Number(row.direct),
            members: Number(row.members),
            guests: Number(row.guests),
          },
        ]),
      );
    },

    /** Counts, for each page, the people with access to the app who installed one of its builds, and the people who may open the page. */
    async installersOf(
      app: App,
      pages: readonly { id: string; access: string }[],
    ): Promise<Map<string, PageInstallers>> {
      const found = new Map<string, PageInstallers>();
      if (pages.length === 0) return found;
      const all = await db
        .selectFrom(peopleWithAccess(app).as('allowed'))
        .select((select) => select.fn.count<number>('allowed.user_id').distinct().as('count'))
        .executeTakeFirstOrThrow();
      const installed = await db
        .selectFrom('member_activity as m')
        .select('m.page_id')
        .select((select) => select.fn.count<number>('m.user_id').distinct().as('count'))
        .where(
          'm.page_id',
          'in',
          pages.map(({ id }) => id),
        )
        .where('m.installed_at', 'is not', null)
        .where('m.user_id', 'in', peopleWithAccess(app))
        .groupBy('m.page_id')
        .execute();
      const counts = new Map(installed.map((row) => [row.page_id, Number(row.count)]));
      for (const { id, access } of pages) {
        const allowed = access === 'members' ? Number(all.count) : null;
        found.set(id, { installed: counts.get(id) ?? 0, allowed });
      }
      const limited = pages.filter(({ access }) => access === 'groups').map(({ id }) => id);
      for (const { page_id: id, installed: some, allowed } of await inGroups(app, limited)) {
        found.set(id, { installed: Number(some), allowed: Number(allowed) });
      }
      return found;
    },
  };
}
