/** Verifies that a stored blob is unchanged: it exists, its size is that in its row, and its bytes match the hash. */

import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { errorTexts } from '../core/error-texts.ts';
import { AppError } from '../core/errors.ts';
import { errorCode } from '../core/file-errors.ts';
import type { BlobKey } from './blob-key.ts';
import type { BlobStore } from './blob-store.ts';

export const blobErrors = ['missing', 'wrong-size', 'wrong-bytes', 'unreadable'] as const;
export type DamageReason = (typeof blobErrors)[number];

/** Thrown if a blob referenced by a row cannot be sent. Operators find it in the log and with `slipway doctor --files`. */
export class DamagedBlob extends AppError {
  override name = 'DamagedBlob';

  constructor(key: string, reason: DamageReason) {
    const { damaged, damage } = errorTexts.files;
    super('unavailable', damaged({ reason: damage[reason] }), {
      cause: new Error(`${key}: ${reason}`),
    });
  }
}

export interface ExpectedBlob {
  key: BlobKey;
  /** Null if unknown. */
  sizeBytes: number | null;
  /** Hexadecimal; null if unknown. */
  sha256: string | null;
}

/** The last chunk of every PNG (W3C PNG, section 11.2.5), to verify icons, whose size is not stored. */
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex');

export const endsLikePng = (bytes: Buffer) => bytes.subarray(-pngEnd.length).equals(pngEnd);

export async function findSizeError(
  store: BlobStore,
  { key, sizeBytes }: ExpectedBlob,
): Promise<DamageReason | null> {
  const size = await store.size(key);
  if (size === null) return 'missing';
  return sizeBytes === null || size === sizeBytes ? null : 'wrong-size';
}

/** Waits until this many more bytes may be read. Rejects if reading must stop. */
export type Pace = (byteCount: number) => Promise<void>;

/** Reads the whole blob. For an icon, whose size is not stored, checks its end. */
export async function verifyBlob(
  store: BlobStore,
  expected: ExpectedBlob,
  pace: Pace,
): Promise<DamageReason | null> {
  const opened = await store.open(expected.key);
  if (opened === null) return 'missing';
  try {
    if (expected.sizeBytes !== null && opened.sizeBytes !== expected.sizeBytes) return 'wrong-size';
    const hash = createHash('sha256');
    let readBytes = 0;
    let end = Buffer.alloc(0);
    for await (const chunk of opened.stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      readBytes += chunk.length;
      end = Buffer.concat([end, chunk.subarray(-pngEnd.length)]).subarray(-pngEnd.length);
      await pace(chunk.length);
    }
    if (readBytes !== opened.sizeBytes) return 'wrong-size';
    if (expected.sizeBytes === null) return endsLikePng(end) ? null : 'wrong-size';
    return expected.sha256 === null || hash.digest('hex') === expected.sha256 ? null : 'wrong-bytes';
  } catch (error) {
    if (errorCode(error) === 'EIO') return 'unreadable';
    throw error;
  } finally {
    opened.stream.destroy();
  }
}

/** Limits reading to this many bytes per second on average, starting with the first call. */
export function createPace(bytesPerSecond: number, signal?: AbortSignal): Pace {
  const startedAt = performance.now();
  let bytes = 0;
  return async (byteCount) => {
    signal?.throwIfAborted();
    bytes += byteCount;
    const aheadMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    // Timers are not more precise than this, and a stream has many small chunks.
    if (aheadMs > 10) await pause(aheadMs, undefined, { signal });
  };
}
