/** The events of an owner in `/api/v1`, for receivers that webhooks cannot reach. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { feedAnswer, feedPage, listQuery, positionNumber } from '../../http/api/pagination.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { eventRetentionDays, eventRetentionMs, maxRecordedEvents } from '../webhook.ts';
import type { WebhookAccess } from '../webhook-access-http.ts';
import { eventJson, eventShape, listedEventTypes } from './event-json.ts';
import { recordedEventQueries } from './recorded-event-queries.ts';

export interface EventApiRouteDeps {
  data: Data;
  access: RouteAccess;
  places: WebhookAccess;
  now: () => number;
}

const maxAppLength = 300;

export function eventApiRoutes({ data, access, places, now }: EventApiRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/owners/:owner/events',
      operationId: 'listEvents',
      summary: 'List the events of an owner',
      description:
        `Those of the last ${eventRetentionDays} days, about ${maxRecordedEvents} at most, as webhooks send them, in the order in which they were recorded. ` +
        'Read on with `next_cursor`, also after the last page: no event is skipped or repeated.',
      tag: 'Webhooks',
      access: access.byUserKey(places.ofOwner('user', 'project')),
      keyScope: 'read',
      query: {
        ...listQuery(v.tuple([positionNumber])),
        type: v.optional(v.picklist(listedEventTypes)),
        app: v.optional(
          v.pipe(
            v.string(),
            v.maxLength(maxAppLength),
            v.regex(/^(?:android|ios)\/[^/]+$/, 'must be a platform and a package name'),
            v.description('For example `android/com.example.tide`.'),
          ),
        ),
      },
      answer: feedAnswer(eventShape),
      handle: async ({ subject: { owner }, query: { limit, cursor, type, app }, client }) => {
        const start: readonly [number] = cursor ?? [0];
        const filter = { type: type ?? null, app: app ?? null };
        const found = await recordedEventQueries(data).list(owner.id, filter, {
          after: start[0],
          since: now() - eventRetentionMs,
          limit: limit + 1,
        });
        return feedPage(found, {
          limit,
          client,
          start,
          positionOf: ({ position }) => [position],
          show: (event) => eventJson({ ...event, owner: owner.name, data: JSON.parse(event.data) }),
        });
      },
    }),
  ];
}
