/** Sends sealed entries to the receiver of the audit log in order, at least once, and stores the number of the last one. */
import { reasonOf } from '../core/errors.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Connection, Data } from '../db/data.ts';
import { firstLink } from './audit-chain.ts';
import { auditChainQueries } from './audit-chain-queries.ts';
import { auditLine } from './audit-line.ts';
import type { SendLines } from './audit-receivers.ts';
import { createAuditChain } from './seal-entries.ts';

/** What the receiver has. It is the same for every node, and stays when the receiver is replaced. */
export interface StreamState {
  /** Number of the last entry that it has; 0 for none. */
  seq: number;
  /** When it got that entry; null if never. */
  at: number | null;
  /** Failed attempts since then. */
  failures: number;
  error: string | null;
  /** When the next attempt is due. */
  retryAt: number;
}

export interface AuditStatus {
  unsealed: boolean;
  /** Number of the newest seal. */
  sealed: number;
  stream: StreamState;
}

const nothing: StreamState = { seq: 0, at: null, failures: 0, error: null, retryAt: 0 };
const linesAtOnce = 200;
/** A job stops after this time and leaves the rest to the next one. */
const maxRunMs = 60_000;
/** A receiver that was down for hours gets the rest within a minute after it is back. */
const maxPauseMs = 60_000;
const maxErrorCharacters = 300;

export async function readAuditStatus(connection: Connection): Promise<AuditStatus> {
  const queries = auditChainQueries(connection);
  return {
    unsealed: await queries.hasUnsealed(),
    sealed: Number((await queries.readFact('audit-head'))?.split(' ')[0] ?? 0),
    stream: toState(await queries.readFact('audit-stream')),
  };
}

/** Also checks the signature of the newest seal. Rejects with `conflict` if it is not valid. */
export async function checkAuditStatus(data: Data, secret: ServerSecret | null): Promise<AuditStatus> {
  if (secret !== null) await createAuditChain(secret).readLink(data, 'head');
  return readAuditStatus(data);
}

const toState = (text: string | null): StreamState => (text === null ? nothing : JSON.parse(text));

export const isStreamDue = ({ sealed, stream }: AuditStatus, now: number) =>
  sealed > stream.seq && stream.retryAt <= now;

/** Sends everything that is sealed, until the receiver fails. Returns the error; null without one. */
export async function streamEntries(
  data: Data,
  send: SendLines,
  now: () => number,
  uptimeMs: () => number = () => performance.now(),
): Promise<string | null> {
  const queries = auditChainQueries(data);
  let state = toState(await queries.readFact('audit-stream'));
  const until = uptimeMs() + maxRunMs;
  while (uptimeMs() < until) {
    const seals = await queries.listSealed(state.seq, linesAtOnce);
    const last = seals.at(-1);
    if (last === undefined) return null;
    let previous = (await linkBefore(data, seals[0]?.seq ?? 1)) ?? firstLink.hash;
    const lines = seals.map((seal) => {
      const text = auditLine(seal, previous);
      previous = seal.hash;
      return { seq: seal.seq, at: new Date(seal.entry?.at ?? now()).toISOString(), text };
    });
    try {
      await send(lines);
    } catch (error) {
      const failures = state.failures + 1;
      const pauseMs = Math.min(1000 * 2 ** failures, maxPauseMs);
      const reason = reasonOf(error).slice(0, maxErrorCharacters);
      await save(data, { ...state, failures, error: reason, retryAt: now() + pauseMs });
      return reason;
    }
    state = { seq: last.seq, at: now(), failures: 0, error: null, retryAt: 0 };
    await save(data, state);
  }
  return null;
}

/** Returns the hash before the seal: that of the seal before it, or of the last one that retention removed. */
async function linkBefore(data: Data, seq: number): Promise<string | null> {
  const queries = auditChainQueries(data);
  const seal = await queries.findSeal(seq - 1);
  return seal?.hash ?? (await queries.readFact('audit-start'))?.split(' ')[1] ?? null;
}

/** A node whose lease ended may still be sending what others have sent: the position never goes back. */
async function save(data: Data, state: StreamState): Promise<void> {
  await data.transaction(async (tx) => {
    const known = toState(await auditChainQueries(tx).lockFact('audit-stream'));
    if (known.seq <= state.seq) await auditChainQueries(tx).setFact('audit-stream', JSON.stringify(state));
  });
}
