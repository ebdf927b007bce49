/** The last message of a hook that was deleted with its Owner. No row remembers it: all that it takes lies in its job. */
import { type Job, NotYet } from '../jobs/outbox.ts';
import { lastFacts } from './payload/event-facts.ts';
import { type DeliverHook, type HookLog, judge } from './send-webhook.ts';
import { type HookKind, retryPausesMs } from './webhook.ts';

export function createSendLastHook(parts: { deliver: DeliverHook; now: () => number; log: HookLog }) {
  const { deliver, now, log } = parts;
  return async (job: Extract<Job, { kind: 'send-last-hook' }>): Promise<void> => {
    const hook = { ...job.hook, kind: job.hook.kind as HookKind };
    // A hook has one last message, so that its own id names it.
    const outcome = await deliver(hook, { id: `msg_${hook.id}`, facts: lastFacts(job) });
    const result = judge(outcome, triesWithin(now() - job.at), now());
    if (result.state === 'waiting') throw new NotYet(result.dueAt);
    if (result.state === 'sent') return;
    const { status, fault } = result;
    log.warn({ hook: hook.id, status, fault }, 'the last message of a hook has failed for good');
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
