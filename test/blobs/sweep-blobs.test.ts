import { beforeEach, expect, test } from 'vitest';
import { type BlobKey, packageKey } from '../../src/blobs/blob-key.ts';
import { createMemoryBlobStore, type MemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { sweepBatchSize, sweepBlobs, trackPuts } from '../../src/blobs/sweep-blobs.ts';

const start = 1_700_000_000_000;
let time = start;
let store: MemoryBlobStore;

beforeEach(() => {
  time = start;
  store = createMemoryBlobStore({ now: () => time });
});

const named =
  (...keys: BlobKey[]) =>
  async (asked: BlobKey[]) =>
    new Set(asked.filter((key) => keys.includes(key)));

async function store3(): Promise<[BlobKey, BlobKey, BlobKey]> {
  const keys: [BlobKey, BlobKey, BlobKey] = [packageKey('kept'), packageKey('litter'), packageKey('young')];
  await store.putBytes(keys[0], Buffer.alloc(10));
  await store.putBytes(keys[1], Buffer.alloc(200));
  time = start + 1000;
  await store.putBytes(keys[2], Buffer.alloc(3000));
  return keys;
}

test('removes only old blobs that no row references', async () => {
  const [kept, , young] = await store3();
  const asked: BlobKey[] = [];
  const result = await sweepBlobs({
    store,
    isNamed: async (keys) => {
      asked.push(...keys);
      return named(kept)(keys);
    },
    before: start + 1000,
  });
  expect(result).toEqual({ removed: 1, freedBytes: 200, kept: 2, leftovers: 0 });
  expect(store.keys()).toEqual([kept, young]);
  expect(asked).not.toContain(young);
});

test('keeps blobs younger than the given age', async () => {
  const [kept, , young] = await store3();
  const result = await sweepBlobs({ store, isNamed: named(kept), before: start + 501 });
  expect(result).toMatchObject({ removed: 1, kept: 2 });
  expect(store.keys()).toEqual([kept, young]);
  const later = await sweepBlobs({ store, isNamed: named(kept), before: start + 1001 });
  expect(later).toMatchObject({ removed: 1, freedBytes: 3000, kept: 1 });
});

test('queries the database in batches', async () => {
  const total = sweepBatchSize * 2 + 1;
  for (let index = 0; index < total; index += 1)
    await store.putBytes(packageKey(`b${index}`), Buffer.alloc(1));
  const sizes: number[] = [];
  const result = await sweepBlobs({
    store,
    isNamed: async (keys) => {
      sizes.push(keys.length);
      return new Set();
    },
    before: start + 1,
  });
  expect(sizes).toEqual([sweepBatchSize, sweepBatchSize, 1]);
  expect(result).toEqual({ removed: total, freedBytes: total, kept: 0, leftovers: 0 });
});

test('removes nothing when the database query fails', async () => {
  const keys = await store3();
  const isNamed = async () => {
    throw new Error('no database');
  };
  await expect(sweepBlobs({ store, isNamed, before: start + 2000 })).rejects.toThrow('no database');
  expect(store.keys()).toEqual([...keys].sort());
});

test('removes unfinished puts of the same age', async () => {
  const asked: number[] = [];
  const removeLeftovers = async (before: number) => {
    asked.push(before);
    return 3;
  };
  const result = await sweepBlobs({ store: { ...store, removeLeftovers }, isNamed: named(), before: start });
  expect(result).toEqual({ removed: 0, freedBytes: 0, kept: 0, leftovers: 3 });
  expect(asked).toEqual([start]);
});

test('keeps blobs that this process has put, whatever their timestamps', async () => {
  await store.putBytes(packageKey('litter'), Buffer.alloc(1));
  const puts = trackPuts(store);
  await puts.store.putBytes(packageKey('icon'), Buffer.alloc(1));
  const before = Number.POSITIVE_INFINITY;
  await sweepBlobs({ store: puts.store, isNamed: named(), before, mayBeNamed: puts.has });
  expect(store.keys()).toEqual([packageKey('icon')]);
  puts.forget();
  await sweepBlobs({ store: puts.store, isNamed: named(), before, mayBeNamed: puts.has });
  expect(store.keys()).toEqual([]);
});
