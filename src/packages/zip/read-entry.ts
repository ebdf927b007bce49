import { Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { DirectoryEntry } from './central-directory.ts';
import type { RandomAccessFile } from './zip-archive.ts';

const localHeaderSignature = 0x04034b50;
const localHeaderBytes = 30;
const encryptedFlags = 0x0001 | 0x0040 | 0x2000;
const dataDescriptorFlag = 0x0008;
const streamChunkBytes = 256 * 1024;
/** The maximum expansion of deflate: 1032 to 1, according to zlib's technical notes. */
export const maxDeflateRatio = 1032;

export type CompressionMethod = 'stored' | 'deflated';

/** Returns the compression of the entry. @throws UnreadablePackage for a method other than stored and deflated */
export function packingOf(entry: DirectoryEntry): CompressionMethod {
  if (entry.method === 0) return 'stored';
  if (entry.method === 8) return 'deflated';
  throw refused(entry, `uses the compression method ${entry.method}`);
}

/**
 * Returns the entry's content in one buffer, after checking the CRC. The caller must check that `uncompressedBytes` is within its
 * limit.
 * @throws UnreadablePackage if the entry is encrypted, or does not match its local header or the directory
 */
export async function readEntry(
  file: RandomAccessFile,
  entry: DirectoryEntry,
  packing: CompressionMethod,
): Promise<Buffer> {
  checkSizes(entry, packing);
  const position = await readDataPosition(file, entry);
  const packed = await file.read(position, entry.compressedBytes);
  const content = packing === 'stored' ? packed : inflate(entry, packed);
  if (content.length !== entry.uncompressedBytes)
    throw refused(entry, 'does not have the size that it states');
  if (crc32(content) !== entry.crc32) throw refused(entry, 'is damaged: its checksum is wrong');
  return content;
}

/** Like `readEntry`, as a stream that uses a few hundred kilobytes of memory. A failed check destroys it with `UnreadablePackage`. */
export function streamEntry(file: RandomAccessFile, entry: DirectoryEntry): Readable {
  return Readable.from(checkedChunks(file, entry), { objectMode: false });
}

async function* checkedChunks(file: RandomAccessFile, entry: DirectoryEntry): AsyncGenerator<Buffer> {
  const packing = packingOf(entry);
  checkSizes(entry, packing);
  const position = await readDataPosition(file, entry);
  const packed = fileChunks(file, position, entry.compressedBytes);
  let total = 0;
  let checksum = 0;
  for await (const chunk of packing === 'stored' ? packed : inflatedChunks(entry, packed)) {
    total += chunk.length;
    if (total > entry.uncompressedBytes) throw refused(entry, 'does not have the size that it states');
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (total !== entry.uncompressedBytes) throw refused(entry, 'does not have the size that it states');
  if (checksum !== entry.crc32) throw refused(entry, 'is damaged: its checksum is wrong');
}

async function* fileChunks(file: RandomAccessFile, position: number, length: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < length; done += streamChunkBytes) {
    yield await file.read(position + done, Math.min(streamChunkBytes, length - done));
  }
}

async function* inflatedChunks(
  entry: DirectoryEntry,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: streamChunkBytes });
  const source = Readable.from(packed);
  source.on('error', (cause) => inflater.destroy(cause));
  try {
    for await (const chunk of source.pipe(inflater)) yield chunk;
  } catch (cause) {
    throw cause instanceof UnreadablePackage
      ? cause
      : refused(entry, 'is damaged: it cannot be inflated', cause);
  } finally {
    source.destroy();
    inflater.destroy();
  }
}

function checkSizes(entry: DirectoryEntry, packing: CompressionMethod): void {
  if ((entry.flags & encryptedFlags) !== 0) throw refused(entry, 'is encrypted');
  if (packing === 'stored' && entry.compressedBytes !== entry.uncompressedBytes) {
    throw refused(entry, 'is stored but states two sizes');
  }
  if (packing === 'deflated' && entry.uncompressedBytes > entry.compressedBytes * maxDeflateRatio) {
    throw refused(entry, 'states a size that no deflated data can have');
  }
}

/**
 * Reads the local header, compares it with the directory, and returns the start of the data.
 * @see PKWARE APPNOTE 6.3.10, 4.3.7
 */
export async function readDataPosition(file: RandomAccessFile, entry: DirectoryEntry): Promise<number> {
  const header = await file.read(entry.localHeaderPosition, localHeaderBytes + entry.nameBytes.length);
  // offset 0: signature, 6: flags, 8: method, 14: crc, 18: compressed, 22: uncompressed, 26: name, 28: extra
  const flags = header.readUInt16LE(6);
  const sameName =
    header.readUInt16LE(26) === entry.nameBytes.length &&
    header.subarray(localHeaderBytes).equals(entry.nameBytes);
  if (
    header.readUInt32LE(0) !== localHeaderSignature ||
    !sameName ||
    header.readUInt16LE(8) !== entry.method
  ) {
    throw refused(entry, 'does not match the archive directory');
  }
  if ((flags & encryptedFlags) !== 0) throw refused(entry, 'is encrypted');
  const agrees =
    header.readUInt32LE(14) === entry.crc32 &&
    sizeAgrees(header.readUInt32LE(18), entry.compressedBytes) &&
    sizeAgrees(header.readUInt32LE(22), entry.uncompressedBytes);
  if ((flags & dataDescriptorFlag) === 0 && !agrees)
    throw refused(entry, 'does not match the archive directory');
  const position =
    entry.localHeaderPosition + localHeaderBytes + entry.nameBytes.length + header.readUInt16LE(28);
  if (position + entry.compressedBytes > entry.endsBefore) throw refused(entry, 'overlaps what follows it');
  return position;
}

/** A local size of 0xffffffff refers to a zip64 field; the zip64 field in the directory applies then. */
function sizeAgrees(local: number, bytes: number): boolean {
  return local === bytes || local === 0xffffffff;
}

function inflate(entry: DirectoryEntry, packed: Buffer): Buffer {
  const { uncompressedBytes } = entry;
  try {
    return inflateRawSync(packed, {
      maxOutputLength: Math.max(uncompressedBytes, 1),
      // A single chunk is not copied, and memory pages without data are never touched.
      chunkSize: Math.max(uncompressedBytes + 1, 64),
    });
  } catch (cause) {
    const tooLarge = cause instanceof RangeError;
    throw refused(
      entry,
      tooLarge ? 'does not have the size that it states' : 'is damaged: it cannot be inflated',
      cause,
    );
  }
}

function refused(entry: DirectoryEntry, what: string, cause?: unknown): UnreadablePackage {
  const name = entry.name.length > 120 ? `${entry.name.slice(0, 120)}…` : entry.name;
  return new UnreadablePackage(say('archive-entry-unreadable', { name, what }), { cause });
}
