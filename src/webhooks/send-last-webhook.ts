/** Sends the last delivery of a webhook that was deleted with its owner. It has no row, so its job contains all data. */
import { type Job, NotReady } from '../jobs/outbox.ts';
import { lastFacts } from './payload/event-facts.ts';
import { type DeliverWebhook, decideResult, type WebhookLog } from './send-webhook.ts';
import { retryDelaysMs, type WebhookKind } from './webhook.ts';

export function createSendLastWebhook(deps: { deliver: DeliverWebhook; now: () => number; log: WebhookLog }) {
  const { deliver, now, log } = deps;
  return async (job: Extract<Job, { kind: 'send-last-webhook' }>): Promise<void> => {
    const { id, sealedAddress, sealedSecret, oldSecretUntil } = job.hook;
    const kind = job.hook.kind as WebhookKind;
    const secrets = { encryptedAddress: sealedAddress, encryptedSecret: sealedSecret };
    const webhook = { id, kind, oldSecretUntil, ...secrets } as const;
    // A webhook has only one last delivery, so the webhook's ID identifies it.
    const messageId = `msg_${webhook.id}`;
    const { outcome } = await deliver(webhook, { id: messageId, facts: lastFacts(messageId, job) });
    const result = decideResult(outcome, attemptsWithin(now() - job.at), now());
    if (result.state === 'waiting') throw new NotReady(result.dueAt);
    if (result.state === 'sent') return;
    const { status, fault } = result;
    log.warn({ webhook: webhook.id, status, fault }, 'the last delivery of a webhook failed permanently');
  };
}

/** Returns how many attempts fit into a period, including the current one, because attempts are not stored. Pure. */
export function attemptsWithin(sinceMs: number): number {
  let [attempts, begins] = [1, 0];
  for (const pause of retryDelaysMs) {
    begins += pause;
    if (sinceMs >= begins) attempts += 1;
  }
  return attempts;
}
