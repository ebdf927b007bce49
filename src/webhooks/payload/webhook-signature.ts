/** Signs deliveries according to Standard Webhooks 1.0.0 with a shared secret (https://www.standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** Returns `whsec_` and base64, the format of receiver libraries. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/**
 * Returns the three headers of one attempt: HMAC-SHA-256 over ID, time of the attempt in seconds and body, separated by
 * periods. With several secrets, the signatures are separated by spaces; receivers accept any of them.
 */
export function signWebhook(
  secrets: readonly string[],
  delivery: { id: string; body: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${delivery.id}.${timestamp}.${delivery.body}`)
      .digest('base64');
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}

/** Hides signatures, which are valid for minutes and of no use to people. */
export function withHiddenSignature(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === 'webhook-signature' ? value.replaceAll(/v1,\S+/g, 'v1,…') : value,
    ]),
  );
}
