/** Records each event in the list of its owner, and creates one delivery per subscribed webhook. */
import type { Connection, Data } from '../db/data.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { loadEvent } from './events/load-event.ts';
import { recordedEventQueries } from './events/recorded-event-queries.ts';
import { eventRetentionMs, newDeliveryId } from './webhook.ts';
import { webhookQueries } from './webhook-queries.ts';

type EventJob = Omit<Extract<Job, { kind: 'dispatch-event' }>, 'kind'>;

export interface DispatchEventDeps {
  data: Data;
  /** Public origin; null if there is none. */
  origin: string | null;
  now: () => number;
  /** Called after the commit, when the outbox contains deliveries. */
  wakeOutbox: () => void;
}

const deleteEveryMs = 60 * 60_000;

export function createDispatchEvent(deps: DispatchEventDeps) {
  const { data } = deps;
  let deletedAt = 0;
  return async (job: EventJob): Promise<void> => {
    const now = deps.now();
    const webhookIds = await data.transaction((tx) => dispatch(tx, job, deps.origin ?? '', now));
    if (webhookIds.length > 0) deps.wakeOutbox();
    for (const id of webhookIds) await webhookQueries(data).forgetDeliveries(id);
    if (now - deletedAt < deleteEveryMs) return;
    deletedAt = now;
    await recordedEventQueries(data).deleteOld(now - eventRetentionMs);
  };
}

/** The subject may have been deleted, and kept with the job, after the job was claimed. */
async function loadKept(tx: Connection, job: EventJob, origin: string) {
  const event = await eventQueries(tx).findEvent(job.eventId);
  return event && loadEvent(tx, { ...job, event }, origin);
}

/** SQL only. If it is repeated after an interruption, it does nothing. */
async function dispatch(tx: Connection, job: EventJob, origin: string, now: number): Promise<string[]> {
  const loaded = (await loadEvent(tx, job, origin)) ?? (await loadKept(tx, job, origin));
  if (!loaded) return [];
  const { owner, appId, facts } = loaded;
  const { id, data } = facts.current;
  const { type } = job.event;
  // Locked until the end, so that positions and commits of the owner's events have the same order.
  if (!(await quotaQueries(tx).lock(owner.id))) return [];
  const app = data.app ? `${data.app.platform}/${data.app.package_name}` : null;
  const recorded = { id, ownerId: owner.id, app, type, at: job.at, data: JSON.stringify(data) };
  if (!(await recordedEventQueries(tx).append(recorded, now))) return [];
  const webhooks = await webhookQueries(tx).listSubscribed({ ownerId: owner.id, appId }, type);
  const waiting = {
    state: 'waiting',
    attempts: 0,
    dueAt: now,
    status: null,
    fault: null,
    durationMs: null,
    attemptLog: [],
  } as const;
  const deliveryIds = await webhookQueries(tx).insertDeliveries(
    webhooks.map((webhook) => ({
      id: newDeliveryId(now),
      webhookId: webhook.id,
      event: type,
      facts: JSON.stringify(facts),
      ...waiting,
    })),
    id,
    now,
  );
  await outboxQueries(tx).addAll(
    owner.id,
    deliveryIds.map((deliveryId) => ({ kind: 'send-webhook', deliveryId }) as const),
    now,
  );
  return webhooks.map((webhook) => webhook.id);
}
