import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { packageKey } from '../../src/blobs/blob-key.ts';
import { BlobExists, type BlobStore, BlobStoreFull } from '../../src/blobs/blob-store.ts';
import { createDiskBlobStore } from '../../src/blobs/disk-blob-store.ts';
import { toFileStoreError } from '../../src/core/file-errors.ts';
import { describeBlobStore } from '../contracts/blob-store.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { killWhenExists } from './kill-once-there.ts';
import { canMount, foreignFolder, makeScratch, mountSmallDisk, type Scratch } from './scratch.ts';

describeBlobStore('disk blob store', async () => {
  const scratch = makeScratch();
  const root = join(scratch.folder, 'blobs');
  return {
    store: createDiskBlobStore({ root }),
    leftovers: async () => namesIn(join(root, '.incoming')),
    close: async () => scratch.remove(),
  };
});

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

const filesUnder = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe('a disk blob store', () => {
  let scratch: Scratch;
  let root = '';
  beforeEach(() => {
    scratch = makeScratch();
    root = join(scratch.folder, 'deep', 'down', 'blobs');
  });
  afterEach(() => scratch.remove());

  async function spooled(bytes: Uint8Array, folder = scratch.folder) {
    const path = join(folder, randomUUID());
    await writeFile(path, bytes, { mode: 0o600 });
    return { path, sizeBytes: bytes.length, synced: true };
  }

  test('hard-links a spooled file into private folders', async () => {
    const store = createDiskBlobStore({ root });
    const file = await spooled(Buffer.from('package'));
    await store.put(packageKey('b1'), file);
    const [stored = ''] = filesUnder(root);
    expect(statSync(stored).ino).toBe(statSync(file.path).ino);
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    for (let folder = join(stored, '..'); folder !== scratch.folder; folder = join(folder, '..')) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
  });

  test.each([
    ['ENOSPC', 'no_space'],
    ['EDQUOT', 'no_space'],
    ['EROFS', 'unavailable'],
    ['EIO', 'unavailable'],
    ['ENOENT', undefined],
  ])('answers %s of the file system with %s', (code, kind) => {
    expect(toFileStoreError(Object.assign(new Error('failed'), { code }))?.kind).toBe(kind);
  });

  test('stores bytes from memory with private permissions too', async () => {
    const store = createDiskBlobStore({ root });
    await store.putBytes(packageKey('b1'), Buffer.from('package'));
    const [stored = ''] = filesUnder(root);
    expect(statSync(stored).mode & 0o777).toBe(0o600);
    expect(statSync(stored).nlink).toBe(1);
  });

  test('spreads ids with a common prefix over many folders', async () => {
    const store = createDiskBlobStore({ root });
    for (let index = 0; index < 300; index += 1) {
      await store.putBytes(packageKey(`0199a1b2-${index}`), Buffer.alloc(1));
    }
    const folders = readdirSync(join(root, 'packages'));
    expect(folders.length).toBeGreaterThan(100);
    for (const folder of folders) {
      expect(folder).toMatch(/^[0-9a-f]{2}$/);
      expect(readdirSync(join(root, 'packages', folder)).length).toBeLessThan(10);
    }
  });

  test('finds blobs that another process stored and ignores foreign files', async () => {
    const key = packageKey('b1');
    await createDiskBlobStore({ root }).putBytes(key, Buffer.from('x'));
    const fan = join(filesUnder(root)[0] ?? '', '..');
    await writeFile(join(fan, 'Thumbs.db'), 'x');
    await writeFile(join(root, 'note.txt'), 'x');
    await writeFile(join(root, 'packages', 'note'), 'x');
    await mkdir(join(fan, 'b2'));
    const blobs = await Array.fromAsync(createDiskBlobStore({ root }).list(''));
    expect(blobs.map((blob) => blob.key)).toEqual([key]);
  });

  test('lists nothing and has no leftovers before its folder exists', async () => {
    const store = createDiskBlobStore({ root });
    expect(await Array.fromAsync(store.list(''))).toEqual([]);
    expect(await store.removeLeftovers(Date.now())).toBe(0);
    expect(existsSync(root)).toBe(false);
  });

  test('is not ready when it cannot create its folder', async () => {
    await writeFile(join(scratch.folder, 'file'), '');
    const store = createDiskBlobStore({ root: join(scratch.folder, 'file', 'blobs') });
    await expect(store.check()).rejects.toThrow();
  });

  test('recovers when the folder could not be created at first', async () => {
    const blocker = join(scratch.folder, 'deep');
    await writeFile(blocker, '');
    const store = createDiskBlobStore({ root });
    await expect(store.putBytes(packageKey('b1'), Buffer.from('x'))).rejects.toThrow();
    await rm(blocker);
    await store.putBytes(packageKey('b1'), Buffer.from('x'));
    expect(await text(store, 'b1')).toBe('x');
  });

  test('does not mistake another file or folder at a blob’s path for a blob', async () => {
    await mkdir(root, { recursive: true });
    await writeFile(join(root, 'packages'), '');
    const put = createDiskBlobStore({ root }).putBytes(packageKey('b1'), Buffer.from('x'));
    await expect(put).rejects.not.toBeInstanceOf(BlobExists);
  });

  test('removes only its own old leftovers', async () => {
    const store = createDiskBlobStore({ root });
    await store.check();
    const incoming = join(root, '.incoming');
    const [old, young, foreign] = ['a'.repeat(32), 'b'.repeat(32), 'README'];
    for (const name of [old, young, foreign]) await writeFile(join(incoming, name), 'x');
    for (const name of [old, foreign]) utimesSync(join(incoming, name), 1000, 1000);
    expect(await store.removeLeftovers(2_000_000)).toBe(1);
    expect(namesIn(incoming).sort()).toEqual([young, foreign].sort());
  });

  const foreign = foreignFolder();

  test.skipIf(foreign === null)('copies a file from another file system (needs /dev/shm)', async () => {
    const elsewhere = makeScratch(foreign ?? undefined);
    try {
      const bytes = randomBytes(3_000_000);
      const file = await spooled(bytes, elsewhere.folder);
      const store = createDiskBlobStore({ root });
      await store.put(packageKey('b1'), file);
      const [stored = '', ...more] = filesUnder(root);
      expect(more).toEqual([]);
      expect(statSync(stored).nlink).toBe(1);
      expect(statSync(stored).mode & 0o777).toBe(0o600);
      expect((await opened(store, 'b1'))?.equals(bytes)).toBe(true);
      await expect(store.put(packageKey('b1'), file)).rejects.toThrow(/already/);
      expect(namesIn(join(root, '.incoming'))).toEqual([]);
    } finally {
      elsewhere.remove();
    }
  });

  test.skipIf(!canMount())('reports a full disk and leaves no file (needs to mount a tmpfs)', async () => {
    const disk = mountSmallDisk(4 * 1024 * 1024);
    if (disk === null) throw new Error('the disk was there a moment ago');
    try {
      const store = createDiskBlobStore({ root: disk.folder });
      const large = await spooled(randomBytes(6_000_000));
      await expect(store.put(packageKey('b1'), large)).rejects.toThrow(BlobStoreFull);
      await expect(store.putBytes(packageKey('b2'), randomBytes(6_000_000))).rejects.toThrow(BlobStoreFull);
      expect(filesUnder(disk.folder)).toEqual([]);
      await store.put(packageKey('b1'), await spooled(randomBytes(2_000_000)));
      expect(filesUnder(disk.folder)).toHaveLength(1);
    } finally {
      disk.remove();
    }
  });

  test.skipIf(foreign === null || !runsEverything)(
    'leaves no blob and only removable leftovers when the process is killed during a copy (needs /dev/shm)',
    async () => {
      const elsewhere = makeScratch(foreign ?? undefined);
      try {
        const source = join(elsewhere.folder, 'large');
        await writeFile(source, Buffer.alloc(192 * 1024 * 1024));
        const incoming = join(root, '.incoming');
        await killWhenExists('put-large-blob.ts', [root, source], () => namesIn(incoming).length > 0);
        const store = createDiskBlobStore({ root });
        expect(namesIn(incoming)).toHaveLength(1);
        expect(await store.open(packageKey('large'))).toBeNull();
        expect(await Array.fromAsync(store.list(''))).toEqual([]);
        expect(await store.removeLeftovers(Date.now() + 60_000)).toBe(1);
        expect(filesUnder(root)).toEqual([]);
        await store.put(packageKey('large'), {
          path: source,
          sizeBytes: statSync(source).size,
          synced: true,
        });
      } finally {
        elsewhere.remove();
      }
    },
  );
});

async function opened(store: BlobStore, id: string): Promise<Buffer | null> {
  const blob = await store.open(packageKey(id));
  return blob === null ? null : buffer(blob.stream);
}

const text = async (store: BlobStore, id: string) => String(await opened(store, id));
