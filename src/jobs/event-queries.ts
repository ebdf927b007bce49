import { sql } from 'kysely';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import { subscriptionColumn, type WebhookEvent } from './outbox.ts';

/** An App, whose own webhooks and whose Owner's receive its events. */
export interface EventSource {
  ownerId: string;
  id: string;
}

export const eventQueries = defineQueries(createEventQueries);

function createEventQueries(db: Queries) {
  return {
    /**
     * Adds the job that dispatches the event, in one statement, if a webhook subscribes to it. Returns the id of the
     * event, or null when there is no subscriber.
     */
    async dispatch(app: EventSource, event: WebhookEvent, now: number): Promise<{ eventId: string } | null> {
      const eventId = newIdentifier(now);
      const payload = JSON.stringify({ newsId: eventId, at: now, news: event });
      const time = sql<number>`cast(${now} as bigint)`;
      const text = (value: string) => sql<string>`cast(${value} as text)`;
      const row = await db
        .insertInto('outbox')
        .columns(['id', 'kind', 'payload', 'attempts', 'run_at', 'created_at'])
        .expression((from) =>
          from
            .selectFrom(subscribedWebhooks(db, app, event.event).select('id').limit(1).as('one'))
            .select([
              text(newIdentifier(now)).as('id'),
              text('tell-hooks').as('kind'),
              text(payload).as('payload'),
              sql<number>`0`.as('attempts'),
              time.as('run_at'),
              time.as('created_at'),
            ]),
        )
        .returning('id')
        .executeTakeFirst();
      return row ? { eventId } : null;
    },

    /** Returns whether one of the App's own webhooks that subscribe to deleted builds still has this event to deliver. */
    async isPending(appId: string, eventId: string): Promise<boolean> {
      const row = await db
        .selectFrom('hooks as h')
        .leftJoin('hook_deliveries as d', (join) =>
          join.onRef('d.hook_id', '=', 'h.id').on('d.news_id', '=', eventId),
        )
        .select('h.id')
        .where('h.app_id', '=', appId)
        .where('h.state', '=', 'on')
        .where(`h.${subscriptionColumn('build.deleted')}`, '=', 1)
        .where((where) => where.or([where('d.state', 'is', null), where('d.state', '=', 'waiting')]))
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

/** Selects the active webhooks of an App and of its Owner that subscribe to an event. */
export function subscribedWebhooks(db: Queries, app: EventSource, event: WebhookEvent['event']) {
  return db
    .selectFrom('hooks')
    .where('owner_id', '=', app.ownerId)
    .where((where) => where.or([where('app_id', 'is', null), where('app_id', '=', app.id)]))
    .where('state', '=', 'on')
    .where(subscriptionColumn(event), '=', 1);
}
