/** Webhooks as the API shows them. */
import * as v from 'valibot';
import {
  formatNullableTime,
  formatTime,
  integerShape,
  textShape,
  timeShape,
} from '../../core/json-shapes.ts';
import { eventTypes } from '../../jobs/events.ts';
import {
  deliveryErrors,
  payloadVersions,
  type Webhook,
  type WebhookDelivery,
  webhookKinds,
} from '../webhook.ts';

export const choiceShape = v.pipe(
  v.picklist(['*', ...eventTypes]),
  v.description('`*`: every event, including those of future versions.'),
);
export const payloadVersionShape = v.pipe(
  v.picklist(payloadVersions),
  v.description(
    'Of the kind `json`. 2: the data of events are resources of this API. 1: the former payload.',
  ),
);

export const webhookShape = v.pipe(
  v.object({
    id: v.string(),
    name: v.string(),
    kind: v.pipe(
      v.picklist(webhookKinds),
      v.description('Format of the messages: JSON, Slack and compatible, or Microsoft Teams.'),
    ),
    payload_version: payloadVersionShape,
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
  payload_version: webhook.payloadVersion,
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
    status: v.nullable(integerShape('Of the last response.')),
    error: v.nullable(v.picklist(deliveryErrors)),
    duration_ms: v.nullable(v.number()),
    created_at: timeShape(),
  }),
  v.title('Delivery'),
);

export const deliveryJson = (delivery: WebhookDelivery): v.InferOutput<typeof deliveryShape> => ({
  id: delivery.id,
  event: delivery.event,
  state: delivery.state,
  attempts: delivery.attempts,
  next_attempt_at: delivery.state === 'waiting' ? formatTime(delivery.dueAt) : null,
  status: delivery.status,
  error: delivery.fault,
  duration_ms: delivery.durationMs === null ? null : Math.round(delivery.durationMs),
  created_at: formatTime(delivery.createdAt),
});
