import { sql } from 'kysely';
import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { RefusedPerson, RefusedVisit } from './refused-visit.ts';

export const refusedVisitQueries = defineQueries(createRefusedVisitQueries);

interface Refused {
  userId: string | null;
  deviceId: string | null;
}

/** Whether the User of `r` still has access to the app of `p`: `ViewAccess.app` in SQL. */
const seesApp = sql<boolean>`exists (select 1 from apps as a where a.id = p.app_id and (a.owner_id = r.user_id
  or exists (select 1 from team_members as t where t.project_id = a.owner_id and t.user_id = r.user_id)
  or exists (select 1 from app_testers as s where s.app_id = a.id and s.user_id = r.user_id)))`;

function createRefusedVisitQueries(db: Queries) {
  return {
    /** Replaces the last refusal of the person or the device on the page. Does nothing if either was deleted in the meantime. */
    async record(
      { userId, deviceId }: Refused,
      { pageId, reason, system, at }: Omit<RefusedVisit, 'at'> & { pageId: string; at: number },
    ): Promise<void> {
      const key = userId === null ? 'device_id' : 'user_id';
      await db
        .insertInto('refused_visits')
        .columns(['id', 'page_id', 'user_id', 'device_id', 'reason', 'system', 'at'])
        .expression((insert) =>
          insert
            .selectFrom('distribution_pages as p')
            .select((select) => [
              select.val(newIdentifier(at)).as('id'),
              'p.id as page_id',
              select.val(userId).as('user_id'),
              select.val(userId === null ? deviceId : null).as('device_id'),
              select.val(reason).as('reason'),
              select.val(system).as('system'),
              select.val(at).as('at'),
            ])
            .where('p.id', '=', pageId)
            .$if(userId !== null, (query) =>
              query.where(sql<boolean>`exists (select 1 from users as u where u.owner_id = ${userId})`),
            )
            .$if(userId === null, (query) =>
              query.where(sql<boolean>`exists (select 1 from devices as d where d.id = ${deviceId})`),
            ),
        )
        .onConflict((conflict) =>
          conflict.columns(['page_id', key]).doUpdateSet((set) => ({
            reason: set.ref('excluded.reason'),
            system: set.ref('excluded.system'),
            at: set.ref('excluded.at'),
          })),
        )
        .execute();
    },

    /** Returns the later refusal of the person and the device. */
    async findLast(pageId: string, { userId, deviceId }: Refused): Promise<RefusedVisit | null> {
      if (userId === null && deviceId === null) return null;
      const row = await db
        .selectFrom('refused_visits')
        .select(['reason', 'system', 'at'])
        .where('page_id', '=', pageId)
        .where((where) =>
          where.or([
            ...(userId === null ? [] : [where('user_id', '=', userId)]),
            ...(deviceId === null ? [] : [where('device_id', '=', deviceId)]),
          ]),
        )
        .orderBy('at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },

    /** Lists refusals, latest first, of people who still have access to the app, and of devices. */
    async listRefused(pageId: string, limit: number): Promise<RefusedPerson[]> {
      const rows = await db
        .selectFrom('refused_visits as r')
        .innerJoin('distribution_pages as p', 'p.id', 'r.page_id')
        .leftJoin('owners as o', 'o.id', 'r.user_id')
        .leftJoin('devices as d', 'd.id', 'r.device_id')
        .select(['r.reason', 'r.system', 'r.at', 'o.name as user_name', 'd.id as device_id'])
        .select(['d.name as device_name', 'd.product'])
        .where('r.page_id', '=', pageId)
        .where((where) => where.or([where('r.device_id', 'is not', null), seesApp]))
        .orderBy('r.at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ reason, system, at, ...row }) => ({
        refusal: { reason, system, at },
        userName: row.user_name,
        device:
          row.device_id === null
            ? null
            : { id: row.device_id, name: row.device_name ?? '', product: row.product ?? '' },
      }));
    },

    async deleteBefore(before: number): Promise<void> {
      await db.deleteFrom('refused_visits').where('at', '<', before).execute();
    },
  };
}
