import { createHash, type Hash } from 'node:crypto';
import type { RandomAccessFile, ZipArchive } from '../../zip/zip-archive.ts';
import type { ContentDigestKind } from './signature-algorithms.ts';
import { createVerityDigest } from './signature-verity-digest.ts';
import type { SigningBlock } from './signing-block.ts';

/** The chunk size of the digests and of the two read buffers. */
export const digestChunkBytes = 1024 * 1024;

interface Section {
  sizeBytes: number;
  /** May store the bytes in `into`. */
  read(offset: number, length: number, into: Buffer): Promise<Buffer>;
}

interface RunningDigest {
  chunk(bytes: Buffer): void;
  finish(): Buffer;
}

/**
 * Hashes the file without its APK Signing Block with each requested algorithm, in one pass and in constant memory.
 *
 * Hashed content: the zip entries up to the block; the central directory; the end record with the directory's position
 * replaced by the block's, as if the block were not there.
 *
 * @see https://source.android.com/docs/security/features/apksigning/v2#integrity-protected-contents
 */
export async function readContentDigests(
  archive: ZipArchive,
  block: SigningBlock,
  kinds: ReadonlySet<ContentDigestKind>,
): Promise<Map<ContentDigestKind, Buffer>> {
  const sections = await protectedSections(archive, block);
  let chunkCount = 0;
  for (const { sizeBytes } of sections) chunkCount += Math.ceil(sizeBytes / digestChunkBytes);
  const running = [...kinds].map((kind) => [kind, startDigest(kind, chunkCount)] as const);
  for await (const chunk of chunksOf(sections)) {
    for (const [, digest] of running) digest.chunk(chunk);
  }
  return new Map(running.map(([kind, digest]) => [kind, digest.finish()]));
}

async function protectedSections(archive: ZipArchive, block: SigningBlock): Promise<Section[]> {
  const { file, endOfCentralDirectoryPosition: endPosition } = archive;
  const endRecord = Buffer.from(await file.read(endPosition, file.sizeBytes - endPosition));
  endRecord.writeUInt32LE(block.position, 16);
  return [
    fileSection(file, 0, block.position),
    fileSection(file, archive.centralDirectoryPosition, archive.centralDirectoryBytes),
    {
      sizeBytes: endRecord.length,
      read: async (offset, length) => endRecord.subarray(offset, offset + length),
    },
  ];
}

function fileSection(file: RandomAccessFile, position: number, sizeBytes: number): Section {
  return { sizeBytes, read: (offset, length, into) => file.read(position + offset, length, into) };
}

/**
 * Chunks never cross sections. Reads the next chunk into one of two alternating buffers while the previous one is in use, so a
 * chunk is valid until the one after the next is requested.
 */
async function* chunksOf(sections: Section[]): AsyncGenerator<Buffer> {
  let [current, other] = [Buffer.allocUnsafeSlow(digestChunkBytes), Buffer.allocUnsafeSlow(digestChunkBytes)];
  for (const { sizeBytes, read } of sections) {
    const readAt = (offset: number) => {
      [current, other] = [other, current];
      return read(offset, Math.min(digestChunkBytes, sizeBytes - offset), current);
    };
    let next = sizeBytes > 0 ? readAt(0) : null;
    for (let offset = 0; next !== null; offset += digestChunkBytes) {
      const chunk: Buffer = await next;
      const nextOffset = offset + digestChunkBytes;
      next = nextOffset < sizeBytes ? readAt(nextOffset) : null;
      // A failed read must not become an unhandled rejection while the previous chunk is in use.
      next?.catch(() => undefined);
      yield chunk;
    }
  }
}

function startDigest(kind: ContentDigestKind, chunkCount: number): RunningDigest {
  if (kind === 'verity-sha256') {
    const digest = createVerityDigest();
    return { chunk: (bytes) => digest.update(bytes), finish: () => digest.finish() };
  }
  return startChunkedDigest(kind === 'chunked-sha256' ? 'sha256' : 'sha512', chunkCount);
}

/** Hash of 0x5a, uint32 number of chunks, and per chunk the hash of 0xa5, uint32 length and bytes. */
function startChunkedDigest(algorithm: 'sha256' | 'sha512', chunkCount: number): RunningDigest {
  const whole: Hash = createHash(algorithm).update(prefix(0x5a, chunkCount));
  return {
    chunk(bytes) {
      whole.update(createHash(algorithm).update(prefix(0xa5, bytes.length)).update(bytes).digest());
    },
    finish: () => whole.digest(),
  };
}

function prefix(marker: number, count: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(marker, 0);
  bytes.writeUInt32LE(count, 1);
  return bytes;
}
