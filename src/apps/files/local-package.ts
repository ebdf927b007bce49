/** Provides a stored package as a local file for random access: in place on disk, or fetched for the duration of the work. */
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Spool, SpooledFile } from '../../blobs/spool/spool.ts';
import type { Build } from '../app.ts';

type StoredPackage = Pick<Build, 'id' | 'packageBlob' | 'sizeBytes' | 'sha256'>;

export type WithLocalPackage = <T>(build: StoredPackage, work: (path: string) => Promise<T>) => Promise<T>;

/** Concurrent work on one build shares one copy. The last one to end removes it. */
export function createWithLocalPackage(parts: { blobs: BlobStore; spool: Spool }): WithLocalPackage {
  const copies = new Map<string, { users: number; file: Promise<SpooledFile> }>();
  return async (build, work) => {
    const inPlace = parts.blobs.localPath?.(parseBlobKey(build.packageBlob));
    if (inPlace) return work(inPlace);
    const copy = copies.get(build.id) ?? { users: 0, file: fetchPackage(parts, build) };
    copies.set(build.id, copy);
    copy.users += 1;
    try {
      return await work((await copy.file).path);
    } finally {
      copy.users -= 1;
      if (copy.users === 0) {
        copies.delete(build.id);
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
  build: StoredPackage,
): Promise<SpooledFile> {
  const blob = await blobs.open(parseBlobKey(build.packageBlob));
  if (!blob) throw new Error(`the blob ${build.packageBlob} is missing, but a build references it`);
  try {
    const { sizeBytes } = build;
    const file = await spool.receive(blob.stream, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    if (file.sha256 === build.sha256) return file;
    await file.dispose();
    throw new Error(`the content of the blob ${build.packageBlob} differs from the upload`);
  } finally {
    // A failed read leaves the stream and its connection open.
    blob.stream.destroy();
  }
}
