/**
 * Opens a zip file. Own code, because overlaps, duplicate names and disagreeing headers must be refused, or read as the platform
 * does; libraries silently choose one interpretation.
 */

import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { type DirectoryEntry, readCentralDirectory } from './central-directory.ts';
import { readEndOfCentralDirectory } from './end-of-central-directory.ts';
import { type CompressionMethod, packingOf, readDataPosition, readEntry, streamEntry } from './read-entry.ts';
import type { RandomAccessFile, ZipArchive, ZipEntry, ZipLimits } from './zip-archive.ts';

export const defaultZipLimits: ZipLimits = {
  maxEntries: 200_000,
  maxDirectoryBytes: 64 * 1024 * 1024,
  maxInflatedBytes: 512 * 1024 * 1024,
  maxStreamedBytes: 16 * 1024 * 1024 * 1024,
};

/**
 * Reads the directory of a zip file with two reads, whatever its size: the end of the file and the directory.
 * @throws UnreadablePackage if the file is not a zip archive, is damaged, or exceeds a limit
 */
export async function openZip(file: RandomAccessFile, limits: Partial<ZipLimits> = {}): Promise<ZipArchive> {
  const { maxEntries, maxDirectoryBytes, maxInflatedBytes, maxStreamedBytes } = {
    ...defaultZipLimits,
    ...limits,
  };
  const end = await readEndOfCentralDirectory(file);
  if (end.directoryBytes > maxDirectoryBytes) throw new UnreadablePackage(say('archive-directory-too-large'));
  const directory = await file.read(end.directoryPosition, end.directoryBytes);
  const entries = readCentralDirectory(directory, end.directoryPosition, maxEntries);
  checkCount(entries.length, end.entryCount, end.zip64);
  const { byName, duplicateNames } = indexByName(entries);
  const own = new Set<ZipEntry>(entries);
  const spendInflated = createInflateBudget(maxInflatedBytes);
  const spendStreamed = createInflateBudget(maxStreamedBytes);

  function checked(entry: ZipEntry): DirectoryEntry {
    if (!isOwn(own, entry)) throw new Error('the entry belongs to another archive');
    return entry;
  }

  async function read(entry: DirectoryEntry, maxBytes: number, packing: CompressionMethod): Promise<Buffer> {
    if (entry.uncompressedBytes > maxBytes)
      throw new UnreadablePackage(say('archive-entry-too-large', { name: entry.name }));
    spendInflated(entry.uncompressedBytes);
    return readEntry(file, entry, packing);
  }

  return {
    file,
    entries,
    centralDirectoryPosition: end.directoryPosition,
    centralDirectoryBytes: end.directoryBytes,
    endOfCentralDirectoryPosition: end.endRecordPosition,
    strayDirectoryBytes: end.firstEndRecordPosition - end.directoryPosition - end.directoryBytes,
    declaredEntryCount: end.entryCount,
    duplicateNames,
    find: (name) => byName.get(name) ?? null,
    read: async (entry, maxBytes) => read(checked(entry), maxBytes, packingOf(checked(entry))),
    readAsStored: async (entry, maxBytes) => read(checked(entry), maxBytes, 'stored'),
    dataPosition: async (entry) => readDataPosition(file, checked(entry)),
    stream(entry) {
      spendStreamed(entry.uncompressedBytes);
      return streamEntry(file, checked(entry));
    },
  };
}

function isOwn(own: ReadonlySet<ZipEntry>, entry: ZipEntry): entry is DirectoryEntry {
  return own.has(entry);
}

/** The 16-bit count of an archive without zip64 records wraps in some writers. Any other difference hides entries. */
function checkCount(found: number, stated: number, zip64: boolean): void {
  const wrapped = !zip64 && found > stated && (found - stated) % 0x10000 === 0;
  if (found !== stated && !wrapped) {
    throw new UnreadablePackage(
      'the zip archive is damaged: its directory has a different number of entries than stated',
    );
  }
}

function indexByName(entries: readonly DirectoryEntry[]) {
  const byName = new Map<string, DirectoryEntry>();
  const duplicates = new Set<string>();
  for (const entry of entries) {
    if (byName.has(entry.name)) duplicates.add(entry.name);
    else byName.set(entry.name, entry);
  }
  return { byName, duplicateNames: [...duplicates] };
}

function createInflateBudget(maxBytes: number): (bytes: number) => void {
  let left = maxBytes;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw new UnreadablePackage(say('archive-inflates-too-much'));
  };
}
