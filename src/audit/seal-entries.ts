/** Seals committed entries, and releases those that retention removes or from which a person is erased. */
import { randomBytes } from 'node:crypto';
import { createEncryption } from '../core/encrypted-text.ts';
import { conflict } from '../core/errors.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Connection, Data } from '../db/data.ts';
import {
  type ChainKey,
  type ChainLink,
  createChainKey,
  firstLink,
  hashEntry,
  hashSeal,
  type StoredEntry,
} from './audit-chain.ts';
import {
  auditChainQueries,
  type ChainFact,
  type ExpiredEntries,
  type SealedEntry,
} from './audit-chain-queries.ts';

const keyBytes = 32;
const saltBytes = 16;
/** Keeps transactions short, because others wait on SQLite. */
export const sealedAtOnce = 200;

export const createAuditKeyEncryption = (secret: ServerSecret) => createEncryption(secret, 'audit log');
export const auditKeyOwner = 'audit-key';

/** The hash chain of an installation. Every method that writes runs in the transaction of the caller. */
export interface AuditChain {
  /** Seals the oldest entries without a seal. Returns how many. Throws `conflict` if the chain was changed by hand. */
  sealSome(tx: Connection): Promise<number>;
  /** Removes expired entries, anywhere in the chain. Returns how many. */
  removeSome(tx: Connection, expired: ExpiredEntries): Promise<number>;
  /** Replaces the texts of sealed entries. */
  rewrite(tx: Connection, changes: readonly { sealed: SealedEntry; entry: StoredEntry }[]): Promise<void>;
  /** Returns a link that this installation signed. Throws `conflict` otherwise. */
  readLink(connection: Connection, role: 'head' | 'start'): Promise<ChainLink>;
  /** The key for verification. Throws `conflict` if the chain has none yet. */
  readKey(connection: Connection): Promise<ChainKey>;
}

export function createAuditChain(secret: ServerSecret): AuditChain {
  const encryption = createAuditKeyEncryption(secret);
  const keyOf = (encrypted: string): ChainKey => {
    const key = encryption.decrypt(encrypted, auditKeyOwner);
    if (key === null) throw broken('its key was encrypted with a secret that this server does not have');
    return createChainKey(key);
  };
  const readKey = async (connection: Connection) => {
    const encrypted = await auditChainQueries(connection).readFact('audit-key');
    if (encrypted === null) throw broken('its key is missing');
    return keyOf(encrypted);
  };
  const lockKey = async (tx: Connection) => {
    const known = await auditChainQueries(tx).lockFact('audit-key');
    if (known !== null) return keyOf(known);
    const key = randomBytes(keyBytes);
    await auditChainQueries(tx).setFact('audit-key', encryption.encrypt(key, auditKeyOwner));
    return createChainKey(key);
  };
  const readLink = async (connection: Connection, role: 'head' | 'start', key?: ChainKey) => {
    const text = await auditChainQueries(connection).readFact(factOf(role));
    if (text === null) return firstLink;
    const [seq, hash = '', signature] = text.split(' ');
    const link = { seq: Number(seq), hash };
    if ((key ?? (await readKey(connection))).signLink(role, link) !== signature)
      throw broken(`the signature of its ${role === 'head' ? 'newest' : 'oldest'} seal is not valid`);
    return link;
  };
  const writeLink = (tx: Connection, role: 'head' | 'start', link: ChainLink, key: ChainKey) =>
    auditChainQueries(tx).setFact(factOf(role), `${link.seq} ${link.hash} ${key.signLink(role, link)}`);
  return {
    readKey,
    readLink: (connection, role) => readLink(connection, role),
    sealSome: async (tx) => {
      const queries = auditChainQueries(tx);
      // Also keeps other nodes from extending the chain at the same time.
      const key = await lockKey(tx);
      await queries.lockFact('audit-head');
      let head = await readLink(tx, 'head', key);
      const last = head.seq === 0 ? null : await queries.findSeal(head.seq);
      if (head.seq > 0 && last?.hash !== head.hash && (await readLink(tx, 'start', key)).seq !== head.seq)
        throw broken('its newest seal was changed');
      const entries = await queries.listUnsealed(sealedAtOnce);
      if (entries.length === 0) return 0;
      const seals = entries.map((entry) => {
        const salt = randomBytes(saltBytes).toString('base64url');
        const part = { seq: head.seq + 1, entryHash: hashEntry(salt, entry) };
        head = { seq: part.seq, hash: hashSeal(head.hash, part) };
        return { ...part, entryId: entry.id, salt, hash: head.hash, waiver: null };
      });
      await queries.addSeals(seals);
      await writeLink(tx, 'head', head, key);
      return seals.length;
    },
    removeSome: async (tx, expired) => {
      const queries = auditChainQueries(tx);
      const key = await lockKey(tx);
      const entries = await queries.listExpired(expired, sealedAtOnce);
      for (const sealed of entries) await queries.waive(sealed.seq, key.signWaiver(sealed, null));
      if (entries.length > 0) await queries.removeEntries(entries.map(({ entryId }) => entryId));
      await queries.lockFact('audit-start');
      const start = await readLink(tx, 'start', key);
      const removed = await removableSeals(tx, start, key);
      if (removed.seq > start.seq) {
        await writeLink(tx, 'start', removed, key);
        await queries.removeSeals(removed.seq);
      }
      return entries.length;
    },
    rewrite: async (tx, changes) => {
      const key = await lockKey(tx);
      for (const { sealed, entry } of changes) {
        await auditChainQueries(tx).replaceEntry(entry);
        await auditChainQueries(tx).waive(sealed.seq, key.signWaiver(sealed, entry));
      }
    },
  };
}

const factOf = (role: 'head' | 'start'): ChainFact => (role === 'head' ? 'audit-head' : 'audit-start');
const broken = (why: string) =>
  conflict(`the hash chain of the audit log is broken: ${why}. Run slipway audit verify`);

/** Keeps of the seals at the start of the chain whose entries are gone only the link before the rest. */
async function removableSeals(tx: Connection, start: ChainLink, key: ChainKey): Promise<ChainLink> {
  let last = start;
  for (const seal of await auditChainQueries(tx).listSealed(start.seq, sealedAtOnce)) {
    if (seal.entry !== null || seal.waiver !== key.signWaiver(seal, null)) break;
    last = seal;
  }
  return { seq: last.seq, hash: last.hash };
}

/** Seals everything. Returns how many entries. */
export async function sealAll(data: Data, chain: AuditChain): Promise<number> {
  for (let total = 0; ; ) {
    const count = await data.transaction((tx) => chain.sealSome(tx));
    total += count;
    if (count < sealedAtOnce) return total;
  }
}
