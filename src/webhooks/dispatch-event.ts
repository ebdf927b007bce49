/** Creates one delivery per subscribed webhook. */
import type { Connection, Data } from '../db/data.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { loadWebhookFacts } from './payload/event-facts.ts';
import { newDeliveryId } from './webhook.ts';
import { webhookQueries } from './webhook-queries.ts';

type EventJob = Extract<Job, { kind: 'tell-hooks' }>;

export interface DispatchEventDeps {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains deliveries. */
  wakeOutbox: () => void;
}

export function createDispatchEvent(deps: DispatchEventDeps) {
  return async (job: EventJob): Promise<void> => {
    const now = deps.now();
    const webhookIds = await deps.data.transaction((tx) => writeDeliveries(tx, job, now));
    if (webhookIds.length > 0) deps.wakeOutbox();
    for (const id of webhookIds) await webhookQueries(deps.data).forgetDeliveries(id);
  };
}

/** SQL only. Repeating it after an interruption adds only missing deliveries. */
async function writeDeliveries(data: Connection, job: EventJob, now: number): Promise<string[]> {
  const { newsId: eventId, news: event, at } = job;
  const loaded = await loadWebhookFacts(data, event, at);
  if (!loaded) return [];
  const { place, facts } = loaded;
  const webhooks = await webhookQueries(data).listSubscribed(place, event.event);
  const waiting = {
    state: 'waiting',
    attempts: 0,
    dueAt: now,
    status: null,
    fault: null,
    durationMs: null,
  } as const;
  const deliveryIds = await webhookQueries(data).insertDeliveries(
    webhooks.map((webhook) => ({
      id: newDeliveryId(now),
      webhookId: webhook.id,
      event: facts.event,
      facts: JSON.stringify(facts),
      ...waiting,
    })),
    eventId,
    now,
  );
  await outboxQueries(data).addAll(
    deliveryIds.map((deliveryId) => ({ kind: 'send-hook', deliveryId }) as const),
    now,
  );
  return webhooks.map(({ id }) => id);
}
