/** Reads the main executable of an app by streaming its entry once, in constant memory. */

import { say } from '../../messages/package-messages.ts';
import { UnreadablePackage } from '../../package-info.ts';
import type { EntryReader, ZipEntry } from '../../zip/zip-archive.ts';
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
  /** The embedded signature, unverified; null if unsigned. */
  signature: Buffer | null;
  /** Size of the slice before its signature, in bytes, all of which the signature must cover. */
  codeBytes: number;
}

/** Limits of one executable. Apple's limit for a whole app is 4 GB. */
interface ExecutableLimits {
  /** Size of the entry after inflating. */
  maxBytes: number;
  /** Ratio of inflated to compressed size, checked only beyond `ratioFreeBytes`. */
  maxRatio: number;
  ratioFreeBytes: number;
  /** Maximum size of one slice's signature: 72 bytes for each 4 KiB page of 1 GiB take 18 MiB. */
  maxSignatureBytes: number;
}

export const executableLimits: ExecutableLimits = {
  maxBytes: 1024 * 1024 * 1024,
  maxRatio: 100,
  ratioFreeBytes: 32 * 1024 * 1024,
  maxSignatureBytes: 32 * 1024 * 1024,
};

/** The entry is not a runnable executable; the message completes "the executable is malformed: …". */
export class MalformedExecutable extends Error {
  override name = 'MalformedExecutable';
}

/**
 * Returns the signing information of each slice; null if the entry is not Mach-O. Rejects with `MalformedExecutable`, and with
 * `UnreadablePackage` above the limits or if the archive is damaged.
 */
export async function readExecutable(
  archive: EntryReader,
  entry: ZipEntry,
  limits: ExecutableLimits = executableLimits,
): Promise<ExecutableSlice[] | null> {
  checkExecutableSize(entry, limits);
  return withExecutable(archive, entry, async (bytes) => {
    const head = await bytes.readUpTo(0, fatHeaderBytes);
    const slices = readSlices(head, entry.uncompressedBytes);
    if (slices === null) return null;
    const found: ExecutableSlice[] = [];
    for (const slice of slices) found.push(await readSlice(bytes, head, slice, limits));
    return found;
  });
}

/** `head`: the bytes of the file that have already been read. */
async function readSlice(
  bytes: SequentialBytes,
  head: Buffer,
  slice: MachOSlice,
  limits: ExecutableLimits,
): Promise<ExecutableSlice> {
  const commands = await readCommandBytes(bytes, head, slice);
  const { encrypted, signature } = readCommands(commands, slice.sizeBytes);
  if (signature === null) return { ...slice, encrypted, signature: null, codeBytes: slice.sizeBytes };
  if (signature.sizeBytes > limits.maxSignatureBytes) {
    throw new Error(`its signature is larger than ${limits.maxSignatureBytes} bytes`);
  }
  const signatureBytes = await bytes.read(slice.position + signature.position, signature.sizeBytes);
  return { ...slice, encrypted, signature: signatureBytes, codeBytes: signature.position };
}

/** Returns header and load commands of a slice. `head`: the bytes of the file that have already been read. */
export async function readCommandBytes(
  bytes: SequentialBytes,
  head: Buffer,
  slice: MachOSlice,
): Promise<Buffer> {
  const inHead = head.subarray(slice.position);
  const header =
    inHead.length >= machHeaderBytes ? inHead : await bytes.read(slice.position, machHeaderBytes);
  const wantedBytes = commandBytes(header);
  const rest = wantedBytes - header.length;
  return rest > 0
    ? Buffer.concat([header, await bytes.read(slice.position + header.length, rest)])
    : header.subarray(0, wantedBytes);
}

/**
 * Opens the entry as a stream for `work` and always closes it. Converts errors other than those of the archive to
 * `MalformedExecutable`.
 */
export async function withExecutable<T>(
  archive: EntryReader,
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

export function checkExecutableSize(entry: ZipEntry, limits: ExecutableLimits = executableLimits): void {
  if (entry.uncompressedBytes > limits.maxBytes) {
    throw new UnreadablePackage(say('executable-too-large', { bytes: limits.maxBytes }));
  }
  const ratio = entry.uncompressedBytes / Math.max(1, entry.compressedBytes);
  if (entry.uncompressedBytes > limits.ratioFreeBytes && ratio > limits.maxRatio) {
    throw new UnreadablePackage(say('executable-inflates-too-much', { ratio: Math.round(ratio) }));
  }
}
