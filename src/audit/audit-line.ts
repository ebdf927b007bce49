/** The entry with its seal as one line of JSON, as receivers of the stream and `slipway audit export` get it. Pure. */
import * as v from 'valibot';
import { hashEntry, hashSeal } from './audit-chain.ts';
import type { SealedEntry } from './audit-chain-queries.ts';

const name = v.nullable(v.string());
const lineShape = v.object({
  seq: v.number(),
  /** Absent if the entry was removed, or a person was erased from it, before it was written here. */
  salt: v.optional(v.string()),
  entry: v.optional(
    v.object({
      id: v.string(),
      at: v.pipe(v.string(), v.isoTimestamp()),
      actor: v.object({ kind: v.string(), id: name, name: v.string() }),
      action: v.string(),
      owner: name,
      subject: v.string(),
      details: v.record(v.string(), v.unknown()),
    }),
  ),
  entryHash: v.string(),
  previous: v.string(),
  hash: v.string(),
});
export type AuditLine = v.InferOutput<typeof lineShape>;

/** `previous`: the hash of the seal before it. */
export function auditLine({ seq, salt, entryHash, hash, entry }: SealedEntry, previous: string): string {
  const content = entry && {
    id: entry.id,
    at: new Date(entry.at).toISOString(),
    actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
    action: entry.action,
    owner: entry.ownerId,
    subject: entry.subject,
    details: JSON.parse(entry.details),
  };
  return JSON.stringify({
    seq,
    ...(salt === null ? {} : { salt }),
    ...(content ? { entry: content } : {}),
    entryHash,
    previous,
    hash,
  } satisfies AuditLine);
}

/** Returns null for text that is not a whole line, for example because the receiver stopped while it was written. */
export function readAuditLine(text: string): AuditLine | null {
  try {
    const result = v.safeParse(lineShape, JSON.parse(text));
    return result.success ? result.output : null;
  } catch {
    return null;
  }
}

/** Whether the line has the hashes of its content. */
export function isIntact({ seq, salt, entry, entryHash, previous, hash }: AuditLine): boolean {
  const content = entry && {
    id: entry.id,
    at: Date.parse(entry.at),
    actorKind: entry.actor.kind,
    actorId: entry.actor.id,
    actorName: entry.actor.name,
    action: entry.action,
    ownerId: entry.owner,
    subject: entry.subject,
    details: JSON.stringify(entry.details),
  };
  const isContent = !salt || (content !== undefined && hashEntry(salt, content) === entryHash);
  return isContent && hashSeal(previous, { seq, entryHash }) === hash;
}
