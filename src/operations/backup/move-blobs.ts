/** Copies every blob referenced by a database from one store to another. An interrupted run can be repeated. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { BlobKey } from '../../blobs/blob-key.ts';
import { BlobExists, type BlobStore } from '../../blobs/blob-store.ts';
import type { Spool } from '../../blobs/spool/spool.ts';
import { sweepBatchSize } from '../../blobs/sweep-blobs.ts';
import { AppError, conflict, unavailable } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { sha256Of } from './backup-manifest.ts';
import { describeDamage, type ReferencedBlob, referencedBlobs } from './referenced-blobs.ts';

/** Concurrent blobs, each of which uses a file or a connection. The store limits the requests of large ones. */
const blobConcurrency = 8;

export interface MoveBlobsDeps {
  data: Data;
  source: BlobStore;
  target: BlobStore;
  /** Creates temporary files for blobs from a store without local files. */
  spool: Pick<Spool, 'receive'>;
  /** Whether builds may be added and removed at the same time. Missing blobs are then no error, and the final check is skipped. */
  ahead: boolean;
  /** Whether to read every package back and compare its hash. */
  verify: boolean;
  onBlob?: (moved: MoveResult) => void;
}

export interface MoveResult {
  count: number;
  sizeBytes: number;
  copied: number;
  /** Blobs copied by an earlier run. */
  present: number;
  /** Packages that were read back. */
  verified: number;
}

/**
 * Rejects with `conflict` if the target contains files of another installation, with `unavailable` if the database references
 * missing or changed files, and with errors of the stores. Copied blobs are kept for the next run.
 */
export async function moveBlobs(deps: MoveBlobsDeps): Promise<MoveResult> {
  await deps.target.check().catch(ofTarget);
  const before = await countReferenced(deps);
  if (before.count === 0 && before.others > 0) {
    throw conflict(
      `the target contains other files (${before.others}): use a separate bucket, prefix or folder`,
    );
  }
  const moved: MoveResult = { count: 0, sizeBytes: 0, copied: 0, present: 0, verified: 0 };
  const errors: string[] = [];
  await forEachAtOnce(referencedBlobs(deps.data), async (blob) => {
    const outcome = await moveBlob(deps, blob, before.count > 0);
    if ('problem' in outcome) {
      errors.push(`${blob.key} ${outcome.problem}`);
      return;
    }
    moved.count += 1;
    moved.sizeBytes += outcome.sizeBytes;
    moved[outcome.how] += 1;
    if (deps.verify && blob.sha256 !== null) {
      if ((await hashOf(deps.target, blob.key)) === blob.sha256) moved.verified += 1;
      else errors.push(`${blob.key} differs in the target from the upload`);
    }
    deps.onBlob?.(moved);
  });
  if (deps.ahead) return moved;
  if (errors.length > 0) {
    throw unavailable(
      `files are missing or differ from the database; restore them, or delete those builds:${describeDamage(errors)}`,
    );
  }
  await verifyComplete(deps, moved);
  return moved;
}

/** Marks an error as one of the target, because both stores may be of the same kind. */
function ofTarget(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError(error.kind, `the target: ${error.message}`, { cause: error });
}

/** Compares the number and total size of blobs listed by the target with the rows. */
async function verifyComplete(deps: MoveBlobsDeps, moved: MoveResult): Promise<void> {
  const { count, sizeBytes } = await countReferenced(deps);
  if (count === moved.count && sizeBytes === moved.sizeBytes) return;
  throw unavailable(
    `${moved.count} files of ${moved.sizeBytes} bytes were copied, but the target lists ${count} of ${sizeBytes} bytes: run this again`,
  );
}

/** Counts the blobs in the target: referenced ones with their size, and others. */
async function countReferenced({ data, target }: MoveBlobsDeps) {
  const found = { count: 0, sizeBytes: 0, others: 0 };
  let sizes = new Map<BlobKey, number>();
  const countSome = async () => {
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
    if (sizes.size === sweepBatchSize) await countSome();
  }
  if (sizes.size > 0) await countSome();
  return found;
}

type Outcome = { how: 'copied' | 'present'; sizeBytes: number } | { problem: string };

async function moveBlob(deps: MoveBlobsDeps, blob: ReferencedBlob, mayBePresent: boolean): Promise<Outcome> {
  const { source, target } = deps;
  const sizeBytes = blob.sizeBytes ?? (await source.size(blob.key));
  if (sizeBytes === null) return { problem: 'is missing' };
  const present = async (): Promise<Outcome | null> => {
    const found = await target.size(blob.key);
    if (found === null) return null;
    if (found === sizeBytes) return { how: 'present', sizeBytes };
    return { problem: `has ${found} bytes in the target instead of ${sizeBytes}` };
  };
  const earlier = mayBePresent ? await present() : null;
  if (earlier) return earlier;
  try {
    return await withFile(deps, { ...blob, sizeBytes }, async (path) => {
      await target.put(blob.key, { path, sizeBytes }).catch(ofTarget);
      return { how: 'copied', sizeBytes };
    });
  } catch (error) {
    if (!(error instanceof BlobExists)) throw error;
    return (await present()) ?? Promise.reject(error);
  }
}

type SizedBlob = ReferencedBlob & { sizeBytes: number };

/** Calls `work` with the blob as a local file that matches its row. */
async function withFile(
  deps: MoveBlobsDeps,
  blob: SizedBlob,
  work: (path: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { source } = deps;
  if (source.localPath) {
    const path = source.localPath(blob.key);
    const facts = await stat(path).catch(() => null);
    if (!facts) return { problem: 'is missing' };
    const problem = problemOf(blob, facts.size, blob.sha256 && (await sha256Of(path)));
    return problem ? { problem } : work(path);
  }
  const opened = await source.open(blob.key);
  if (!opened) return { problem: 'is missing' };
  try {
    if (opened.sizeBytes !== blob.sizeBytes)
      return { problem: problemOf(blob, opened.sizeBytes, null) ?? '' };
    const { sizeBytes } = blob;
    const file = await deps.spool.receive(opened.stream, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    try {
      const problem = problemOf(blob, file.sizeBytes, file.sha256);
      return problem ? { problem } : await work(file.path);
    } finally {
      await file.dispose();
    }
  } finally {
    opened.stream.destroy();
  }
}

function problemOf({ sizeBytes, sha256 }: SizedBlob, size: number, hash: string | null): string | null {
  if (size !== sizeBytes) return `has ${size} bytes instead of ${sizeBytes}`;
  return sha256 === null || hash === null || hash === sha256 ? null : 'differs from the upload';
}

async function hashOf(store: BlobStore, key: BlobKey): Promise<string | null> {
  const opened = await store.open(key);
  if (!opened) return null;
  const hash = createHash('sha256');
  await pipeline(opened.stream, hash);
  return hash.digest('hex');
}

/** After the first error, starts no more items and waits for the running ones. */
async function forEachAtOnce<T>(items: AsyncIterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const stop = new AbortController();
  const run = async (): Promise<void> => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done || stop.signal.aborted) return;
        await work(next.value);
      }
    } catch (error) {
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: blobConcurrency }, run));
  stop.signal.throwIfAborted();
}
