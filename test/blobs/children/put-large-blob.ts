/** ROOT FILE: puts FILE, from another file system, as the package `large`. */
import { statSync } from 'node:fs';
import { packageKey } from '../../../src/blobs/blob-key.ts';
import { createDiskBlobStore } from '../../../src/blobs/disk-blob-store.ts';

const [root = '', path = ''] = process.argv.slice(2);
const store = createDiskBlobStore({ root });
await store.put(packageKey('large'), { path, sizeBytes: statSync(path).size, synced: true });
