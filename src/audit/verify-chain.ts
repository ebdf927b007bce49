/** Verifies the hash chain in the database, and copies of it. Reads in batches. */
import { reasonOf } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { type ChainKey, type ChainLink, firstLink, hashEntry, hashSeal } from './audit-chain.ts';
import { auditChainQueries, type SealedEntry } from './audit-chain-queries.ts';
import { isIntact, readAuditLine } from './audit-line.ts';
import type { AuditChain } from './seal-entries.ts';

export type ChainProblem =
  /** The entry differs from its seal. */
  | 'changed'
  /** The entry is missing, and retention did not remove it. */
  | 'deleted'
  /** The entry claims to have a seal. */
  | 'inserted'
  /** The entry says that it is much older than entries that were sealed before it. */
  | 'backdated'
  /** A seal is missing. */
  | 'gap'
  /** The seal does not follow the one before it. */
  | 'chain'
  /** The chain does not end or begin where this installation signed it, or cannot be checked. */
  | 'signature'
  /** The line of the copy has been changed. */
  | 'line'
  /** The line of the copy is not what the database has. */
  | 'differs';

export interface FoundProblem {
  problem: ChainProblem;
  seq: number | null;
  /** The id of the entry, or the reason. */
  about: string | null;
}

export interface Verified {
  entries: number;
  removed: number;
  erased: number;
  unsealed: number;
  head: ChainLink;
  /** At most `maxProblems`. */
  problems: FoundProblem[];
}

export const maxProblems = 100;
const atOnce = 500;
/** Longer than a transaction takes, plus the difference between clocks. */
const backdatedMs = 60 * 60_000;

/** `from`, `to`: numbers of seals, inclusive. */
export async function verifyChain(
  data: Data,
  chain: AuditChain,
  { from = 1, to = Number.MAX_SAFE_INTEGER }: { from?: number | undefined; to?: number | undefined } = {},
): Promise<Verified> {
  const queries = auditChainQueries(data);
  const result: Verified = { entries: 0, removed: 0, erased: 0, unsealed: 0, head: firstLink, problems: [] };
  const found = createFinder(result.problems);
  const signed = await readSigned(data, chain, found);
  if (signed === null) return result;
  const { key, start, head } = signed;
  let previous = start;
  if (from - 1 > start.seq) {
    const before = await queries.findSeal(from - 1);
    if (before) previous = { seq: before.seq, hash: before.hash };
  }
  let newest = 0;
  for (let done = false; !done; ) {
    const seals = await queries.listSealed(previous.seq, atOnce);
    done = seals.length < atOnce;
    for (const seal of seals) {
      if (seal.seq > to) {
        done = true;
        break;
      }
      if (seal.seq !== previous.seq + 1) found('gap', previous.seq + 1, null);
      else if (hashSeal(previous.hash, seal) !== seal.hash) found('chain', seal.seq, seal.entryId);
      newest = checkEntry(seal, key, newest, result, found);
      previous = { seq: seal.seq, hash: seal.hash };
    }
  }
  result.head = previous;
  if (to < head.seq) return result;
  if (previous.seq < head.seq) found('gap', previous.seq + 1, null);
  else if (previous.seq > head.seq || previous.hash !== head.hash)
    found('signature', previous.seq, 'newest seal');
  for (const id of await queries.listMarkedWithoutSeal(maxProblems)) found('inserted', null, id);
  result.unsealed = await queries.countUnsealed();
  return result;
}

type Find = (problem: ChainProblem, seq: number | null, about: string | null) => void;

const createFinder =
  (problems: FoundProblem[]): Find =>
  (problem, seq, about) => {
    if (problems.length < maxProblems) problems.push({ problem, seq, about });
  };

async function readSigned(data: Data, chain: AuditChain, found: Find) {
  if ((await auditChainQueries(data).readFact('audit-head')) === null) {
    for (const id of await auditChainQueries(data).listMarkedWithoutSeal(maxProblems))
      found('inserted', null, id);
    for (const { seq } of await auditChainQueries(data).listSealed(0, 1))
      found('signature', seq, 'no newest seal');
    return null;
  }
  try {
    const key = await chain.readKey(data);
    return { key, start: await chain.readLink(data, 'start'), head: await chain.readLink(data, 'head') };
  } catch (error) {
    found('signature', null, reasonOf(error));
    return null;
  }
}

/** Returns the newest time so far. */
function checkEntry(seal: SealedEntry, key: ChainKey, newest: number, result: Verified, found: Find): number {
  const { seq, entry, salt, waiver } = seal;
  if (entry === null) {
    result.removed += 1;
    if (waiver !== key.signWaiver(seal, null)) found('deleted', seq, seal.entryId);
    return newest;
  }
  result.entries += 1;
  const isErased = waiver !== null;
  if (isErased) result.erased += 1;
  const isSame = isErased
    ? waiver === key.signWaiver(seal, entry)
    : salt !== null && hashEntry(salt, entry) === seal.entryHash;
  if (!isSame || !seal.isMarked) found('changed', seq, seal.entryId);
  if (entry.at < newest - backdatedMs) found('backdated', seq, seal.entryId);
  return Math.max(newest, entry.at);
}

export interface VerifiedCopy {
  lines: number;
  /** Lines that the receiver got more than once. */
  repeated: number;
  /** Lines that end early, because the receiver stopped while they were written. */
  incomplete: number;
  first: number | null;
  last: number | null;
  problems: FoundProblem[];
}

/** Verifies an exported stream: each line, their order, and whether the database has the same hashes. */
export async function verifyCopy(data: Data, lines: AsyncIterable<string>): Promise<VerifiedCopy> {
  const result: VerifiedCopy = {
    lines: 0,
    repeated: 0,
    incomplete: 0,
    first: null,
    last: null,
    problems: [],
  };
  const found = createFinder(result.problems);
  const compare = createComparison(data);
  let previous: ChainLink | null = null;
  for await (const text of lines) {
    if (text.trim() === '') continue;
    const line = readAuditLine(text);
    if (line === null) {
      result.incomplete += 1;
      continue;
    }
    result.lines += 1;
    const { seq, hash } = line;
    if (!isIntact(line)) found('line', seq, line.entry?.id ?? null);
    if (!(await compare(line))) found('differs', seq, line.entry?.id ?? null);
    if (previous !== null && seq <= previous.seq) {
      result.repeated += 1;
      continue;
    }
    if (previous !== null && seq !== previous.seq + 1) found('gap', previous.seq + 1, null);
    else if (previous !== null && line.previous !== previous.hash) found('chain', seq, null);
    result.first ??= seq;
    result.last = seq;
    previous = { seq, hash };
  }
  return result;
}

/** Compares hashes with those that the database still has. Reads them in batches, because lines are in order. */
function createComparison(data: Data) {
  const queries = auditChainQueries(data);
  let known = new Map<number, string>();
  let start: number | null = null;
  return async ({ seq, hash }: { seq: number; hash: string }): Promise<boolean> => {
    start ??= Number((await queries.readFact('audit-start'))?.split(' ')[0] ?? 0);
    if (seq <= start) return true;
    if (!known.has(seq))
      known = new Map((await queries.listSealed(seq - 1, atOnce)).map((seal) => [seal.seq, seal.hash]));
    return known.get(seq) === hash;
  };
}
