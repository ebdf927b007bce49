/** Sends deliveries at least once, retries them for a day and records the results. */
import { createEncryption, type Encryption } from '../core/encrypted-text.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { type Job, NotReady } from '../jobs/outbox.ts';
import type { EventFacts } from './payload/event-facts.ts';
import { webhookBody } from './payload/webhook-json.ts';
import { signWebhook, withHiddenSignature } from './payload/webhook-signature.ts';
import {
  type DeliveryAttempt,
  type DeliveryError,
  maxConcurrentSends,
  maxKeptAttempts,
  type PostOutcome,
  type PostWebhook,
  retryDelaysMs,
  type Webhook,
  type WebhookDelivery,
  type WebhookRequest,
} from './webhook.ts';
import type { DeliveryResult } from './webhook-queries.ts';
import { webhookQueries } from './webhook-queries.ts';

export interface WebhookSecrets {
  address: string;
  secret: string;
  /** The secret before the last rotation. */
  oldSecret: string | null;
}

export interface SendWebhookDeps {
  data: Data;
  post: PostWebhook;
  encryption: Encryption;
  /** Public origin; null if there is none. */
  origin: string | null;
  userAgent: string;
  now: () => number;
  log: WebhookLog;
}

export interface WebhookLog {
  warn(fields: object, message: string): void;
}

/** The shortest time that a delivery is assumed to take. */
const minDurationMs = 100;
const maxCountedAhead = 300;

/** Sends one message and returns the result with its record, which never contains the URL or a secret. */
export type DeliverWebhook = (
  webhook: EncryptedWebhook,
  message: { id: string; facts: EventFacts },
) => Promise<{ outcome: PostOutcome; attempt: DeliveryAttempt }>;

/** The part of a webhook that is needed for sending. */
export type EncryptedWebhook = Pick<Webhook, 'id' | 'kind' | 'oldSecretUntil'> & EncryptedSecrets;
export type EncryptedSecrets = Pick<Webhook, 'encryptedAddress' | 'encryptedSecret'>;

export function createDeliverWebhook(deps: Omit<SendWebhookDeps, 'data' | 'log'>): DeliverWebhook {
  return async (webhook, { id, facts }) => {
    const now = deps.now();
    const secrets = decryptSecrets(deps.encryption, webhook);
    const noted = (outcome: PostOutcome, headers: WebhookRequest['headers']) => ({
      outcome,
      attempt: attemptOf(webhook, outcome, { at: now, headers }),
    });
    if (!secrets) return noted({ kind: 'failed', fault: 'unreadable', detail: null, durationMs: 0 }, {});
    const body = webhookBody(webhook, facts, deps.origin);
    const oldSecret = now < (webhook.oldSecretUntil ?? 0) ? secrets.oldSecret : null;
    const signingSecrets = oldSecret === null ? [secrets.secret] : [secrets.secret, oldSecret];
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': deps.userAgent,
      ...signWebhook(signingSecrets, { id, body }, now),
    };
    return noted(await deps.post({ address: secrets.address, body, headers }), headers);
  };
}

function attemptOf(
  { kind }: EncryptedWebhook,
  outcome: PostOutcome,
  { at, headers }: Pick<DeliveryAttempt, 'at' | 'headers'>,
): DeliveryAttempt {
  const { durationMs } = outcome;
  const sent = { at, kind, headers: withHiddenSignature(headers), durationMs };
  return outcome.kind === 'answered'
    ? { ...sent, status: outcome.status, answer: outcome.answer, fault: null, detail: null }
    : { ...sent, status: null, answer: null, fault: outcome.fault, detail: outcome.detail };
}

/** Encryption of webhook URLs and secrets in the database. */
export function createWebhookEncryption(secret: ServerSecret): Encryption {
  return createEncryption(secret, 'hooks');
}

/** Returns null if the server secret has changed since the encryption. */
export function decryptSecrets(
  encryption: Encryption,
  webhook: EncryptedSecrets & Pick<Webhook, 'id'>,
): WebhookSecrets | null {
  const address = encryption.decrypt(webhook.encryptedAddress, `${webhook.id} address`);
  const secret = encryption.decrypt(webhook.encryptedSecret, `${webhook.id} secret`);
  if (!address || !secret) return null;
  const [current = '', old = null] = Buffer.from(secret).toString().split(' ');
  return { address: Buffer.from(address).toString(), secret: current, oldSecret: old };
}

export function encryptSecrets(
  encryption: Encryption,
  webhookId: string,
  { address, secret, oldSecret }: WebhookSecrets,
) {
  const secrets = oldSecret === null ? secret : `${secret} ${oldSecret}`;
  return {
    encryptedAddress: encryption.encrypt(Buffer.from(address), `${webhookId} address`),
    encryptedSecret: encryption.encrypt(Buffer.from(secrets), `${webhookId} secret`),
  };
}

