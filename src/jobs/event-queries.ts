import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { EventCause } from './events.ts';

export const eventQueries = defineQueries(createEventQueries);

function createEventQueries(db: Queries) {
  const dispatchAll = async (events: readonly EventCause[], now: number): Promise<string[]> => {
    if (events.length === 0) return [];
    // Jobs of the same time run in the order of their ids.
    const ids = events.map(() => newIdentifier(now)).sort();
    await db
      .insertInto('outbox')
      .values(
        events.map((event, at) => ({
          id: ids[at] ?? '',
          kind: 'dispatch-event',
          payload: JSON.stringify({ eventId: ids[at], at: now, event }),
          attempts: 0,
          run_at: now,
          leased_until: null,
          last_error: null,
          created_at: now,
        })),
      )
      .execute();
    return ids;
  };
  return {
    /**
     * Adds the jobs that dispatch the events in this order; each event has the id of its job. Call it in the transaction
     * of their cause. Returns the ids.
     */
    dispatchAll,

    async dispatch(event: EventCause, now: number): Promise<string> {
      const [eventId = ''] = await dispatchAll([event], now);
      return eventId;
    },

    /** Returns whether the event is not dispatched yet, or one of the App's own active webhooks still has it to deliver. */
    async isPending(appId: string, eventId: string): Promise<boolean> {
      const job = await db.selectFrom('outbox').select('id').where('id', '=', eventId).executeTakeFirst();
      if (job) return true;
      const delivery = await db
        .selectFrom('hooks as h')
        .innerJoin('hook_deliveries as d', (join) =>
          join.onRef('d.hook_id', '=', 'h.id').on('d.news_id', '=', eventId),
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
