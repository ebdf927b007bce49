import type { BlobKey } from './blob-key.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';

/**
 * A blob is written before the row that references it. If another process may be writing, the row of a blob younger than this may
 * still be missing.
 */
export const sweepAgeMs = 24 * 60 * 60 * 1000;

/** Keys per database query. */
export const sweepBatchSize = 500;

export interface Sweep {
  store: BlobStore;
  /** Returns which of the keys, at most `sweepBatchSize`, are referenced by a row. */
  isNamed(keys: BlobKey[]): Promise<Set<BlobKey>>;
  /** Removes only blobs written before this time; epoch milliseconds. */
  before: number;
  /** Keeps blobs whose rows may still be added, regardless of age. */
  mayBeNamed?(key: BlobKey): boolean;
}

export interface SweepResult {
  removed: number;
  freedBytes: number;
  /** Blobs that were kept: referenced, or about to be. */
  kept: number;
  /** Unfinished puts. */
  leftovers: number;
}

/**
 * Removes every blob that no row references or can still come to reference. If a query fails, the sweep rejects and keeps all
 * blobs not checked yet.
 */
export async function sweepBlobs(sweep: Sweep): Promise<SweepResult> {
  const result: SweepResult = { removed: 0, freedBytes: 0, kept: 0, leftovers: 0 };
  let batch: StoredBlob[] = [];
  for await (const blob of sweep.store.list('')) {
    if (blob.modifiedAt >= sweep.before || sweep.mayBeNamed?.(blob.key)) {
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
  result.leftovers = (await sweep.store.removeLeftovers?.(sweep.before)) ?? 0;
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

export interface TrackedPuts {
  /** The same store, but it records each key before the put. */
  store: BlobStore;
  has(key: BlobKey): boolean;
  /** Stops recording. */
  forget(): void;
}

/**
 * Records the blobs of this process, to distinguish them from those of an earlier one. Timestamps cannot: clocks jump, and file
 * systems have their own. Keys are never reused, so a recorded key always belongs to this process.
 */
export function trackPuts(store: BlobStore): TrackedPuts {
  let keys: Set<BlobKey> | null = new Set();
  return {
    store: {
      ...store,
      put(key, file) {
        keys?.add(key);
        return store.put(key, file);
      },
      putBytes(key, bytes) {
        keys?.add(key);
        return store.putBytes(key, bytes);
      },
    },
    has: (key) => keys?.has(key) ?? false,
    forget() {
      keys = null;
    },
  };
}
