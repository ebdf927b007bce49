import type { BlobKey } from './blob-key.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';

/** A blob is written before the row that names it; one that is younger than this may still get its row. */
export const sweepAgeMs = 24 * 60 * 60 * 1000;

/** How many keys are asked about in one question to the database. */
export const sweepBatchSize = 500;

export interface Sweep {
  store: BlobStore;
  /** Which of at most `sweepBatchSize` keys some row names. */
  isNamed(keys: BlobKey[]): Promise<Set<BlobKey>>;
  /** Epoch milliseconds. */
  now: number;
  olderThanMs?: number;
}

export interface SweepResult {
  removed: number;
  freedBytes: number;
  /** Blobs that stay: named, or too young to judge. */
  kept: number;
  /** Remains of puts that never ended. */
  leftovers: number;
}

/**
 * Removes every blob that no row names and that is old enough for its row to have come. When a question fails, the
 * sweep rejects and what it has not asked about stays.
 */
export async function sweepBlobs(sweep: Sweep): Promise<SweepResult> {
  const before = sweep.now - (sweep.olderThanMs ?? sweepAgeMs);
  const result: SweepResult = { removed: 0, freedBytes: 0, kept: 0, leftovers: 0 };
  let batch: StoredBlob[] = [];
  for await (const blob of sweep.store.list('')) {
    if (blob.modifiedAt >= before) {
      result.kept += 1;
      continue;
    }
    batch.push(blob);
    if (batch.length === sweepBatchSize) {
      await sweepBatch(sweep, batch, result);
      batch = [];
    }
  }
  if (batch.length > 0) await sweepBatch(sweep, batch, result);
  result.leftovers = (await sweep.store.removeLeftovers?.(before)) ?? 0;
  return result;
}

async function sweepBatch(sweep: Sweep, batch: StoredBlob[], result: SweepResult): Promise<void> {
  const named = await sweep.isNamed(batch.map((blob) => blob.key));
  for (const blob of batch) {
    if (named.has(blob.key)) {
      result.kept += 1;
      continue;
    }
    await sweep.store.remove(blob.key);
    result.removed += 1;
    result.freedBytes += blob.sizeBytes;
  }
}
