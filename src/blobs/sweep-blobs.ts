import type { BlobKey } from './blob-key.ts';
import type { BlobStore, StoredBlob } from './blob-store.ts';

/**
 * A blob is written before the row that names it. Where another process may be writing, one that is younger than this may
 * still get its row.
 */
export const sweepAgeMs = 24 * 60 * 60 * 1000;

/** How many keys are asked about in one question to the database. */
export const sweepBatchSize = 500;

export interface Sweep {
  store: BlobStore;
  /** Which of at most `sweepBatchSize` keys some row names. */
  isNamed(keys: BlobKey[]): Promise<Set<BlobKey>>;
  /** Only what was written before; epoch milliseconds. */
  before: number;
  /** Blobs whose rows may still be coming, however old they look. */
  mayBeNamed?(key: BlobKey): boolean;
}

export interface SweepResult {
  removed: number;
  freedBytes: number;
  /** Blobs that stay: named, or perhaps about to be. */
  kept: number;
  /** Remains of puts that never ended. */
  leftovers: number;
}

/** Removes every blob that no row names or may come to name. When a question fails, the sweep rejects and what it has not asked about stays. */
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

export interface RememberedPuts {
  /** The same store; what is put through it is remembered from before it is there. */
  store: BlobStore;
  has(key: BlobKey): boolean;
  /** Nobody asks any more. */
  forget(): void;
}

/**
 * Tells what this process puts from what an earlier one left: no clock can, since clocks jump and file systems have
 * their own. Keys are fresh, so that one which was put once is this process's for as long as anybody asks.
 */
export function rememberPuts(store: BlobStore): RememberedPuts {
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
