/** The contract of every BlobStore. The test of each store runs it and adds its own cases. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BlobKey, InvalidBlobKey, iconKey, packageKey, simulatorKey } from '../../src/blobs/blob-key.ts';
import { BlobExists, type BlobStore, type LocalFile, type StoredBlob } from '../../src/blobs/blob-store.ts';

export interface BlobStoreUnderTest {
  /** Initially empty. */
  store: BlobStore;
  /** Names of temporary data written by unfinished puts, besides blobs; called when no put is running. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

const largeBlobBytes = 32 * 1024 * 1024;

export function describeBlobStore(name: string, make: () => Promise<BlobStoreUnderTest>): void {
  describe(name, () => {
    let folder = '';
    let subject: BlobStoreUnderTest;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'slipway-blob-contract-'));
    });
    afterAll(() => rm(folder, { recursive: true }));
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(async () => {
      const leftovers = await subject.leftovers();
      await subject.close();
      expect(leftovers).toEqual([]);
    });

    async function localFile(bytes: Uint8Array): Promise<LocalFile> {
      const path = join(folder, randomUUID());
      await writeFile(path, bytes, { mode: 0o600 });
      return { path, sizeBytes: bytes.length };
    }

    async function read(key: BlobKey, range?: { first: number; last: number }): Promise<Buffer | null> {
      const blob = await subject.store.open(key, range);
      return blob === null ? null : buffer(blob.stream);
    }

    const defaultKeyValues = () => packageKey(randomUUID());

    test('returns the size of a blob, or null if it does not exist', async () => {
      const key = defaultKeyValues();
      expect(await subject.store.size(key)).toBeNull();
      await subject.store.put(key, await localFile(randomBytes(70_000)));
      expect(await subject.store.size(key)).toBe(70_000);
      await subject.store.remove(key);
      expect(await subject.store.size(key)).toBeNull();
    });

    test.each([0, 1, 70_000])('returns a file of %i bytes unchanged', async (length) => {
      const bytes = randomBytes(length);
      const key = defaultKeyValues();
      await subject.store.put(key, await localFile(bytes));
      expect((await subject.store.open(key).then(consumed))?.sizeBytes).toBe(length);
      expect(await read(key)).toEqual(bytes);
    });

    test.each([0, 1, 70_000])('returns %i bytes put from memory unchanged', async (length) => {
      const bytes = randomBytes(length);
      const key = iconKey(randomUUID(), 'a1b2');
      await subject.store.putBytes(key, bytes);
      expect(await read(key)).toEqual(bytes);
    });

    test('keeps a copy of bytes put from memory', async () => {
      const bytes = Uint8Array.of(1, 2, 3);
      const key = defaultKeyValues();
      await subject.store.putBytes(key, bytes);
      bytes.fill(9);
      expect(await read(key)).toEqual(Buffer.of(1, 2, 3));
    });

    test('does not need the file after the put', async () => {
      const file = await localFile(Buffer.from('kept'));
      const key = simulatorKey(randomUUID());
      await subject.store.put(key, { ...file, synced: true });
      await rm(file.path);
      expect(String(await read(key))).toBe('kept');
    });

    test.each([
      [{ first: 0, last: 9 }, '0123456789'],
      [{ first: 0, last: 0 }, '0'],
      [{ first: 9, last: 9 }, '9'],
      [{ first: 3, last: 5 }, '345'],
      [{ first: 7, last: 1_000_000 }, '789'],
    ])('opens the range %o', async (range, expected) => {
      const key = defaultKeyValues();
      await subject.store.putBytes(key, Buffer.from('0123456789'));
      const blob = await subject.store.open(key, range);
      expect(blob?.sizeBytes).toBe(10);
      expect(blob === null ? null : String(await buffer(blob.stream))).toBe(expected);
    });

    test.each([
      { first: 10, last: 10 },
      { first: 5, last: 4 },
      { first: -1, last: 4 },
      { first: 0.5, last: 4 },
      { first: 0, last: Number.NaN },
    ])('refuses the range %o of ten bytes', async (range) => {
      const key = defaultKeyValues();
      await subject.store.putBytes(key, Buffer.from('0123456789'));
      await expect(subject.store.open(key, range)).rejects.toThrow(RangeError);
    });

    test('refuses every range of an empty blob', async () => {
      const key = defaultKeyValues();
      await subject.store.putBytes(key, Buffer.alloc(0));
      await expect(subject.store.open(key, { first: 0, last: 0 })).rejects.toThrow(RangeError);
    });

    test('returns null for an absent key, with or without a range', async () => {
      expect(await subject.store.open(defaultKeyValues())).toBeNull();
      expect(await subject.store.open(defaultKeyValues(), { first: 0, last: 0 })).toBeNull();
    });

    test('removes a blob, and ignores an absent one', async () => {
      const key = defaultKeyValues();
      await subject.store.putBytes(key, Buffer.from('x'));
      await subject.store.remove(key);
      expect(await subject.store.open(key)).toBeNull();
      await subject.store.remove(key);
      expect(await listed(subject.store, '')).toEqual([]);
    });

    test('lists by prefix with size and age', async () => {
      const before = Date.now();
      const [first, second] = [packageKey('aa-1'), packageKey('ab-2')];
      const icon = iconKey('aa-1', 'r1');
      await subject.store.putBytes(first, Buffer.alloc(3));
      await subject.store.put(second, await localFile(Buffer.alloc(5)));
      await subject.store.putBytes(icon, Buffer.alloc(0));
      expect((await listed(subject.store, '')).map((blob) => blob.key)).toEqual([icon, first, second]);
      expect((await listed(subject.store, 'packages/')).map((blob) => blob.sizeBytes)).toEqual([3, 5]);
      expect((await listed(subject.store, 'packages/ab')).map((blob) => blob.key)).toEqual([second]);
      expect((await listed(subject.store, 'pack')).map((blob) => blob.key)).toEqual([first, second]);
      expect(await listed(subject.store, 'packages/../icons')).toEqual([]);
      expect(await listed(subject.store, 'nothing')).toEqual([]);
      for (const { modifiedAt } of await listed(subject.store, '')) {
        // A store may record whole seconds, and another machine's clock may differ slightly.
        expect(Math.abs(modifiedAt - before)).toBeLessThan(60_000);
      }
    });

    test('writes a key once', async () => {
      const key = defaultKeyValues();
      await subject.store.put(key, await localFile(Buffer.from('first')));
      await expect(subject.store.put(key, await localFile(Buffer.from('second')))).rejects.toThrow(
        BlobExists,
      );
      await expect(subject.store.putBytes(key, Buffer.from('third'))).rejects.toThrow(BlobExists);
      expect(String(await read(key))).toBe('first');
    });

    test('stores the complete content of exactly one of several concurrent puts', async () => {
      const key = defaultKeyValues();
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(200_000, index));
      const files = await Promise.all(bodies.map(localFile));
      const outcomes = await Promise.allSettled(
        files.map((file, index) =>
          index % 2 === 0
            ? subject.store.put(key, file)
            : subject.store.putBytes(key, bodies[index] ?? Buffer.alloc(0)),
        ),
      );
      const winners = outcomes.flatMap((outcome, index) => (outcome.status === 'fulfilled' ? [index] : []));
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(BlobExists);
      }
      expect(await read(key)).toEqual(bodies[winners[0] ?? -1]);
    });

    test.each(oddKeys)('refuses the key %j', async (text) => {
      const key = text as BlobKey;
      const file = await localFile(Buffer.from('x'));
      await expect(subject.store.put(key, file)).rejects.toThrow(InvalidBlobKey);
      await expect(subject.store.putBytes(key, Buffer.from('x'))).rejects.toThrow(InvalidBlobKey);
      await expect((async () => subject.store.open(key))()).rejects.toThrow(InvalidBlobKey);
      await expect((async () => subject.store.remove(key))()).rejects.toThrow(InvalidBlobKey);
      expect(await listed(subject.store, '')).toEqual([]);
    });

    test('stores a large blob and returns a range from its middle', async () => {
      const bytes = randomBytes(largeBlobBytes);
      const key = defaultKeyValues();
      await subject.store.put(key, await localFile(bytes));
      const blob = await subject.store.open(key);
      expect(blob === null ? null : await sha256(blob.stream)).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      );
      const range = { first: 11_111_111, last: 22_222_222 };
      expect((await read(key, range))?.equals(bytes.subarray(range.first, range.last + 1))).toBe(true);
    });

    test('leaves nothing when the file does not exist', async () => {
      const key = defaultKeyValues();
      await expect(subject.store.put(key, { path: join(folder, 'absent'), sizeBytes: 1 })).rejects.toThrow();
      expect(await subject.store.open(key)).toBeNull();
      expect(await listed(subject.store, '')).toEqual([]);
    });

    test.each([9, 11])('leaves nothing when a file of ten bytes is declared with %i', async (sizeBytes) => {
      const key = defaultKeyValues();
      const file = await localFile(Buffer.from('0123456789'));
      await expect(subject.store.put(key, { ...file, sizeBytes })).rejects.toThrow(/10 bytes/);
      expect(await subject.store.open(key)).toBeNull();
      expect(await listed(subject.store, '')).toEqual([]);
    });

    test('reads an open blob to its end even if it is removed during the read', async () => {
      const bytes = randomBytes(100_000);
      const key = defaultKeyValues();
      await subject.store.putBytes(key, bytes);
      const blob = await subject.store.open(key);
      await subject.store.remove(key);
      expect(blob === null ? null : await buffer(blob.stream)).toEqual(bytes);
    });

    test('reports that it is ready', async () => {
      await expect(subject.store.ping()).resolves.toBeUndefined();
      await expect(subject.store.check()).resolves.toBeUndefined();
      expect(await listed(subject.store, '')).toEqual([]);
    });
  });
}

const oddKeys = [
  '',
  'packages',
  'packages/',
  '/packages/a',
  'packages/a/b',
  'packages/..',
  'packages/../../escape',
  '../packages/a',
  'packages/.incoming',
  '.incoming/a',
  'packages/A',
  'packages/a b',
  'packages/a\0',
  'packages/a\n',
  'packages\\a',
  'packages/-a',
  'packages/a.b',
  'packages/ä',
  'icons/a',
  'icons/a.',
  'icons/a.b.c',
  'other/a',
  `packages/${'a'.repeat(65)}`,
];

async function listed(store: BlobStore, prefix: string): Promise<StoredBlob[]> {
  const blobs = await Array.fromAsync(store.list(prefix));
  return blobs.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function consumed<T extends { stream: Readable }>(blob: T | null): T | null {
  blob?.stream.destroy();
  return blob;
}

async function sha256(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}
