import { createHash, hash } from 'node:crypto';
import type { EntryReader, ZipEntry } from './zip-archive.ts';

/** An entry up to this size is inflated in one call; a larger one is streamed. */
export const maxBufferedEntryBytes = 1024 * 1024;

/** Returns the entry's digest for each hash, in order. Rejects with `UnreadablePackage` if it cannot be read. */
export async function hashEntry(
  archive: EntryReader,
  entry: ZipEntry,
  hashes: readonly string[],
): Promise<Buffer[]> {
  if (entry.uncompressedBytes <= maxBufferedEntryBytes) {
    const content = await archive.read(entry, maxBufferedEntryBytes);
    return hashes.map((name) => hash(name, content, 'buffer'));
  }
  const running = hashes.map((name) => createHash(name));
  for await (const chunk of archive.stream(entry)) for (const digest of running) digest.update(chunk);
  return running.map((digest) => digest.digest());
}
