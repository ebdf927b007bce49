/** Packages in a store without local files are fetched while they are read. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWithLocalPackage } from '../../src/apps/files/local-package.ts';
import { packageKey } from '../../src/blobs/blob-key.ts';
import type { BlobStore, OpenBlob } from '../../src/blobs/blob-store.ts';
import { createMemoryBlobStore, type MemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { createSpool, type Spool } from '../../src/blobs/spool/spool.ts';
import { makeScratch, type Scratch } from '../blobs/scratch.ts';

const bytes = randomBytes(300_000);
/** The fields of a build that are read to fetch its package. */
const build = {
  id: 'b1',
  blob: packageKey('b1'),
  sizeBytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
};

let scratch: Scratch;
let spool: Spool;
let blobs: MemoryBlobStore;
let opened: OpenBlob[] = [];
beforeEach(async () => {
  scratch = makeScratch();
  spool = createSpool({ folder: scratch.folder, minimumFreeBytes: 0 });
  blobs = createMemoryBlobStore();
  opened = [];
  await blobs.putBytes(packageKey('b1'), bytes);
});
afterEach(async () => {
  await spool.close();
  scratch.remove();
});

const watched = (): BlobStore => ({
  ...blobs,
  open: async (key, range) => {
    const blob = await blobs.open(key, range);
    if (blob) opened.push(blob);
    return blob;
  },
});
const copies = () => readdir(scratch.folder);

it('provides the package as a file and removes the file afterwards', async () => {
  const withLocalPackage = createWithLocalPackage({ blobs: watched(), spool });
  const read = await withLocalPackage(build, (path) => readFile(path));
  expect(read.equals(bytes)).toBe(true);
  expect(await copies()).toEqual([]);
});

it('removes the file when the work fails', async () => {
  const withLocalPackage = createWithLocalPackage({ blobs: watched(), spool });
  const work = withLocalPackage(build, async () => {
    throw new Error('unreadable');
  });
  await expect(work).rejects.toThrow('unreadable');
  expect(await copies()).toEqual([]);
});

it('fetches the package once for concurrent work, and keeps it until the last one ends', async () => {
  const withLocalPackage = createWithLocalPackage({ blobs: watched(), spool });
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const works = [first, second].map(({ promise }) =>
    withLocalPackage(build, async (path) => {
      await promise;
      return readFile(path);
    }),
  );
  first.resolve();
  expect((await works[0])?.equals(bytes)).toBe(true);
  expect(await copies()).toHaveLength(1);
  second.resolve();
  expect((await works[1])?.equals(bytes)).toBe(true);
  expect(await copies()).toEqual([]);
  expect(opened).toHaveLength(1);
  await withLocalPackage(build, async () => undefined);
  expect(opened).toHaveLength(2);
});

it.each([
  ['other bytes', { sha256: '0'.repeat(64) }, /differs from the upload/],
  ['more bytes', { sizeBytes: 1000 }, /too large/],
])('rejects a blob with %s than the upload', async (_name, facts, words) => {
  const withLocalPackage = createWithLocalPackage({ blobs: watched(), spool });
  await expect(withLocalPackage({ ...build, ...facts }, async () => undefined)).rejects.toThrow(words);
  expect(await copies()).toEqual([]);
  for (const { stream } of opened) expect(stream.destroyed).toBe(true);
});

it('reports a missing blob, and finds it once it exists again', async () => {
  const withLocalPackage = createWithLocalPackage({ blobs: watched(), spool });
  await blobs.remove(packageKey('b1'));
  await expect(withLocalPackage(build, async () => undefined)).rejects.toThrow(/missing/);
  await blobs.putBytes(packageKey('b1'), bytes);
  await expect(withLocalPackage(build, async () => 'read')).resolves.toBe('read');
});
