/**
 * Ends keys, and secrets replaced by a rotation, at the time they expire. No request happens at that time, so a job does it;
 * every app that the key could see then gets a new secret.
 */
import type { Connection, Data } from '../../db/data.ts';
import type { Job } from '../../jobs/outbox.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { trustedPublisherQueries } from '../trusted-publishing/trusted-publisher-queries.ts';
import { notifyKeyOwners } from './issue-key.ts';
import { revokeKey } from './key-changes.ts';
import { keyQueries } from './key-queries.ts';

/** Ends all expired keys. Safe to run on several nodes: each key is ended once. */
export async function endExpiredKeys(data: Data, at: number): Promise<void> {
  for (const { id: keyId, ownerId } of await keyQueries(data).listExpiredKeys(at))
    await data.transaction((tx) => revokeKey(tx, { ownerId, keyId, by: 'system', at }));
  await keyQueries(data).endReplacedSecrets(at);
  await trustedPublisherQueries(data).deleteExpiredKeys(at);
  await trustedPublisherQueries(data).forgetExpiredTokens(at);
}

/** Notifies the Owner a week before a key expires, unless it was rotated or revoked in the meantime, and ends it when it does. */
export function createKeyExpiry({
  data,
  now,
  wakeOutbox,
}: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}) {
  return async ({ keyId, expiresAt }: Extract<Job, { kind: 'key-expiry' }>): Promise<void> => {
    const at = now();
    if (expiresAt <= at) await endExpiredKeys(data, at);
    else await data.transaction((tx) => notify(tx, keyId, expiresAt, at));
    wakeOutbox();
  };
}

async function notify(tx: Connection, keyId: string, expiresAt: number, at: number): Promise<void> {
  const key = await keyQueries(tx).findKeyById(keyId);
  if (!key || key.revokedAt !== null || key.expiresAt !== expiresAt) return;
  const owner = await ownerQueries(tx).findOwnerById(key.ownerId);
  const subject = `${key.name} (${key.hint}…)`.trim();
  if (owner) await notifyKeyOwners(tx, owner, ['key-expires', 'project-key-expires'], { at, subject });
}
