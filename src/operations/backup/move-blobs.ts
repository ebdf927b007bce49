/** Every blob that a database names, from one store into another. Ran it before and was cut, it goes on. */

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { BlobKey } from '../../blobs/blob-key.ts';
import { BlobExists, type BlobStore } from '../../blobs/blob-store.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { sweepBatchSize } from '../../blobs/sweep-blobs.ts';
import { AppError, conflict, unavailable } from '../../core/errors.ts';
import { forEachConcurrently } from '../../core/semaphore.ts';
import type { Data } from '../../db/data.ts';
import { sha256Of } from './backup-manifest.ts';
import { faultsInWords, type NamedBlob, namedBlobs } from './named-blobs.ts';

/** Each holds a file or a connection; the store shares out what large ones take. */
const blobsAtOnce = 8;

export interface MoveBlobsParts {
  data: Data;
  source: BlobStore;
  target: BlobStore;
  /** Where blobs of a store without files land on their way. */
  spool: Pick<Spool, 'receive'>;
  /** Builds come and go meanwhile: what went is no fault, and what the end will be is not judged. */
  ahead: boolean;
  /** Reads every package back and compares its hash. */
  verify: boolean;
  onBlob?: (moved: MovedBlobs) => void;
}

export interface MovedBlobs {
  count: number;
  sizeBytes: number;
  copied: number;
  /** Those that an earlier run had copied. */
  present: number;
  /** Packages that were read back. */
  verified: number;
}

/**
 * Rejects with `conflict` when the target holds another installation's files, with `unavailable` when the database names
 * what is not as it says, and with what a store says. What was copied until then stays for the next run.
 */
export async function moveBlobs(parts: MoveBlobsParts): Promise<MovedBlobs> {
  await parts.target.check().catch(ofTarget);
  const before = await countNamed(parts);
  if (before.count === 0 && before.others > 0) {
    throw conflict(
      `the target holds files of something else (${before.others}): give it a bucket, prefix or folder of its own`,
    );
  }
  const moved: MovedBlobs = { count: 0, sizeBytes: 0, copied: 0, present: 0, verified: 0 };
  const faults: string[] = [];
  await forEachConcurrently(namedBlobs(parts.data), blobsAtOnce, async (blob) => {
    const outcome = await moveBlob(parts, blob, before.count > 0);
    if ('fault' in outcome) {
      faults.push(`${blob.key} ${outcome.fault}`);
      return;
    }
    moved.count += 1;
    moved.sizeBytes += outcome.sizeBytes;
    moved[outcome.how] += 1;
    if (parts.verify && blob.sha256 !== null) {
      if ((await hashOf(parts.target, blob.key)) === blob.sha256) moved.verified += 1;
      else faults.push(`${blob.key} has other bytes in the target than those that were uploaded`);
    }
    parts.onBlob?.(moved);
  });
  if (parts.ahead) return moved;
  if (faults.length > 0) {
    throw unavailable(
      `files are not as the database says; put them right, or delete those builds:${faultsInWords(faults)}`,
    );
  }
  await requireAll(parts, moved);
  return moved;
}

/** Both may be stores of the same kind: says which one it was. */
function ofTarget(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError(error.kind, `the target: ${error.message}`, { cause: error });
}

/** What the target itself says, after all: as many, and as large together, as rows name. */
async function requireAll(parts: MoveBlobsParts, moved: MovedBlobs): Promise<void> {
  const { count, sizeBytes } = await countNamed(parts);
  if (count === moved.count && sizeBytes === moved.sizeBytes) return;
  throw unavailable(
    `${moved.count} files of ${moved.sizeBytes} bytes were copied, and the target lists ${count} of ${sizeBytes} bytes: run this again`,
  );
}

/** What lies in the target: of what rows name, how many and how large; and how many of others. */
async function countNamed({ data, target }: MoveBlobsParts) {
  const found = { count: 0, sizeBytes: 0, others: 0 };
  let sizes = new Map<BlobKey, number>();
  const judge = async () => {
    const named = await buildQueries(data).namedBlobs([...sizes.keys()]);
    for (const [key, sizeBytes] of sizes) {
      if (!named.has(key)) found.others += 1;
      else {
        found.count += 1;
        found.sizeBytes += sizeBytes;
      }
    }
    sizes = new Map();
  };
  for await (const { key, sizeBytes } of target.list('')) {
    sizes.set(key, sizeBytes);
    if (sizes.size === sweepBatchSize) await judge();
  }
  if (sizes.size > 0) await judge();
  return found;
}

type Outcome = { how: 'copied' | 'present'; sizeBytes: number } | { fault: string };

async function moveBlob(parts: MoveBlobsParts, blob: NamedBlob, mayBePresent: boolean): Promise<Outcome> {
  const { source, target } = parts;
  const sizeBytes = blob.sizeBytes ?? (await source.size(blob.key));
  if (sizeBytes === null) return { fault: 'is not there' };
  const present = async (): Promise<Outcome | null> => {
    const found = await target.size(blob.key);
    if (found === null) return null;
    if (found === sizeBytes) return { how: 'present', sizeBytes };
    return { fault: `has ${found} bytes in the target instead of ${sizeBytes}` };
  };
  const earlier = mayBePresent ? await present() : null;
  if (earlier) return earlier;
  try {
    return await withFile(parts, { ...blob, sizeBytes }, async (path) => {
      await target.put(blob.key, { path, sizeBytes }).catch(ofTarget);
      return { how: 'copied', sizeBytes };
    });
  } catch (error) {
    if (!(error instanceof BlobExists)) throw error;
    return (await present()) ?? Promise.reject(error);
  }
}

type SizedBlob = NamedBlob & { sizeBytes: number };

/** Gives `work` the blob as a file that was found to be what its row says. */
async function withFile(
  parts: MoveBlobsParts,
  blob: SizedBlob,
  work: (path: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { source } = parts;
  if (source.localPath) {
    const path = source.localPath(blob.key);
    const facts = await stat(path).catch(() => null);
    if (!facts) return { fault: 'is not there' };
    const fault = faultOf(blob, facts.size, blob.sha256 && (await sha256Of(path)));
    return fault ? { fault } : work(path);
  }
  const opened = await source.open(blob.key);
  if (!opened) return { fault: 'is not there' };
  try {
    if (opened.sizeBytes !== blob.sizeBytes) return { fault: faultOf(blob, opened.sizeBytes, null) ?? '' };
    const { sizeBytes } = blob;
    const file = await parts.spool.receive(opened.stream, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    try {
      const fault = faultOf(blob, file.sizeBytes, file.sha256);
      return fault ? { fault } : await work(file.path);
    } finally {
      await file.dispose();
    }
  } finally {
    opened.stream.destroy();
  }
}

function faultOf({ sizeBytes, sha256 }: SizedBlob, size: number, hash: string | null): string | null {
  if (size !== sizeBytes) return `has ${size} bytes instead of ${sizeBytes}`;
  return sha256 === null || hash === null || hash === sha256
    ? null
    : 'has other bytes than those that were uploaded';
}

async function hashOf(store: BlobStore, key: BlobKey): Promise<string | null> {
  const opened = await store.open(key);
  if (!opened) return null;
  const hash = createHash('sha256');
  await pipeline(opened.stream, hash);
  return hash.digest('hex');
}
