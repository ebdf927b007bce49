/** Reading a stored package by random access needs it as a file: in place on disk, else fetched for the time of the work. */
import { parseBlobKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool.ts';
import type { Build } from './app.ts';

export type WithLocalPackage = <T>(build: Build, work: (path: string) => Promise<T>) => Promise<T>;

export function createWithLocalPackage(parts: { blobs: BlobStore; spool: Spool }): WithLocalPackage {
  return async (build, work) => {
    const key = parseBlobKey(build.packageBlob);
    const inPlace = parts.blobs.localPath?.(key);
    if (inPlace) return work(inPlace);
    const blob = await parts.blobs.open(key);
    if (!blob) throw new Error(`the blob ${key} is missing although a row names it`);
    const copy = await parts.spool.receive(blob.stream, {
      maxBytes: build.sizeBytes,
      expectedBytes: build.sizeBytes,
    });
    try {
      return await work(copy.path);
    } finally {
      await copy.dispose();
    }
  };
}
