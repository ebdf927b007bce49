import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { EventCause, KeptSubject } from '../events/events.ts';
import type { Job } from './outbox.ts';
import { deadQueue, jobRow } from './outbox-queries.ts';

type EventJob = Extract<Job, { kind: 'dispatch-event' }>;

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
  const pendingOf = (ownerId: string) =>
    db.selectFrom('outbox').where('kind', '=', 'dispatch-event').where('queued_for', '=', ownerId);
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

    /** Returns the event of a job that was not dispatched yet, with what was kept for it since it was claimed. */
    async findEvent(eventId: string): Promise<EventCause | null> {
      const row = await db
        .selectFrom('outbox')
        .select('payload')
        .where('id', '=', eventId)
        .executeTakeFirst();
      return row ? (JSON.parse(row.payload) as EventJob).event : null;
    },

    /**
     * Stores with the events of a page or device what they will report. Call it in the transaction that deletes the page or device.
     */
    async keepSubject(ownerId: string, subjectId: string, kept: KeptSubject): Promise<void> {
      const rows = await pendingOf(ownerId)
        .select(['id', 'payload'])
        .where('payload', 'like', `%"${subjectId}"%`)
        .execute();
      for (const { id, payload } of rows) {
        const job = JSON.parse(payload) as EventJob;
        const { event } = job;
        const isAbout =
          ('pageId' in event && event.pageId === subjectId) ||
          ('deviceId' in event && event.deviceId === subjectId);
        if (!isAbout) continue;
        const changed = JSON.stringify({ ...job, event: { ...event, kept } });
        await db.updateTable('outbox').set({ payload: changed }).where('id', '=', id).execute();
      }
    },

    /** Returns whether an earlier event of the Owner is not dispatched yet. */
    async hasEarlier(ownerId: string, eventId: string): Promise<boolean> {
      const row = await pendingOf(ownerId)
        .select('id')
        .where('id', '<', eventId)
        .where((where) => where.or([where('queue', 'is', null), where('queue', '!=', deadQueue)]))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
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
