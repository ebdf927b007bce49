/** The interface for bytes stored outside the database, and its guarantees. `test/contracts/blob-store.ts` tests every implementation. */

import type { Readable } from 'node:stream';
import { errorTexts } from '../core/error-texts.ts';
import { AppError } from '../core/errors.ts';
import type { BlobKey } from './blob-key.ts';

/**
 * Bytes under a key. Every key is written at most once, and a blob never changes. Every reader sees either the whole
 * blob or none, even after a power loss. Every method rejects with InvalidBlobKey for a key that `blob-key.ts` did
 * not create.
 */
export interface BlobStore {
  /**
   * Stores the file and returns once it is durable. The store may hard-link the file: afterwards the caller may unlink its own
   * path, but must never write to the file again. Rejects with BlobExists if the key exists (of several concurrent puts exactly
   * one succeeds), with BlobStoreFull if there is no space, and if the file’s size is not `sizeBytes`. A rejected put leaves
   * nothing behind.
   */
  put(key: BlobKey, file: LocalFile): Promise<void>;
  /** Like `put`, for bytes in memory: for small blobs such as icons. */
  putBytes(key: BlobKey, bytes: Uint8Array): Promise<void>;
  /**
   * Opens the blob or one range of it; null if it does not exist. Rejects with RangeError if the range starts past the end. The
   * caller must read the stream to its end or destroy it. A blob that is removed in the meantime can still be read to its end.
   */
  open(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null>;
  /** Size of the blob in bytes; null if it does not exist. */
  size(key: BlobKey): Promise<number | null>;
  /** Removes the blob, if it exists. After a power loss it may reappear; the sweep then removes it. */
  remove(key: BlobKey): Promise<void>;
  /** Lists all blobs whose key starts with `prefix`, in any order; `''` lists all. Skips objects that are not blobs. */
  list(prefix: string): AsyncIterable<StoredBlob>;
  /** Path of the blob as a read-only file, on a store that uses files. */
  localPath?(key: BlobKey): string;
  /** The folder that contains every `localPath`. */
  root?: string;
  /** A time-limited address from which clients download the blob directly, if the store supports it. */
  link?(key: BlobKey, options: LinkOptions): Promise<URL>;
  /** Writes a blob part by part, on a store that keeps parts of unfinished blobs. */
  parts?: BlobParts;
  /**
   * Removes unfinished puts of killed processes that are older than `before` (epoch milliseconds), and returns their
   * number. Puts in progress in this process are kept.
   */
  removeLeftovers?(before: number): Promise<number>;
  /** Resolves if the store answers, otherwise rejects with the reason. Cheap and read-only. */
  ping(): Promise<void>;
  /** Resolves if writing at least one byte and deleting it succeeds, otherwise rejects with the reason. */
  check(): Promise<void>;
}

/** A blob that is written in parts, possibly by several processes. */
export interface BlobParts {
  /** The size of all parts except the last. */
  partBytes(blobBytes: number): number;
  /** Returns what identifies the unfinished blob. */
  begin(key: BlobKey): Promise<string>;
  /** Stores a part and returns its tag. A part with the same number replaces an earlier one. */
  put(blob: UnfinishedBlob, number: number, range: FileRange): Promise<string>;
  /** Stores bytes of a file as a separate blob. */
  putRange(key: BlobKey, range: FileRange): Promise<void>;
  /** Creates the blob from the parts, in ascending order. May be repeated. Returns false if the parts are gone. */
  complete(blob: UnfinishedBlob, parts: readonly { number: number; tag: string }[]): Promise<boolean>;
  /** Removes the parts, if the blob is unfinished. */
  abort(blob: UnfinishedBlob): Promise<void>;
}

export interface UnfinishedBlob {
  key: BlobKey;
  id: string;
}

export interface FileRange {
  path: string;
  first: number;
  length: number;
}

export interface LocalFile {
  path: string;
  sizeBytes: number;
  /** The file’s bytes are already fsynced, so the store does not have to. */
  synced?: boolean;
  /** A blob with the bytes of the file, which `complete` creates, so that they need not be put again. */
  stored?: { key: BlobKey; complete(): Promise<void> };
}

/**
 * Byte positions as in RFC 9110, section 14.1.2: both inclusive, the first byte is 0. A `last` past the end is
 * clamped.
 */
export interface ByteRange {
  first: number;
  last: number;
}

export interface OpenBlob {
  /** Size of the whole blob, regardless of the range. */
  sizeBytes: number;
  /** The bytes of the range. */
  stream: Readable;
}

export interface StoredBlob {
  key: BlobKey;
  sizeBytes: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

export interface LinkOptions {
  expiresInSeconds: number;
  /** Response headers of the link (RFC 9110, section 8.3, and RFC 6266). */
  contentType: string;
  contentDisposition?: string;
}

/** The key was already written, which is a bug in the caller: keys must be new. */
export class BlobExists extends Error {
  override name = 'BlobExists';

  constructor(key: BlobKey) {
    super(`a blob with the key ${key} already exists`);
  }
}

export class BlobStoreFull extends AppError {
  override name = 'BlobStoreFull';

  constructor(cause?: unknown) {
    super('no_space', errorTexts.files.noSpaceToStore, { cause });
  }
}

/** Clamps a range to a blob’s size and returns its positions, both inclusive. Throws RangeError. */
export function clampRange(range: ByteRange, sizeBytes: number): ByteRange {
  const { first, last } = range;
  const sound = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (!sound || first >= sizeBytes) {
    throw new RangeError(`bytes ${first}-${last} are not in a blob of ${sizeBytes} bytes`);
  }
  return { first, last: Math.min(last, sizeBytes - 1) };
}
