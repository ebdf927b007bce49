/** Blobs in memory, for tests and trials. Has every guarantee except durability. */
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { type BlobKey, parseBlobKey } from './blob-key.ts';
import { BlobExists, type BlobStore, clampRange, type StoredBlob } from './blob-store.ts';

interface Held {
  bytes: Uint8Array;
  modifiedAt: number;
}

export interface MemoryBlobStore extends BlobStore {
  /** Sorted. */
  keys(): BlobKey[];
}

/** `now` returns epoch milliseconds. */
export function createMemoryBlobStore(options: { now?: () => number } = {}): MemoryBlobStore {
  const now = options.now ?? Date.now;
  const blobs = new Map<BlobKey, Held>();

  const hold = (key: BlobKey, bytes: Uint8Array): void => {
    if (blobs.has(key)) throw new BlobExists(key);
    blobs.set(key, { bytes, modifiedAt: now() });
  };

  return {
    async put(key, file) {
      parseBlobKey(key);
      const bytes = await readFile(file.path);
      if (bytes.length !== file.sizeBytes) {
        throw new Error(`the file has ${bytes.length} bytes instead of ${file.sizeBytes}`);
      }
      hold(key, bytes);
    },

    async putBytes(key, bytes) {
      hold(parseBlobKey(key), Uint8Array.from(bytes));
    },

    async open(key, range) {
      const held = blobs.get(parseBlobKey(key));
      if (held === undefined) return null;
      const sizeBytes = held.bytes.length;
      const part = range === undefined ? { first: 0, last: sizeBytes - 1 } : clampRange(range, sizeBytes);
      const bytes = Buffer.from(held.bytes.subarray(part.first, part.last + 1));
      return { sizeBytes, stream: Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false }) };
    },

    size: async (key) => blobs.get(parseBlobKey(key))?.bytes.length ?? null,

    async remove(key) {
      blobs.delete(parseBlobKey(key));
    },

    async *list(prefix): AsyncGenerator<StoredBlob> {
      for (const [key, { bytes, modifiedAt }] of [...blobs]) {
        if (key.startsWith(prefix)) yield { key, sizeBytes: bytes.length, modifiedAt };
      }
    },

    async ping() {},

    async check() {},

    keys: () => [...blobs.keys()].sort(),
  };
}
