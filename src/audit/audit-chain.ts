/**
 * The hash chain of the audit log. A seal commits to one entry and to the seal before it, and is written soon after the entry is
 * committed, because a chain inside the transactions of requests would let only one of them run at a time. Pure.
 *
 * - `entry_hash`: SHA-256 of the salt and the entry as a JSON array.
 * - `hash`: SHA-256 of `<previous hash> <number> <entry_hash>`.
 * - `waiver`: signature that lets the entry differ from its seal, because retention removed it or a person was erased from it.
 *   The salt is then deleted, so that nobody can guess names from the hash.
 *
 * The key that signs the newest seal and waivers is in the database only in encrypted form: someone who can write to the
 * database, but does not have the secret of the server, cannot make another chain.
 */
import { createHash, createHmac } from 'node:crypto';

/** A row of the audit log as it is stored. */
export interface StoredEntry {
  id: string;
  at: number;
  actorKind: string;
  actorId: string | null;
  actorName: string;
  action: string;
  ownerId: string | null;
  subject: string;
  /** JSON. */
  details: string;
}

export interface Seal {
  /** Numbers have no gaps. */
  seq: number;
  entryId: string;
  /** Null with a waiver. */
  salt: string | null;
  entryHash: string;
  hash: string;
  waiver: string | null;
}

/** The newest seal, or the last one that retention removed. */
export interface ChainLink {
  seq: number;
  hash: string;
}

/** The beginning of every chain. */
export const firstLink: ChainLink = { seq: 0, hash: '0'.repeat(64) };

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const entryText = (entry: StoredEntry) =>
  JSON.stringify([
    entry.id,
    entry.at,
    entry.actorKind,
    entry.actorId,
    entry.actorName,
    entry.action,
    entry.ownerId,
    entry.subject,
    entry.details,
  ]);

export const hashEntry = (salt: string, entry: StoredEntry) => sha256(`${salt} ${entryText(entry)}`);

export const hashSeal = (previous: string, { seq, entryHash }: Pick<Seal, 'seq' | 'entryHash'>) =>
  sha256(`${previous} ${seq} ${entryHash}`);

export interface ChainKey {
  signLink(role: 'head' | 'start', link: ChainLink): string;
  /** `entry`: as it is after the erasure; null if retention removed it. */
  signWaiver(seal: ChainLink, entry: StoredEntry | null): string;
}

export function createChainKey(key: Uint8Array): ChainKey {
  const sign = (...parts: readonly (string | number)[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
  return {
    signLink: (role, { seq, hash }) => sign(role, seq, hash),
    signWaiver: ({ seq, hash }, entry) =>
      entry === null ? sign('removed', seq, hash) : sign('erased', seq, hash, entryText(entry)),
  };
}