/** Re-encrypts the text with the current secret. Null if nothing changes. */
export function reencryptSecrets(encryption: Encryption, webhook: EncryptedSecrets & Pick<Webhook, 'id'>) {
  const address = encryption.reencrypt(webhook.encryptedAddress, `${webhook.id} address`);
  const secret = encryption.reencrypt(webhook.encryptedSecret, `${webhook.id} secret`);
  if (address === null && secret === null) return null;
  return {
    encryptedAddress: address ?? webhook.encryptedAddress,
    encryptedSecret: secret ?? webhook.encryptedSecret,
  };
}

export function createSendWebhook(
  deps: Pick<SendWebhookDeps, 'data' | 'now' | 'log'> & { deliver: DeliverWebhook },
) {
  const { data, now } = deps;
  /** Deliveries in progress on this node by webhook: how many, when the last one ended or the first began, and how long the last one took. */
  const busy = new Map<string, { count: number; since: number; durationMs: number }>();
  return async ({
    deliveryId,
  }: Pick<Extract<Job, { kind: 'send-webhook' }>, 'deliveryId'>): Promise<void> => {
    const found = await webhookQueries(data).findDelivery(deliveryId);
    if (found?.delivery.state !== 'waiting') return;
    const { delivery, webhook } = found;
    if (webhook.state !== 'on')
      return webhookQueries(data).settle(delivery.id, { ...delivery, state: 'stopped' }, now());
    if (delivery.dueAt > now()) throw new NotReady(delivery.dueAt);
    const sends = busy.get(webhook.id) ?? { count: 0, since: now(), durationMs: minDurationMs };
    if (sends.count >= maxConcurrentSends) {
      // As long as it takes to send those ahead: a fast receiver gets them quickly, and one that hangs costs few attempts.
      const eachMs = Math.max(sends.durationMs, now() - sends.since) / maxConcurrentSends;
      const ahead = await webhookQueries(data).countWaitingBefore(delivery, maxCountedAhead);
      throw new NotReady(now() + Math.ceil(eachMs * (1 + ahead)));
    }
    busy.set(webhook.id, sends);
    sends.count += 1;
    const startedAt = now();
    try {
      await tryOnce(deps, webhook, delivery);
    } finally {
      sends.count -= 1;
      sends.since = now();
      sends.durationMs = Math.max(minDurationMs, sends.since - startedAt);
      if (sends.count === 0) busy.delete(webhook.id);
    }
  };
}

async function tryOnce(
  { data, now, log, deliver }: Parameters<typeof createSendWebhook>[0],
  webhook: Webhook,
  delivery: WebhookDelivery,
): Promise<void> {
  if (!(await webhookQueries(data).beginTry(delivery.id, now()))) return;
  const facts = JSON.parse(delivery.facts) as EventFacts;
  const { outcome, attempt } = await deliver(webhook, { id: delivery.id, facts });
  const result = decideResult(outcome, delivery.attempts + 1, now());
  if (result.status === 410) await webhookQueries(data).setState(webhook.id, 'gone');
  const attemptLog = [...delivery.attemptLog, attempt].slice(-maxKeptAttempts);
  await webhookQueries(data).settle(delivery.id, { ...result, attemptLog }, now());
  if (result.state === 'waiting') throw new NotReady(result.dueAt);
  if (result.state === 'sent') return;
  const { status, fault } = result;
  log.warn(
    { webhook: webhook.id, delivery: delivery.id, status, fault },
    'a delivery of a webhook failed permanently',
  );
}

/** Determines the next state: 2xx is a success, 410 stops the webhook, and everything else is retried while there are pauses left. Pure. */
export function decideResult(outcome: PostOutcome, attempts: number, now: number): DeliveryResult {
  const { durationMs } = outcome;
  const status = outcome.kind === 'answered' ? outcome.status : null;
  const fault: DeliveryError | null = outcome.kind === 'failed' ? outcome.fault : null;
  const said = { status, fault, durationMs };
  if (isSuccess(outcome)) return { ...said, state: 'sent', dueAt: now };
  const pause = retryDelaysMs[attempts - 1];
  if (status === 410 || pause === undefined) return { ...said, state: 'dead', dueAt: now };
  const asked = outcome.kind === 'answered' ? (outcome.retryAfterMs ?? 0) : 0;
  return { ...said, state: 'waiting', dueAt: now + Math.max(pause, asked) };
}

export const isSuccess = (outcome: PostOutcome) =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
