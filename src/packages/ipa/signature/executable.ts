/** The main executable of an app as an entry of the archive: streamed once, in flat memory. */
import { UnreadablePackage } from '../../package-info.ts';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { readSequentially, type SequentialBytes } from '../asset-catalog/sequential-bytes.ts';
import {
  commandBytes,
  fatHeaderBytes,
  type MachOSlice,
  machHeaderBytes,
  readCommands,
  readSlices,
} from './mach-o.ts';

export interface ExecutableSlice extends MachOSlice {
  encrypted: boolean;
  /** The embedded signature as it stands; null when unsigned. */
  signature: Buffer | null;
  /** Bytes of the slice before its signature: what the signature has to cover. */
  codeBytes: number;
}

/** Caps on one executable. Apple's own limit for an app, all told, is 4 GB. */
interface ExecutableLimits {
  /** Inflated bytes of the entry. */
  maxBytes: number;
  /** Inflated to compressed size, asked only beyond `ratioFreeBytes`. */
  maxRatio: number;
  ratioFreeBytes: number;
  /** Bytes of one slice's signature: 72 for each 4 KiB page of 1 GiB take 18 MiB. */
  maxSignatureBytes: number;
}

export const executableLimits: ExecutableLimits = {
  maxBytes: 1024 * 1024 * 1024,
  maxRatio: 100,
  ratioFreeBytes: 32 * 1024 * 1024,
  maxSignatureBytes: 32 * 1024 * 1024,
};

/** The entry is there but is no executable that anyone could run; the message completes "the executable is malformed: …". */
export class MalformedExecutable extends Error {
  override name = 'MalformedExecutable';
}

/**
 * What each slice says of its signing; null when the entry is not Mach-O at all. Rejects with MalformedExecutable, and with
 * UnreadablePackage beyond the limits or when the archive itself is damaged.
 */
export async function readExecutable(
  archive: ZipArchive,
  entry: ZipEntry,
  limits: ExecutableLimits = executableLimits,
): Promise<ExecutableSlice[] | null> {
  checkSize(entry, limits);
  return withExecutable(archive, entry, async (bytes) => {
    const head = await bytes.readUpTo(0, fatHeaderBytes);
    const slices = readSlices(head, entry.uncompressedBytes);
    if (slices === null) return null;
    const found: ExecutableSlice[] = [];
    for (const slice of slices) found.push(await readSlice(bytes, head, slice, limits));
    return found;
  });
}

/** `head` are the bytes of the file that have been read already. */
async function readSlice(
  bytes: SequentialBytes,
  head: Buffer,
  slice: MachOSlice,
  limits: ExecutableLimits,
): Promise<ExecutableSlice> {
  const inHead = head.subarray(slice.position);
  const header =
    inHead.length >= machHeaderBytes ? inHead : await bytes.read(slice.position, machHeaderBytes);
  const wantedBytes = commandBytes(header);
  const commandsInHeader = header.subarray(0, wantedBytes);
  const rest = wantedBytes - commandsInHeader.length;
  const commands =
    rest > 0
      ? Buffer.concat([header, await bytes.read(slice.position + header.length, rest)])
      : commandsInHeader;
  const { encrypted, signature } = readCommands(commands, slice.sizeBytes);
  if (signature === null) return { ...slice, encrypted, signature: null, codeBytes: slice.sizeBytes };
  if (signature.sizeBytes > limits.maxSignatureBytes) {
    throw new Error(`its signature is larger than ${limits.maxSignatureBytes} bytes`);
  }
  const signatureBytes = await bytes.read(slice.position + signature.position, signature.sizeBytes);
  return { ...slice, encrypted, signature: signatureBytes, codeBytes: signature.position };
}

/** Opens the entry as a stream for `work` and closes it whatever happens. Other errors than the archive's own become MalformedExecutable. */
export async function withExecutable<T>(
  archive: ZipArchive,
  entry: ZipEntry,
  work: (bytes: SequentialBytes) => Promise<T>,
): Promise<T> {
  const bytes = readSequentially(archive.stream(entry));
  try {
    return await work(bytes);
  } catch (error) {
    if (error instanceof UnreadablePackage) throw error;
    throw new MalformedExecutable(error instanceof Error ? error.message : String(error), { cause: error });
  } finally {
    bytes.close();
  }
}

function checkSize(entry: ZipEntry, limits: ExecutableLimits): void {
  if (entry.uncompressedBytes > limits.maxBytes) {
    throw new UnreadablePackage(`the executable is larger than ${limits.maxBytes} bytes`);
  }
  const ratio = entry.uncompressedBytes / Math.max(1, entry.compressedBytes);
  if (entry.uncompressedBytes > limits.ratioFreeBytes && ratio > limits.maxRatio) {
    throw new UnreadablePackage(`the executable inflates to ${Math.round(ratio)} times its size`);
  }
}
