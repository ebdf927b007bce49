import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { EventType } from '../../events/events.ts';
import { maxRecordedEvents } from '../webhook.ts';

export interface RecordedEvent {
  id: string;
  /** Higher than that of all events of the Owner that were recorded earlier. */
  position: number;
  type: EventType;
  at: number;
  /** JSON. */
  data: string;
}

export type NewEvent = Omit<RecordedEvent, 'position'> & {
  ownerId: string;
  /** `<platform>/<package name>`; null for an event of the Owner itself. */
  app: string | null;
};

/** Deleting surplus events reads the positions of all others, so it is not done every time. */
const trimEvery = 50;

export const recordedEventQueries = defineQueries(createRecordedEventQueries);

function createRecordedEventQueries(db: Queries) {
  const deleteSurplus = async (ownerId: string, maxEvents: number): Promise<void> => {
    const oldestKept = await db
      .selectFrom('events')
      .select('position')
      .where('owner_id', '=', ownerId)
      .orderBy('position', 'desc')
      .offset(maxEvents - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldestKept) return;
    const { position } = oldestKept;
    await db.deleteFrom('events').where('owner_id', '=', ownerId).where('position', '<', position).execute();
  };
  return {
    /**
     * Records the event at the end of the Owner’s list. Returns false if it is already recorded. The transaction must have locked
     * the Owner: positions then increase in the order of commits, so that a reader never sees one before a lower one. They are
     * based on the time, so that they also increase after all older events were deleted. Deletes the oldest events beyond the
     * limit from time to time: an event contains all texts of a build and its page, so many small changes would fill the disk.
     */
    async append(
      { ownerId, app, ...event }: NewEvent,
      now: number,
      maxEvents = maxRecordedEvents,
    ): Promise<boolean> {
      const last = await db
        .selectFrom('events')
        .select('position')
        .where('owner_id', '=', ownerId)
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst();
      const position = Math.max(now, (last?.position ?? 0) + 1);
      const row = await db
        .insertInto('events')
        .values({
          owner_id: ownerId,
          position,
          id: event.id,
          type: event.type,
          app,
          at: event.at,
          data: event.data,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst();
      // During a flood, positions increase by one.
      if (position % trimEvery === 0) await deleteSurplus(ownerId, maxEvents);
      return row !== undefined;
    },

    /** Lists events in order, after the position `after` and not earlier than `since`. */
    async list(
      ownerId: string,
      filter: { type: EventType | null; app: string | null },
      { after, since, limit }: { after: number; since: number; limit: number },
    ): Promise<RecordedEvent[]> {
      const { type, app } = filter;
      const rows = await db
        .selectFrom('events')
        .select(['id', 'position', 'type', 'at', 'data'])
        .where('owner_id', '=', ownerId)
        .where('position', '>', after)
        .where('at', '>=', since)
        .$if(type !== null, (query) => query.where('type', '=', type ?? ''))
        .$if(app !== null, (query) => query.where('app', '=', app ?? ''))
        .orderBy('position')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, type: row.type as EventType }));
    },

    async deleteOld(before: number): Promise<void> {
      await db.deleteFrom('events').where('at', '<', before).execute();
    },
  };
}
