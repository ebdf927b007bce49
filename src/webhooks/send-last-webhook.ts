/** The last message of a webhook that was deleted with its Owner. No row remembers it: all that it takes lies in its job. */
import { type Job, NotYet } from '../jobs/outbox.ts';
import { lastFacts } from './payload/event-facts.ts';
import { type DeliverWebhook, judge, type WebhookLog } from './send-webhook.ts';
import { retryPausesMs, type WebhookKind } from './webhook.ts';

export function createSendLastWebhook(parts: {
  deliver: DeliverWebhook;
  now: () => number;
  log: WebhookLog;
}) {
  const { deliver, now, log } = parts;
  return async (job: Extract<Job, { kind: 'send-last-hook' }>): Promise<void> => {
    const webhook = { ...job.hook, kind: job.hook.kind as WebhookKind };
    // A webhook has one last message, so that its own id names it.
    const outcome = await deliver(webhook, { id: `msg_${webhook.id}`, facts: lastFacts(job) });
    const result = judge(outcome, triesWithin(now() - job.at), now());
    if (result.state === 'waiting') throw new NotYet(result.dueAt);
    if (result.state === 'sent') return;
    const { status, fault } = result;
    log.warn({ webhook: webhook.id, status, fault }, 'the last message of a hook has failed for good');
  };
}

/** Pure. How many tries there can have been in that time, this one among them: nothing counts them. */
export function triesWithin(sinceMs: number): number {
  let [tries, begins] = [1, 0];
  for (const pause of retryPausesMs) {
    begins += pause;
    if (sinceMs >= begins) tries += 1;
  }
  return tries;
}
