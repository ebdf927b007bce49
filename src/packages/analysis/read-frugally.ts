/**
 * V8 frees buffers late, because they count little on its heap. The analyzer reads hundreds of megabytes, of which it needs a few at
 * a time, so it has them collected as it reads.
 */
import { Readable } from 'node:stream';
import type { EntryReader, ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { checkSize } from './gaps.ts';

const mebibyte = 1024 * 1024;
/** Counted in inflated bytes: a minor collection takes about a millisecond, a full one about twenty. */
const [minorEveryBytes, fullEveryBytes] = [2 * mebibyte, 4 * mebibyte] as const;

/** The same archive, which has garbage collected as it is read. Without `--expose-gc` it only counts. */
export function collectingGarbage(archive: ZipArchive): ZipArchive {
  let [sinceMinor, sinceFull] = [0, 0];
  const count = (bytes: number) => {
    sinceMinor += bytes;
    sinceFull += bytes;
    if (sinceFull >= fullEveryBytes) {
      globalThis.gc?.();
      [sinceMinor, sinceFull] = [0, 0];
    } else if (sinceMinor >= minorEveryBytes) {
      void globalThis.gc?.({ type: 'minor' });
      sinceMinor = 0;
    }
  };
  /** Before the content is read, so that what was read before can be freed. */
  const counted: ZipArchive['read'] = (entry, maxBytes) => {
    count(entry.uncompressedBytes);
    return archive.read(entry, maxBytes);
  };
  async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      count(chunk.length);
      yield chunk;
    }
  }
  return {
    ...archive,
    read: counted,
    stream: (entry) => Readable.from(chunksOf(archive.stream(entry)), { objectMode: false }),
  };
}

/** Streams cost more time than the content of smaller files. */
const streamedFromBytes = 256 * 1024;

/** Yields the content, that of a small file in one piece. Rejects like `read`. */
export async function* piecesOf(archive: EntryReader, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (entry.uncompressedBytes < streamedFromBytes) yield await archive.read(entry, streamedFromBytes);
  else yield* archive.stream(entry);
}

/** Returns the content in one buffer, without its compressed bytes in memory. Rejects like `read`. */
export async function readWhole(
  archive: Pick<ZipArchive, 'stream'>,
  { entry, maxBytes }: { entry: ZipEntry; maxBytes: number },
): Promise<Buffer> {
  checkSize(entry, maxBytes);
  // Otherwise the file before is still in memory.
  if (entry.uncompressedBytes >= minorEveryBytes) globalThis.gc?.();
  const bytes = Buffer.allocUnsafeSlow(entry.uncompressedBytes);
  let at = 0;
  for await (const chunk of archive.stream(entry)) at += (chunk as Buffer).copy(bytes, at);
  return bytes;
}
