/** The file of an APK, written from start to end, and the digests for its signature. */
import { createHash } from 'node:crypto';
import { say } from '../../messages/package-messages.ts';
import { UnreadablePackage } from '../../package-info.ts';
import {
  maxApkBytes,
  maxApkEntries,
  type WrittenEntry,
  writeDirectoryEntry,
  writeEndOfDirectory,
  writeLocalHeader,
} from '../../zip/write-zip.ts';

/** Chunk size of the digests in APK Signature Scheme v2. */
const chunkBytes = 1024 * 1024;

export interface WrittenApk {
  sizeBytes: number;
  /** Lowercase hexadecimal. */
  sha256: string;
}

export interface ApkOutput {
  /**
   * Writes the header of an entry, to be followed by its data.
   * @throws UnreadablePackage above the limits of an APK
   */
  beginEntry(entry: WrittenEntry): Promise<void>;
  write(bytes: Buffer): Promise<void>;
  /** Writes the signing block, if any, and the directory. */
  finish(sign: ((digest: Buffer) => Buffer) | null): Promise<WrittenApk>;
}

/** A file, or memory. */
export interface ApkFile {
  write(bytes: Buffer, offset: number, length: number): Promise<{ bytesWritten: number }>;
}

/**
 * @param digestName hash of the chunks
 * @param maxBytes at most `maxApkBytes`
 */
export function createApkOutput(file: ApkFile, digestName: 'sha256' | 'sha512', maxBytes: number): ApkOutput {
  const directory: Buffer[] = [];
  const digests: Buffer[] = [];
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const sha256 = createHash('sha256');
  let [position, filled] = [0, 0];

  const requireSpace = (bytes: number) => {
    if (position + bytes <= maxBytes) return;
    throw new UnreadablePackage(say(maxBytes < maxApkBytes ? 'bundle-over-limit' : 'bundle-too-large'));
  };
  const digestChunk = (bytes: Buffer) => {
    const head = Buffer.alloc(5, 0xa5);
    head.writeUInt32LE(bytes.length, 1);
    digests.push(createHash(digestName).update(head).update(bytes).digest());
  };
  const writeOut = async (bytes: Buffer) => {
    sha256.update(bytes);
    await writeAll(file, bytes);
  };
  const flush = async () => {
    const bytes = chunk.subarray(0, filled);
    if (filled > 0) digestChunk(bytes);
    await writeOut(bytes);
    filled = 0;
  };
  const write = async (bytes: Buffer) => {
    position += bytes.length;
    for (let done = 0; done < bytes.length; ) {
      const copied = bytes.copy(chunk, filled, done);
      done += copied;
      filled += copied;
      if (filled === chunkBytes) await flush();
    }
  };
  return {
    write,
    beginEntry: async (entry) => {
      if (directory.length === maxApkEntries) throw new UnreadablePackage(say('bundle-too-large'));
      requireSpace(entry.compressedBytes);
      directory.push(writeDirectoryEntry(entry, position));
      await write(writeLocalHeader(entry, position));
    },
    finish: async (sign) => {
      await flush();
      const directoryBytes = Buffer.concat(directory);
      const endAt = (start: number) => writeEndOfDirectory(directory.length, directoryBytes.length, start);
      for (const part of [directoryBytes, endAt(position)])
        for (let start = 0; start < part.length; start += chunkBytes)
          digestChunk(part.subarray(start, start + chunkBytes));
      const block = sign ? sign(digestOfChunks()) : Buffer.alloc(0);
      const end = Buffer.concat([block, directoryBytes, endAt(position + block.length)]);
      requireSpace(end.length);
      await writeOut(end);
      return { sizeBytes: position + end.length, sha256: sha256.digest('hex') };
    },
  };

  function digestOfChunks(): Buffer {
    const head = Buffer.alloc(5, 0x5a);
    head.writeUInt32LE(digests.length, 1);
    return createHash(digestName).update(head).update(Buffer.concat(digests)).digest();
  }
}

async function writeAll(file: ApkFile, bytes: Buffer): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done)).bytesWritten;
}
