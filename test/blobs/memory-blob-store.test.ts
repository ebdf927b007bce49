import { expect, test } from 'vitest';
import { iconKey, packageKey } from '../../src/blobs/blob-key.ts';
import { createMemoryBlobStore } from '../../src/blobs/memory-blob-store.ts';
import { describeBlobStore } from '../contracts/blob-store.ts';

describeBlobStore('memory blob store', async () => ({
  store: createMemoryBlobStore(),
  leftovers: async () => [],
  close: async () => {},
}));

test('lists its keys and uses the given clock', async () => {
  const store = createMemoryBlobStore({ now: () => 1234 });
  await store.putBytes(packageKey('b'), Buffer.from('x'));
  await store.putBytes(iconKey('a', 'r'), Buffer.from('y'));
  expect(store.keys()).toEqual(['icons/a.r', 'packages/b']);
  for await (const blob of store.list('')) expect(blob.modifiedAt).toBe(1234);
});
