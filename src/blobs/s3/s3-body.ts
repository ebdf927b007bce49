/** The body of a put, from a file or memory. It is read again for every attempt, in small pieces. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FileRange, LocalFile } from '../blob-store.ts';
import { collectAfter } from '../collect-chunks.ts';

/** Read size. A larger one would use more memory for each part in progress. */
const chunkBytes = 256 * 1024;

export interface S3Body {
  sizeBytes: number;
  /** SHA-256 of `length` bytes from `first`, in hexadecimal. Rejects if there are fewer. */
  sha256(first: number, length: number): Promise<string>;
  /** The same bytes; `length` may be 0. */
  read(first: number, length: number): Readable;
}

/** Rejects if the file’s size differs from `sizeBytes`. */
export async function fileBody({ path, sizeBytes }: LocalFile): Promise<S3Body> {
  const { size } = await stat(path);
  if (size !== sizeBytes) throw new Error(`the file has ${size} bytes instead of ${sizeBytes}`);
  return rangeBody({ path, first: 0, length: sizeBytes });
}

/** Bytes of a file that may still grow. */
export const rangeBody = ({ path, first: start, length: sizeBytes }: FileRange): S3Body => ({
  sizeBytes,
  sha256: (first, length) => hashFile(path, start + first, length),
  read: (first, length) => readFile(path, start + first, length),
});

function readFile(path: string, first: number, length: number): Readable {
  if (length === 0) return Readable.from([]);
  const range = { start: first, end: first + length - 1, highWaterMark: chunkBytes };
  // A listener would make an unpaused stream flow before anyone reads it.
  return createReadStream(path, range)
    .pause()
    .on('data', (chunk) => collectAfter(chunk.length));
}

/** Reuses one buffer, because a stream would produce as much garbage as it reads. */
async function hashFile(path: string, first: number, length: number): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, length));
  const file = await open(path);
  try {
    for (let done = 0; done < length; ) {
      const wanted = Math.min(buffer.length, length - done);
      const { bytesRead } = await file.read(buffer, 0, wanted, first + done);
      if (bytesRead === 0) throw new Error(`the file ends ${length - done} bytes early`);
      hash.update(buffer.subarray(0, bytesRead));
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

export function memoryBody(bytes: Uint8Array): S3Body {
  const own = Buffer.from(bytes);
  const part = (first: number, length: number) => own.subarray(first, first + length);
  return {
    sizeBytes: own.length,
    sha256: async (first, length) => createHash('sha256').update(part(first, length)).digest('hex'),
    read: (first, length) => Readable.from(length === 0 ? [] : [part(first, length)], { objectMode: false }),
  };
}
