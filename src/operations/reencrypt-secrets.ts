/** Encrypts stored values that use the server's previous secret again with the current one. */
import { createTotpEncryption } from '../accounts/second-factor/second-factor.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { createWebhookEncryption, renewedSecrets } from '../webhooks/send-webhook.ts';
import { resealQueries } from './reencrypt-queries.ts';

interface ResealLog {
  info(facts: object, message: string): void;
}

/** Returns how many values used the previous secret. Does nothing when none is accepted. */
export async function reencryptSecrets(data: Data, secret: ServerSecret, log?: ResealLog): Promise<number> {
  if (typeof secret === 'string') return 0;
  const [totp, webhooks] = [createTotpEncryption(secret), createWebhookEncryption(secret)];
  let resealed = 0;
  for (const row of await resealQueries(data).listTotp()) {
    const renewed = totp.renewed(row.sealed, row.userId);
    if (renewed !== null && (await resealQueries(data).replaceTotp(row, renewed))) resealed += 1;
  }
  for (const webhook of await resealQueries(data).listWebhooks()) {
    const renewed = renewedSecrets(webhooks, webhook);
    if (renewed !== null && (await resealQueries(data).replaceWebhook(webhook, renewed))) resealed += 1;
  }
  log?.info(
    { resealed },
    'the previous secret is accepted; stored secrets are encrypted with the current one',
  );
  return resealed;
}
