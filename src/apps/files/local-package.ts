/** Reading a stored package by random access needs it as a file: in place on disk, else fetched for the time of the work. */
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Spool, SpooledFile } from '../../blobs/spool/spool.ts';
import type { Build } from '../app.ts';

type StoredPackage = Pick<Build, 'id' | 'packageBlob' | 'sizeBytes' | 'sha256'>;

export type WithLocalPackage = <T>(build: StoredPackage, work: (path: string) => Promise<T>) => Promise<T>;

/** Works on one build at the same time share one copy; the last to end removes it. */
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

/** Rejects when what is stored is not what was uploaded. */
async function fetchPackage(
  { blobs, spool }: { blobs: BlobStore; spool: Spool },
  build: StoredPackage,
): Promise<SpooledFile> {
  const blob = await blobs.open(parseBlobKey(build.packageBlob));
  if (!blob) throw new Error(`the blob ${build.packageBlob} is missing although a row names it`);
  try {
    const { sizeBytes } = build;
    const file = await spool.receive(blob.stream, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    if (file.sha256 === build.sha256) return file;
    await file.dispose();
    throw new Error(`the blob ${build.packageBlob} has other bytes than were uploaded`);
  } finally {
    // A reading that failed leaves it open, and with it a connection.
    blob.stream.destroy();
  }
}
