/** The native libraries of a package, read without keeping large ones in memory. */
import { createHash } from 'node:crypto';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import type { AnalysisGap, AndroidAnalysis } from '../analysis.ts';
import { addGap, checkSize, collectGap, LimitExceeded } from '../gaps.ts';
import { readWhole } from '../read-frugally.ts';
import { type ReadRange, readElf } from './elf.ts';

/** Far more than the copies of thirty libraries for five kinds of processors. */
export const maxNativeLibraries = 1_000;
/** Engines of games with debug information have up to a few hundred megabytes. */
export const maxNativeLibraryBytes = 1024 * 1024 * 1024;
/** Larger ones are inflated again for each of their five tables. */
export const maxInMemoryBytes = 16 * 1024 * 1024;
/** For all libraries, counted each time they are inflated. */
export const maxNativeInflatedBytes = 6 * 1024 * 1024 * 1024;

const libraryPath = /^(?:[^/]+\/)?lib\/([^/]+)\/[^/]+\.so$/;

/**
 * Describes the libraries as they are in the file. In an app bundle, none of them has its final position yet.
 */
export async function readNativeLibraries(
  archive: ZipArchive,
  isBundle: boolean,
  gaps: AnalysisGap[],
): Promise<AndroidAnalysis['nativeLibraries']> {
  const libraries: AndroidAnalysis['nativeLibraries'] = [];
  const budget = { left: maxNativeInflatedBytes };
  for (const entry of archive.entries) {
    const abi = libraryPath.exec(entry.name)?.[1];
    if (abi === undefined || entry.name.startsWith('BUNDLE-METADATA/')) continue;
    if (libraries.length === maxNativeLibraries) {
      addGap(gaps, 'native', null, 'too_many');
      break;
    }
    const read = await collectGap(gaps, 'native', entry, async () => {
      checkSize(entry, maxNativeLibraryBytes);
      const content = await openContent(archive, entry, budget);
      const { is64Bit, minAlignment, ...facts } = await readElf(content.read, entry.uncompressedBytes);
      return { sha256: content.sha256, minAlignment: is64Bit ? minAlignment : null, ...facts };
    });
    const isStored = !isBundle && entry.method === 0;
    libraries.push({
      path: entry.name,
      abi: abi.slice(0, 64),
      bytes: entry.uncompressedBytes,
      stored: isStored,
      zipOffset: isStored
        ? ((await collectGap(gaps, 'native', entry, () => archive.dataPosition(entry))) ?? 0)
        : 0,
      ...(read ?? {
        sha256: null,
        minAlignment: null,
        symbolBytes: 0,
        debugBytes: 0,
        needed: [],
        buildId: null,
      }),
    });
  }
  return libraries;
}

interface Budget {
  left: number;
}

async function openContent(
  archive: ZipArchive,
  entry: ZipEntry,
  budget: Budget,
): Promise<{ read: ReadRange; sha256: string }> {
  spend(budget, entry.uncompressedBytes);
  const hash = createHash('sha256');
  if (entry.uncompressedBytes <= maxInMemoryBytes) {
    const bytes = await readWhole(archive, { entry, maxBytes: maxInMemoryBytes });
    hash.update(bytes);
    return {
      sha256: hash.digest('hex'),
      read: async (start, length) => checked(bytes.subarray(start, start + length), length),
    };
  }
  for await (const chunk of archive.stream(entry)) hash.update(chunk);
  const sha256 = hash.digest('hex');
  if (entry.method === 0) {
    const position = await archive.dataPosition(entry);
    return {
      sha256,
      read: async (start, length) => {
        if (start + length > entry.uncompressedBytes) throw new RangeError('past the end of the library');
        return archive.file.read(position + start, length);
      },
    };
  }
  return {
    sha256,
    read: async (start, length) => {
      spend(budget, start + length);
      return readInflated(archive, entry, start, length);
    },
  };
}

function spend(budget: Budget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw new LimitExceeded('too_large');
}

/** Inflates no more than what precedes the range. */
async function readInflated(
  archive: ZipArchive,
  entry: ZipEntry,
  start: number,
  length: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let position = 0;
  for await (const chunk of archive.stream(entry)) {
    const bytes: Buffer = chunk;
    if (position + bytes.length > start)
      parts.push(Buffer.from(bytes.subarray(Math.max(0, start - position), start + length - position)));
    position += bytes.length;
    if (position >= start + length) break;
  }
  return checked(Buffer.concat(parts), length);
}

function checked(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new RangeError('past the end of the library');
  return bytes;
}
