import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { EventCause } from '../events/events.ts';
import { jobRow } from './outbox-queries.ts';

export const eventQueries = defineQueries(createEventQueries);

function createEventQueries(db: Queries) {
  const dispatchAll = async (
    ownerId: string,
    events: readonly EventCause[],
    now: number,
  ): Promise<string[]> => {
    if (events.length === 0) return [];
    // Jobs with the same time run in the order of their ids.
    const ids = events.map(() => newIdentifier(now)).sort();
    const rows = events.map((event, index) => {
      const id = ids[index] ?? '';
      return jobRow(
        ownerId,
        { kind: 'dispatch-event', eventId: id, at: now, event },
        { id, now, runAt: now },
      );
    });
    await db.insertInto('outbox').values(rows).execute();
    return ids;
  };
  return {
    /**
     * Adds jobs that dispatch the events of the Owner in this order. Each event has the id of its job. Call it in the transaction
     * of their cause. Returns the ids.
     */
    dispatchAll,

    async dispatch(ownerId: string, event: EventCause, now: number): Promise<string> {
      const [eventId = ''] = await dispatchAll(ownerId, [event], now);
      return eventId;
    },

    /** Returns whether the event is not dispatched yet, or an active webhook of the App still has to deliver it. */
    async isPending(appId: string, eventId: string): Promise<boolean> {
      const job = await db.selectFrom('outbox').select('id').where('id', '=', eventId).executeTakeFirst();
      if (job) return true;
      const delivery = await db
        .selectFrom('hooks as h')
        .innerJoin('hook_deliveries as d', (join) =>
          join.onRef('d.hook_id', '=', 'h.id').on('d.event_id', '=', eventId),
        )
        .select('h.id')
        .where('h.app_id', '=', appId)
        .where('h.state', '=', 'on')
        .where('d.state', '=', 'waiting')
        .limit(1)
        .executeTakeFirst();
      return delivery !== undefined;
    },
  };
}
