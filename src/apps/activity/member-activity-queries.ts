import { type OnConflictBuilder, sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { createInstallerQueries } from './installer-queries.ts';
import type { MemberActivity, MemberActivityFilter, MemberActivityPosition } from './member-activity.ts';

export interface RecordedVisit {
  /** Id of the row to insert on the first visit. */
  id: string;
  appId: string;
  buildId: string;
  /** Null for a visit without a page. */
  pageId: string | null;
  userId: string;
  kind: 'view' | 'install';
  system: string;
  model: string | null;
  at: number;
}

export const memberActivityQueries = defineQueries(createMemberActivityQueries);

function createMemberActivityQueries(db: Queries) {
  return {
    /**
     * Updates the row of this member, build and page. Returns false if nothing changed: the account was deleted in the meantime,
     * or the member has installed the build since `installedBefore`, in epoch milliseconds.
     */
    async record(visit: RecordedVisit, installedBefore = Number.MAX_SAFE_INTEGER): Promise<boolean> {
      const { at } = visit;
      const opened = visit.kind === 'view';
      const added = await db
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
          rowOf(conflict, visit.pageId)
            .doUpdateSet((set) => ({
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
            }))
            .where((where) =>
              where.or([
                where('member_activity.installed_at', 'is', null),
                where('member_activity.installed_at', '<', installedBefore),
              ]),
            ),
        )
        .returning('id')
        .executeTakeFirst();
      return added !== undefined;
    },

    /** When the member last opened and installed the build without a page, in epoch milliseconds. */
    async lastDirect(
      buildId: string,
      userId: string,
    ): Promise<{ view: number | null; install: number | null }> {
      const row = await db
        .selectFrom('member_activity')
        .select(['opened_at', 'installed_at'])
        .where('build_id', '=', buildId)
        .where('user_id', '=', userId)
        .where('page_id', 'is', null)
        .executeTakeFirst();
      return { view: row?.opened_at ?? null, install: row?.installed_at ?? null };
    },

    /** Returns the device on which the member last opened or installed any build of the app. */
    async lastSeen(
      appId: string,
      userId: string,
    ): Promise<{ system: string; model: string | null; at: number } | null> {
      const row = await db
        .selectFrom('member_activity')
        .select(['system', 'model', 'last_at as at'])
        .where('app_id', '=', appId)
        .where('user_id', '=', userId)
        .orderBy('last_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
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
        .leftJoin('distribution_pages as p', 'p.id', 'm.page_id')
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
        page:
          row.page_name === null || row.access_key === null
            ? null
            : { name: row.page_name, accessKey: row.access_key },
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
     * Returns each app's status for the member, with the number of builds newer than the newest one they opened or installed.
     * Leaves out apps of which they opened nothing.
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

    ...createInstallerQueries(db),

    /** Deletes what members opened and installed before that time. */
    async deleteBefore(before: number): Promise<void> {
      await db.deleteFrom('member_activity').where('last_at', '<', before).execute();
    },
  };
}

/** The unique constraint treats null pages as distinct, so rows without a page have an index of their own. */
function rowOf(conflict: OnConflictBuilder<Tables, 'member_activity'>, pageId: string | null) {
  return pageId === null
    ? conflict.columns(['build_id', 'user_id']).where('page_id', 'is', null)
    : conflict.columns(['build_id', 'user_id', 'page_id']);
}
