/** Re-encrypts stored values that use the server's previous secret with the current one. */
import { createTotpEncryption } from '../accounts/second-factor/second-factor.ts';
import { auditKeyOwner, createAuditKeyEncryption } from '../audit/seal-entries.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { createSigningKeyEncryption } from '../owners/signing-keys/signing-keys.ts';
import { createWebhookEncryption, reencryptSecrets } from '../webhooks/send-webhook.ts';
import { reencryptQueries } from './reencrypt-queries.ts';

interface ReencryptLog {
  info(facts: object, message: string): void;
}

/** Returns how many values used the previous secret. Does nothing if none is accepted. */
export async function reencryptStoredSecrets(
  data: Data,
  secret: ServerSecret,
  log?: ReencryptLog,
): Promise<number> {
  if (typeof secret === 'string') return 0;
  const [totp, webhooks] = [createTotpEncryption(secret), createWebhookEncryption(secret)];
  let count = 0;
  for (const row of await reencryptQueries(data).listTotp()) {
    const reencrypt = totp.reencrypt(row.encrypted, row.userId);
    if (reencrypt !== null && (await reencryptQueries(data).replaceTotp(row, reencrypt))) count += 1;
  }
  for (const webhook of await reencryptQueries(data).listWebhooks()) {
    const reencrypt = reencryptSecrets(webhooks, webhook);
    if (reencrypt !== null && (await reencryptQueries(data).replaceWebhook(webhook, reencrypt))) count += 1;
  }
  const signingKeys = createSigningKeyEncryption(secret);
  for (const row of await reencryptQueries(data).listSigningKeys()) {
    const reencrypt = signingKeys.reencrypt(row.encrypted, row.ownerId);
    if (reencrypt !== null && (await reencryptQueries(data).replaceSigningKey(row, reencrypt))) count += 1;
  }
  const auditKeys = createAuditKeyEncryption(secret);
  for (const { encrypted } of await reencryptQueries(data).listAuditKeys()) {
    const reencrypt = auditKeys.reencrypt(encrypted, auditKeyOwner);
    if (reencrypt !== null && (await reencryptQueries(data).replaceAuditKey(encrypted, reencrypt)))
      count += 1;
  }
  log?.info({ count }, 'the previous secret is accepted; stored secrets are encrypted with the current one');
  return count;
}
