/** Provides a stored package as a local file for random access: in place on disk, or downloaded temporarily. */
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Spool, SpooledFile } from '../../blobs/spool/spool.ts';
import type { StoredFile } from '../app.ts';

export type WithLocalPackage = <T>(stored: StoredFile, work: (path: string) => Promise<T>) => Promise<T>;

/** Concurrent uses of one file share one copy, which the last use removes. */
export function createWithLocalPackage(parts: { blobs: BlobStore; spool: Spool }): WithLocalPackage {
  const copies = new Map<string, { users: number; file: Promise<SpooledFile> }>();
  return async (stored, work) => {
    const inPlace = parts.blobs.localPath?.(parseBlobKey(stored.blob));
    if (inPlace) return work(inPlace);
    const copy = copies.get(stored.blob) ?? { users: 0, file: fetchPackage(parts, stored) };
    copies.set(stored.blob, copy);
    copy.users += 1;
    try {
      return await work((await copy.file).path);
    } finally {
      copy.users -= 1;
      if (copy.users === 0) {
        copies.delete(stored.blob);
        await copy.file.then(
          (file) => file.dispose(),
          () => undefined,
        );
      }
    }
  };
}

/** Rejects if the stored bytes differ from the upload. */
async function fetchPackage(
  { blobs, spool }: { blobs: BlobStore; spool: Spool },
  { blob: key, sizeBytes, sha256 }: StoredFile,
): Promise<SpooledFile> {
  const blob = await blobs.open(parseBlobKey(key));
  if (!blob) throw new Error(`the blob ${key} is missing, but a build references it`);
  try {
    const file = await spool.receive(blob.stream, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    if (file.sha256 === sha256) return file;
    await file.dispose();
    throw new Error(`the content of the blob ${key} differs from the upload`);
  } finally {
    // A failed read would leave the stream and its connection open.
    blob.stream.destroy();
  }
}
