/** The port to bytes that live outside the database, and its promises. `test/contracts/blob-store.ts` holds every store to them. */
import type { Readable } from 'node:stream';
import { AppError } from '../core/errors.ts';
import type { BlobKey } from './blob-key.ts';

/**
 * Bytes under a key. Every key is written at most once, and a blob never changes: it is there entirely or not at all,
 * for every reader and after a power cut. Every method rejects with InvalidBlobKey on a key that `blob-key.ts` did not make.
 */
export interface BlobStore {
  /**
   * Stores the file and returns once it is durable. The store may take the file over by a hard link: afterwards the
   * caller may unlink its own path, but must never write to the file again. Rejects with BlobExists when the key is
   * taken (of several puts at once exactly one succeeds), with BlobStoreFull without space, and when the file is not
   * `sizeBytes` long; a rejected put leaves nothing behind.
   */
  put(key: BlobKey, file: LocalFile): Promise<void>;
  /** The same for bytes in memory, for what is small by nature such as an icon. */
  putBytes(key: BlobKey, bytes: Uint8Array): Promise<void>;
  /**
   * Opens the blob or one range of it; null when there is none. Rejects with RangeError when the range starts past the
   * end. The caller must read the stream to its end or destroy it. A blob removed meanwhile is still read to its end.
   */
  open(key: BlobKey, range?: ByteRange): Promise<OpenBlob | null>;
  /** Size of the blob in bytes; null when it does not exist. */
  size(key: BlobKey): Promise<number | null>;
  /** Removes the blob; absent is fine. A power cut may bring it back, as litter for the sweep. */
  remove(key: BlobKey): Promise<void>;
  /** All blobs whose key starts with `prefix`, in no promised order; `''` lists all. What is not a blob is not listed. */
  list(prefix: string): AsyncIterable<StoredBlob>;
  /** Where the blob lies as a file that may be read, never written, on a store that keeps files. */
  localPath?(key: BlobKey): string;
  /** The folder in which `localPath` lies. */
  root?: string;
  /** A time-limited address from which a client gets the blob directly, where the store can give one. */
  link?(key: BlobKey, options: LinkOptions): Promise<URL>;
  /**
   * Removes what puts that never ended (a killed process) left behind, as far as it is older than `before` (epoch
   * milliseconds), and returns how many. Puts under way in this process are left alone.
   */
  removeLeftovers?(before: number): Promise<number>;
  /** Resolves when the store answers; rejects with the reason. Cheap, and writes nothing. */
  ping(): Promise<void>;
  /** Resolves when blobs can be written, proven by writing at least one byte, and cleans up after itself; rejects with the reason. */
  check(): Promise<void>;
}

export interface LocalFile {
  path: string;
  sizeBytes: number;
  /** The file's bytes have been fsynced already, so the store need not. */
  synced?: boolean;
}

/** Byte positions as in RFC 9110 section 14.1.2: both inclusive, the first byte is 0. A `last` past the end is cut. */
export interface ByteRange {
  first: number;
  last: number;
}

export interface OpenBlob {
  /** Of the whole blob, whatever range was opened. */
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
  /** What the answer at the link says of itself (RFC 9110, section 8.3, and RFC 6266). */
  contentType: string;
  contentDisposition?: string;
}

/** The key was written before. A defect of the caller: keys are made fresh. */
export class BlobExists extends Error {
  override name = 'BlobExists';

  constructor(key: BlobKey) {
    super(`a blob is stored under ${key} already`);
  }
}

export class BlobStoreFull extends AppError {
  override name = 'BlobStoreFull';

  constructor(cause?: unknown) {
    super('no_space', 'there is not enough space left to store the file', { cause });
  }
}

/** Holds a range to a blob's size: the positions to read, both inclusive. Throws RangeError. */
export function clampRange(range: ByteRange, sizeBytes: number): ByteRange {
  const { first, last } = range;
  const sound = Number.isSafeInteger(first) && Number.isSafeInteger(last) && first >= 0 && first <= last;
  if (!sound || first >= sizeBytes) {
    throw new RangeError(`bytes ${first}-${last} are not in a blob of ${sizeBytes} bytes`);
  }
  return { first, last: Math.min(last, sizeBytes - 1) };
}
