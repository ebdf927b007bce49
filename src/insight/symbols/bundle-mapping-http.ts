/** Sends the mapping of R8 or ProGuard from within a stored app bundle, without a second copy of it. */
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import type { App, Build } from '../../apps/app.ts';
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { DamagedBlob } from '../../blobs/verify-blob.ts';
import type { BlobResponse } from '../../http/sending/send-blob.ts';
import type { BundleMapping } from './symbol-files.ts';

export function bundleMappingResponse(
  blobs: BlobStore,
  app: App,
  build: Build,
  mapping: BundleMapping,
): BlobResponse {
  const { position, compressedBytes, bytes, isDeflated } = mapping;
  return {
    sizeBytes: bytes,
    open: async (range) => {
      const last = position + compressedBytes - 1;
      const opened = await blobs.open(parseBlobKey(build.packageBlob), { first: position, last });
      if (!opened) throw new DamagedBlob(build.packageBlob, 'missing');
      const { first, last: end } = range ?? { first: 0, last: bytes - 1 };
      return Readable.from(partOf(opened.stream, isDeflated, { first, end }), { objectMode: false });
    },
    etag: `${build.sha256}-mapping`,
    contentType: 'application/octet-stream',
    modifiedAt: build.createdAt,
    fileName: `${app.packageName}-${build.revision}-mapping.txt`,
  };
}

/** Inflates no more than what precedes the end of the range, so that the stated size is a limit. */
async function* partOf(
  stored: Readable,
  isDeflated: boolean,
  { first, end }: { first: number; end: number },
): AsyncGenerator<Buffer> {
  const inflater = isDeflated ? createInflateRaw() : null;
  stored.on('error', (error) => inflater?.destroy(error));
  let position = 0;
  try {
    for await (const chunk of inflater ? stored.pipe(inflater) : stored) {
      const bytes: Buffer = chunk;
      const piece = bytes.subarray(Math.max(0, first - position), Math.max(0, end + 1 - position));
      if (piece.length > 0) yield piece;
      position += bytes.length;
      if (position > end) return;
    }
    throw new Error('the mapping is shorter than the bundle states');
  } finally {
    stored.destroy();
    inflater?.destroy();
  }
}
