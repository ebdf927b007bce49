import type { BlobConfig } from './blob-config.ts';
import type { BlobStore } from './blob-store.ts';
import { createDiskBlobStore } from './disk-blob-store.ts';

/** Opens the configured store. The S3 SDK takes 0.2 s and 20 MiB to load, so it is loaded only when it is used. */
export async function openBlobStore(config: BlobConfig): Promise<BlobStore> {
  if (config.kind === 'disk') return createDiskBlobStore({ root: config.folder });
  const { createS3BlobStore } = await import('./s3/s3-blob-store.ts');
  return createS3BlobStore(config);
}
