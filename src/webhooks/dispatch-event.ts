/** Writes down, once for each hook that hears of it, what happened; what is written down is sent. */
import type { Connection, Data } from '../db/data.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { loadHookFacts } from './payload/event-facts.ts';
import { newDeliveryId } from './webhook.ts';
import { hookQueries } from './webhook-queries.ts';

type Told = Extract<Job, { kind: 'tell-hooks' }>;

export interface TellHooksParts {
  data: Data;
  now: () => number;
  /** Called after the commit: deliveries wait in the outbox. */
  wakeOutbox: () => void;
}

export function createTellHooks(parts: TellHooksParts) {
  return async (job: Told): Promise<void> => {
    const now = parts.now();
    const hookIds = await parts.data.transaction((inside) => writeDeliveries(inside, job, now));
    if (hookIds.length > 0) parts.wakeOutbox();
    for (const id of hookIds) await hookQueries(parts.data).forgetDeliveries(id);
  };
}

/** Nothing but SQL. Done again after it was cut short, it adds those alone that are not there yet. */
async function writeDeliveries(data: Connection, job: Told, now: number): Promise<string[]> {
  const loaded = await loadHookFacts(data, job.news, job.at);
  if (!loaded) return [];
  const { place, facts } = loaded;
  const hooks = await hookQueries(data).listListening(place, job.news.event);
  const waiting = {
    state: 'waiting',
    attempts: 0,
    dueAt: now,
    status: null,
    fault: null,
    durationMs: null,
  } as const;
  const deliveryIds = await hookQueries(data).insertDeliveries(
    hooks.map((hook) => ({
      ...{ id: newDeliveryId(now), hookId: hook.id, event: facts.event, facts: JSON.stringify(facts) },
      ...waiting,
    })),
    job.newsId,
    now,
  );
  await outboxQueries(data).addAll(
    deliveryIds.map((deliveryId) => ({ kind: 'send-hook', deliveryId }) as const),
    now,
  );
  return hooks.map(({ id }) => id);
}
