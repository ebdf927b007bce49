/** Changes to an issued API key: rotation, revocation, expiry. */
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import { workspaceGateQueries } from '../../owners/gate/workspace-gate-queries.ts';
import { requireSessionForKeys } from '../../owners/gate/workspace-refusal.ts';
import type { Owner } from '../../owners/owner.ts';
import { type ApiKey, hashApiKey, hintOf, isUsable, newApiKey } from './api-key.ts';
import { notifyKeyOwners, scheduleKeyExpiry, scheduleSecretEnd, signOnsOf } from './issue-key.ts';
import { keyQueries } from './key-queries.ts';
import { keyTexts } from './key-texts.ts';

/**
 * Revokes a key. Every revocation, including expiry, calls this. Returns the key's id, or null if it had already ended. Call it
 * in a transaction.
 */
export async function revokeKey(
  tx: Connection,
  { ownerId, keyId, by, at }: { ownerId: string; keyId: string; by: AuditEntry['actor']; at: number },
): Promise<string | null> {
  const revoked = await keyQueries(tx).revokeKey(ownerId, keyId, at);
  if (revoked === null) return null;
  const action = by === 'system' ? 'key.expired' : 'key.revoked';
  await auditQueries(tx).record({ at, actor: by, action, ownerId, subject: revoked });
  await eventQueries(tx).dispatch(ownerId, { type: 'key.revoked', ownerId, keyId: revoked }, at);
  return revoked;
}

/**
 * For requests by people and programs. Does nothing to a key that has already ended. Throws `NotFound` for an unknown key or one
 * of another owner.
 */
export async function revokeKeyOf(
  data: Data,
  { owner, ...request }: { owner: Owner; keyId: string; by: Actor; at: number },
): Promise<void> {
  await requireKey(data, owner, request.keyId);
  await data.transaction((tx) => revokeKey(tx, { ownerId: owner.id, ...request }));
}

export async function requireKey(data: Connection, owner: Owner, keyId: string): Promise<ApiKey> {
  const key = await keyQueries(data).findKeyById(keyId);
  if (key?.ownerId !== owner.id) throw unknownKey(owner, keyId);
  return key;
}

const unknownKey = (owner: Owner, keyId: string) =>
  new NotFound(keyTexts.errors.unknown({ owner: owner.name, key: keyId }));

/** Revokes every key of the Owner. Returns how many were active. */
export async function revokeKeysOf(
  tx: Connection,
  ownerId: string,
  by: AuditEntry['actor'],
  at: number,
): Promise<number> {
  let count = 0;
  for (const key of await keyQueries(tx).listKeys(ownerId, { trusted: true })) {
    if (key.revokedAt !== null) continue;
    const wasUsable = isUsable(key, at);
    if ((await revokeKey(tx, { ownerId, keyId: key.id, by, at })) && wasUsable) count++;
  }
  return count;
}

/** Choices for how long the old secret keeps working alongside the new one, in days. */
export const rotationOverlaps = [0, 1, 7] as const;
const dayMs = 24 * 60 * 60_000;

export interface RotationRequest {
  owner: Owner;
  keyId: string;
  /** How long the old secret keeps working; 0 ends it at once. */
  overlapMs: number;
}

/** `recheck` returns the latest time at which the key may end, which is when the key that requests the rotation ends; null for no limit. */
type Rotator =
  | { by: Actor; recheck: (tx: Connection, known: ApiKey) => Promise<number | null> }
  | { by: Exclude<AuditEntry['actor'], Actor>; recheck?: undefined };

export type RotateKey = (request: RotationRequest & Rotator) => Promise<{ key: string; record: ApiKey }>;

/**
 * Gives a key a new secret and extends it by its original lifetime, but not beyond the end of the key that requests the rotation.
 * Scopes and restrictions stay the same. A secret left over from the previous rotation stops working. Throws `NotFound` if the
 * key has ended.
 */
export function createRotateKey(deps: { data: Data; now: () => number; wakeOutbox?: () => void }): RotateKey {
  return async ({ owner, keyId, overlapMs, by, recheck }) => {
    const key = newApiKey();
    const at = deps.now();
    const record = await deps.data.transaction(async (tx) => {
      const known = await requireKey(tx, owner, keyId);
      if (!isUsable(known, at)) throw unknownKey(owner, keyId);
      if (owner.kind === 'user') await requireSessionForKeys(tx, by);
      const { expiresAt: before } = known;
      const lifetimeMs = before === null ? null : before - (known.rotatedAt ?? known.createdAt);
      const latest = (await recheck?.(tx, known)) ?? Number.POSITIVE_INFINITY;
      const expiresAt = lifetimeMs === null ? null : Math.min(at + lifetimeMs, latest);
      const previousUntil =
        overlapMs > 0 ? Math.min(at + overlapMs, before ?? Number.POSITIVE_INFINITY) : null;
      const next = { keyHash: hashApiKey(key), hint: hintOf(key), expiresAt, now: at, previousUntil };
      if (!(await keyQueries(tx).rotateKey(known, next))) throw conflict(keyTexts.errors.alreadyRotated);
      if (owner.kind === 'user') await workspaceGateQueries(tx).recordKey(keyId, signOnsOf(by));
      await scheduleKeyExpiry(tx, owner.id, { id: keyId, expiresAt }, at);
      await scheduleSecretEnd(tx, owner.id, { id: keyId, previousUntil }, at);
      const entry = { at, actor: by, action: 'key.rotated', ownerId: owner.id, subject: keyId };
      await auditQueries(tx).record({ ...entry, details: { overlapDays: overlapMs / dayMs } });
      const subject = `${known.name} (${next.hint}…)`.trim();
      await notifyKeyOwners(tx, owner, ['key-rotated', 'project-key-rotated'], { at, subject });
      return { ...known, hint: next.hint, expiresAt, rotatedAt: at, previousUntil };
    });
    deps.wakeOutbox?.();
    return { key, record };
  };
}

/** Ends the secret that a rotation replaced. Returns whether it still worked. */
export async function endPreviousSecret(
  data: Data,
  { owner, keyId, by, at }: { owner: Owner; keyId: string; by: AuditEntry['actor']; at: number },
): Promise<boolean> {
  await requireKey(data, owner, keyId);
  return data.transaction(async (tx) => {
    const ended = await keyQueries(tx).endPreviousSecret(owner.id, keyId, at);
    if (ended)
      await auditQueries(tx).record({
        at,
        actor: by,
        action: 'key.old-secret-ended',
        ownerId: owner.id,
        subject: keyId,
      });
    return ended;
  });
}
