/** How a receiver knows who sent a delivery: Standard Webhooks 1.0.0, symmetric (https://www.standardwebhooks.com). */
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** `whsec_` and base64, the form that receivers' libraries take. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/** The three headers of one try. HMAC-SHA-256 over id, time of the try in seconds and body, with full stops between. */
export function signWebhook(
  secret: string,
  delivery: { id: string; body: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${delivery.id}.${timestamp}.${delivery.body}`)
    .digest('base64');
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
