/** Webhooks as the API shows them. */
import * as v from 'valibot';
import {
  formatNullableTime,
  formatTime,
  integerShape,
  textShape,
  timeShape,
} from '../../core/json-shapes.ts';
import { eventTypes } from '../../events/events.ts';
import type { EventFacts } from '../payload/event-facts.ts';
import { deliveryBody } from '../payload/webhook-json.ts';
import {
  deliveryErrors,
  maxKeptAttempts,
  type Webhook,
  type WebhookDelivery,
  webhookKinds,
} from '../webhook.ts';

export const choiceShape = v.pipe(
  v.picklist(['*', ...eventTypes]),
  v.description('`*`: every event, including those of future versions.'),
);

export const webhookShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    kind: v.pipe(
      v.picklist(webhookKinds),
      v.description('Format of the messages: JSON, Slack and compatible, or Microsoft Teams.'),
    ),
    state: v.pipe(
      v.picklist(['on', 'off', 'gone']),
      v.description('`gone`: stopped, because the receiver answered 410.'),
    ),
    shown_url: textShape('Host and at most the last four characters: the whole URL may be a secret.'),
    events: v.array(choiceShape),
    old_secret_works_until: v.nullable(timeShape('After a rotation: until then, the old secret signs, too.')),
    created_at: timeShape(),
  }),
  v.title('Webhook'),
);

export const webhookJson = (webhook: Webhook): v.InferOutput<typeof webhookShape> => ({
  id: webhook.id,
  name: webhook.name,
  kind: webhook.kind,
  state: webhook.state,
  shown_url: webhook.shownAddress,
  events: [...webhook.subscribedEvents],
  old_secret_works_until: formatNullableTime(webhook.oldSecretUntil),
  created_at: formatTime(webhook.createdAt),
});

export const deliveryShape = v.pipe(
  v.object({
    id: textShape('Sent as `webhook-id`, the same on every attempt.'),
    event: v.string(),
    state: v.pipe(
      v.picklist(['waiting', 'sent', 'dead', 'stopped']),
      v.description('`dead`: failed for a day. `stopped`: the webhook was paused before it could be sent.'),
    ),
    attempts: integerShape('How often it was sent.'),
    next_attempt_at: v.nullable(timeShape()),
    status: v.nullable(integerShape('HTTP status of the last response.')),
    error: v.nullable(v.picklist(deliveryErrors)),
    error_detail: v.nullable(textShape('The network error, such as `connect ECONNREFUSED …`.')),
    app: v.nullable(
      v.object({ platform: v.picklist(['android', 'ios']), package_name: v.string(), name: v.string() }),
    ),
    revision: v.nullable(integerShape('The build that the event is about.')),
    duration_ms: v.nullable(v.number()),
    created_at: timeShape(),
  }),
  v.title('Delivery'),
);

export const deliveryJson = (delivery: WebhookDelivery): v.InferOutput<typeof deliveryShape> => {
  const { app, build } = JSON.parse(delivery.facts) as EventFacts;
  return {
    id: delivery.id,
    event: delivery.event,
    state: delivery.state,
    attempts: delivery.attempts,
    next_attempt_at: delivery.state === 'waiting' ? formatTime(delivery.dueAt) : null,
    status: delivery.status,
    error: delivery.fault,
    error_detail: delivery.attemptLog.at(-1)?.detail ?? null,
    app: app && { platform: app.platform, package_name: app.packageName, name: app.name },
    revision: build?.revision ?? null,
    duration_ms: delivery.durationMs === null ? null : Math.round(delivery.durationMs),
    created_at: formatTime(delivery.createdAt),
  };
};

const headersShape = v.record(v.string(), v.string());

export const deliveryWithAttemptsShape = v.pipe(
  v.object({
    delivery: deliveryShape,
    request_body: textShape('As the last attempt sent it.'),
    attempts: v.pipe(
      v.array(
        v.object({
          at: timeShape(),
          status: v.nullable(v.number()),
          error: v.nullable(v.picklist(deliveryErrors)),
          error_detail: v.nullable(v.string()),
          duration_ms: v.number(),
          request_headers: v.pipe(headersShape, v.description('With hidden signatures.')),
          response: v.nullable(
            v.object({
              headers: v.pipe(headersShape, v.description('Only headers that cannot contain secrets.')),
              body: v.nullable(
                textShape('The beginning of the text, if the receiver is on the public internet.'),
              ),
            }),
          ),
        }),
      ),
      v.description(`The last ${maxKeptAttempts}, the oldest first.`),
    ),
  }),
  v.title('DeliveryWithAttempts'),
);

export const deliveryWithAttemptsJson = (
  webhook: Webhook,
  delivery: WebhookDelivery,
  origin: string | null,
): v.InferOutput<typeof deliveryWithAttemptsShape> => ({
  delivery: deliveryJson(delivery),
  request_body: deliveryBody(webhook, delivery, origin),
  attempts: delivery.attemptLog.map((attempt) => ({
    at: formatTime(attempt.at),
    status: attempt.status,
    error: attempt.fault,
    error_detail: attempt.detail,
    duration_ms: Math.round(attempt.durationMs),
    request_headers: attempt.headers,
    response: attempt.answer,
  })),
});
