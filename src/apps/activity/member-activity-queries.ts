import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { App } from '../app.ts';
import type {
  InstallCount,
  MemberActivity,
  MemberActivityFilter,
  MemberActivityPosition,
  MemberInstall,
  PageInstallers,
} from './member-activity.ts';

export interface RecordedVisit {
  /** For the row, if this is the first visit. */
  id: string;
  appId: string;
  buildId: string;
  pageId: string;
  userId: string;
  kind: 'view' | 'install';
  system: string;
  model: string | null;
  at: number;
}

/** Bounds the work of an adoption plot: its oldest installs are left out. */
const maxInstallsRead = 20_000;

export const memberActivityQueries = defineQueries(createMemberActivityQueries);

function createMemberActivityQueries(db: Queries) {
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
    /** Adds to the row of this member, build and page. Does nothing if the account was deleted meanwhile. */
    async record(visit: RecordedVisit): Promise<void> {
      const { at } = visit;
      const opened = visit.kind === 'view';
      await db
        .insertInto('member_activity')
        .columns([
          ...(['id', 'app_id', 'build_id', 'page_id', 'user_id', 'system', 'model'] as const),
          ...(['opens', 'opened_at', 'installs', 'first_installed_at', 'installed_at', 'last_at'] as const),
        ])
        .expression((insert) =>
          insert
            .selectFrom('users')
            .select((select) => [
              select.val(visit.id).as('id'),
              select.val(visit.appId).as('app_id'),
              select.val(visit.buildId).as('build_id'),
              select.val(visit.pageId).as('page_id'),
              'owner_id',
              select.val(visit.system).as('system'),
              select.val(visit.model).as('model'),
              select.val(opened ? 1 : 0).as('opens'),
              select.val(opened ? at : null).as('opened_at'),
              select.val(opened ? 0 : 1).as('installs'),
              select.val(opened ? null : at).as('first_installed_at'),
              select.val(opened ? null : at).as('installed_at'),
              select.val(at).as('last_at'),
            ])
            .where('owner_id', '=', visit.userId),
        )
        .onConflict((conflict) =>
          conflict.columns(['build_id', 'user_id', 'page_id']).doUpdateSet((set) => ({
            system: set.ref('excluded.system'),
            model: set.fn.coalesce('excluded.model', 'member_activity.model'),
            opens: set('member_activity.opens', '+', set.ref('excluded.opens')),
            opened_at: set.fn.coalesce('excluded.opened_at', 'member_activity.opened_at'),
            installs: set('member_activity.installs', '+', set.ref('excluded.installs')),
            first_installed_at: set.fn.coalesce(
              'member_activity.first_installed_at',
              'excluded.first_installed_at',
            ),
            installed_at: set.fn.coalesce('excluded.installed_at', 'member_activity.installed_at'),
            last_at: set.ref('excluded.last_at'),
          })),
        )
        .execute();
    },

    /** Lists the latest activity first. */
    async list(
      filter: MemberActivityFilter,
      { limit, before }: { limit: number; before?: MemberActivityPosition | null },
    ): Promise<MemberActivity[]> {
      const { appId, buildId, pageId } = filter;
      let query = db
        .selectFrom('member_activity as m')
        .innerJoin('builds as b', 'b.id', 'm.build_id')
        .innerJoin('owners as o', 'o.id', 'm.user_id')
        .innerJoin('distribution_pages as p', 'p.id', 'm.page_id')
        .select(['m.id', 'm.user_id', 'm.system', 'm.model', 'm.opens', 'm.opened_at', 'm.installs'])
        .select(['m.installed_at', 'm.last_at', 'o.name', 'p.name as page_name', 'p.access_key'])
        .select(['b.revision', 'b.version_name', 'b.version_code'])
        .where('b.deleted_at', 'is', null)
        .where('m.last_at', '>=', filter.since);
      if (buildId !== null) query = query.where('m.build_id', '=', buildId);
      if (pageId !== null) query = query.where('m.page_id', '=', pageId);
      if (buildId === null && pageId === null) query = query.where('m.app_id', '=', appId);
      if (before) {
        query = query
          .where('m.last_at', '<=', before.lastAt)
          .where((where) =>
            where.or([where('m.last_at', '<', before.lastAt), where('m.id', '<', before.id)]),
          );
      }
      const rows = await query.orderBy('m.last_at', 'desc').orderBy('m.id', 'desc').limit(limit).execute();
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        userName: row.name,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        pageName: row.page_name,
        accessKey: row.access_key,
        system: row.system,
        model: row.model,
        opens: row.opens,
        openedAt: row.opened_at,
        installs: row.installs,
        installedAt: row.installed_at,
        lastAt: row.last_at,
      }));
    },

    /**
     * What the member has of each app, and how many builds are newer than the newest one they opened or installed. Apps
     * of which they opened nothing are left out.
     */
    async statesOf(
      userId: string,
      appIds: readonly string[],
    ): Promise<Map<string, { seen: number; installed: number | null; newer: number }>> {
      if (appIds.length === 0) return new Map();
      const rows = await db
        .selectFrom(
          db
            .selectFrom('member_activity as m')
            .innerJoin('builds as b', 'b.id', 'm.build_id')
            .select((select) => [
              'm.app_id',
              select.fn.max('b.revision').as('seen'),
              sql<number | null>`max(case when m.installed_at is not null then b.revision end)`.as(
                'installed',
              ),
            ])
            .where('m.user_id', '=', userId)
            .where('m.app_id', 'in', appIds)
            .groupBy('m.app_id')
            .as('state'),
        )
        .select((select) => [
          'state.app_id',
          'state.seen',
          'state.installed',
          select
            .selectFrom('builds as n')
            .select((count) => count.fn.countAll<number>().as('count'))
            .whereRef('n.app_id', '=', 'state.app_id')
            .whereRef('n.revision', '>', 'state.seen')
            .where('n.deleted_at', 'is', null)
            .as('newer'),
        ])
        .execute();
      return new Map(
        rows.map(({ app_id: id, seen, installed, newer }) => [
          id,
          {
            seen: Number(seen),
            installed: installed === null ? null : Number(installed),
            newer: Number(newer),
          },
        ]),
      );
    },

    /** Counts each member once who installed any build since then. */
    async countInstallers(appId: string, since: number): Promise<number> {
      const row = await installed(appId)
        .select((select) => select.fn.count<number>('m.user_id').distinct().as('count'))
        .where('m.installed_at', '>=', since)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** The installs by members, by app and not by page, the latest first. */
    async installsByMembers(appId: string): Promise<MemberInstall[]> {
      const rows = await installed(appId)
        .innerJoin('builds as b', 'b.id', 'm.build_id')
        .select(['m.user_id', 'm.installed_at', 'm.first_installed_at'])
        .select(['b.revision', 'b.version_name', 'b.version_code'])
        .orderBy('m.installed_at', 'desc')
        .limit(maxInstallsRead)
        .execute();
      return rows.map((row) => ({
        userId: row.user_id,
        revision: row.revision,
        versionName: row.version_name,
        versionCode: row.version_code,
        firstAt: row.first_installed_at ?? row.installed_at ?? 0,
        lastAt: row.installed_at ?? 0,
      }));
    },

    /** Counts the installs of each build on all pages, in one query. `since`: a day and its start in epoch milliseconds. */
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
            installs: Number(row.installs),
            members: Number(row.members),
            guests: Number(row.guests),
          },
        ]),
      );
    },

    /** Counts the people with access to the app who installed a build of each page, and who may open the page. */
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

    /** Deletes what members opened and installed before that time. */
    async deleteBefore(before: number): Promise<void> {
      await db.deleteFrom('member_activity').where('last_at', '<', before).execute();
    },
  };
}
