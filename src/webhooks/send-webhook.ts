/** One delivery after the other: sent at least once, tried again for a day, and what came of it written down. */
import { createSeal, type Seal } from '../core/encrypted-text.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { type Job, NotYet } from '../jobs/outbox.ts';
import type { HookFacts } from './payload/event-facts.ts';
import { hookBody } from './payload/webhook-json.ts';
import { signHook } from './payload/webhook-signature.ts';
import {
  type Hook,
  type HookDelivery,
  type HookFault,
  type PostHook,
  type PostOutcome,
  retryPausesMs,
  sendsOfHookAtOnce,
} from './webhook.ts';
import type { DeliveryResult } from './webhook-queries.ts';
import { hookQueries } from './webhook-queries.ts';

export interface HookSecrets {
  address: string;
  secret: string;
}

export interface SendHookParts {
  data: Data;
  post: PostHook;
  seal: Seal;
  /** The public origin; null when there is none. */
  origin: string | null;
  userAgent: string;
  now: () => number;
  log: HookLog;
}

export interface HookLog {
  warn(fields: object, message: string): void;
}

/** A delivery of a hook that is busy waits so long for each that is before it. */
const busyPauseMs = 1000;
const mostCountedAhead = 300;

/** Sends one message and answers what came of it; neither address nor answer goes anywhere else. */
export type DeliverHook = (
  hook: SealedHook,
  message: { id: string; facts: HookFacts },
) => Promise<PostOutcome>;

/** As much of a hook as sending takes. */
export type SealedHook = Pick<Hook, 'id' | 'kind' | 'sealedAddress' | 'sealedSecret'>;

export function createDeliverHook(parts: Omit<SendHookParts, 'data' | 'log'>): DeliverHook {
  return async (hook, { id, facts }) => {
    const secrets = openSecrets(parts.seal, hook);
    if (!secrets) return { kind: 'failed', fault: 'unreadable', durationMs: 0 };
    const body = hookBody(hook.kind, facts, parts.origin);
    return parts.post({
      address: secrets.address,
      body,
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': parts.userAgent,
        ...signHook(secrets.secret, { id, body }, parts.now()),
      },
    });
  };
}

/** How addresses and secrets of hooks are stored in the database. */
export function createHookSeal(secret: ServerSecret): Seal {
  return createSeal(secret, 'hooks');
}

/** Null when the server's secret has changed since they were sealed. */
export function openSecrets(seal: Seal, hook: Omit<SealedHook, 'kind'>): HookSecrets | null {
  const address = seal.open(hook.sealedAddress, `${hook.id} address`);
  const secret = seal.open(hook.sealedSecret, `${hook.id} secret`);
  if (!address || !secret) return null;
  return { address: Buffer.from(address).toString(), secret: Buffer.from(secret).toString() };
}

export function sealSecrets(seal: Seal, hookId: string, { address, secret }: HookSecrets) {
  return {
    sealedAddress: seal.close(Buffer.from(address), `${hookId} address`),
    sealedSecret: seal.close(Buffer.from(secret), `${hookId} secret`),
  };
}

/** The same text sealed with the current secret; null when nothing needs to change. */
export function renewedSecrets(seal: Seal, hook: Omit<SealedHook, 'kind'>) {
  const address = seal.renewed(hook.sealedAddress, `${hook.id} address`);
  const secret = seal.renewed(hook.sealedSecret, `${hook.id} secret`);
  if (address === null && secret === null) return null;
  return { sealedAddress: address ?? hook.sealedAddress, sealedSecret: secret ?? hook.sealedSecret };
}

export function createSendHook(
  parts: Pick<SendHookParts, 'data' | 'now' | 'log'> & { deliver: DeliverHook },
) {
  const { data, now } = parts;
  /** Ids of hooks, as often as something is on its way to them from here. */
  const busy = new Map<string, number>();
  return async ({ deliveryId }: Extract<Job, { kind: 'send-hook' }>): Promise<void> => {
    const found = await hookQueries(data).findDelivery(deliveryId);
    if (found?.delivery.state !== 'waiting') return;
    const { delivery, hook } = found;
    if (hook.state !== 'on')
      return hookQueries(data).settle(delivery.id, { ...delivery, state: 'stopped' }, now());
    if (delivery.dueAt > now()) throw new NotYet(delivery.dueAt);
    const underWay = busy.get(hook.id) ?? 0;
    if (underWay >= sendsOfHookAtOnce) {
      const ahead = await hookQueries(data).countWaitingBefore(delivery, mostCountedAhead);
      throw new NotYet(now() + busyPauseMs * (1 + ahead));
    }
    busy.set(hook.id, underWay + 1);
    try {
      await tryOnce(parts, hook, delivery);
    } finally {
      const left = (busy.get(hook.id) ?? 1) - 1;
      if (left === 0) busy.delete(hook.id);
      else busy.set(hook.id, left);
    }
  };
}

async function tryOnce(
  { data, now, log, deliver }: Parameters<typeof createSendHook>[0],
  hook: Hook,
  delivery: HookDelivery,
): Promise<void> {
  if (!(await hookQueries(data).beginTry(delivery.id, now()))) return;
  const facts = JSON.parse(delivery.facts) as HookFacts;
  const outcome = await deliver(hook, { id: delivery.id, facts });
  const result = judge(outcome, delivery.attempts + 1, now());
  if (result.status === 410) await hookQueries(data).setState(hook.id, 'gone');
  await hookQueries(data).settle(delivery.id, result, now());
  if (result.state === 'waiting') throw new NotYet(result.dueAt);
  if (result.state === 'sent') return;
  const { status, fault } = result;
  log.warn(
    { hook: hook.id, delivery: delivery.id, status, fault },
    'a delivery of a hook has failed for good',
  );
}

/** Pure. 2xx is success, 410 the end; everything else is tried again, as long as there are pauses left. */
export function judge(outcome: PostOutcome, attempts: number, now: number): DeliveryResult {
  const { durationMs } = outcome;
  const status = outcome.kind === 'answered' ? outcome.status : null;
  const fault: HookFault | null = outcome.kind === 'failed' ? outcome.fault : null;
  const said = { status, fault, durationMs };
  if (isSuccess(outcome)) return { ...said, state: 'sent', dueAt: now };
  const pause = retryPausesMs[attempts - 1];
  if (status === 410 || pause === undefined) return { ...said, state: 'dead', dueAt: now };
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  return { ...said, state: 'waiting', dueAt: now + Math.max(pause, asked) };
}

export const isSuccess = (outcome: PostOutcome) =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
