import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blockBytes, blocksInRing, createBlockRing } from '../../src/blobs/block-ring.ts';
import { createBlockWriter, directAfterBytes } from '../../src/blobs/block-writer.ts';
import { makeScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

async function makeWriter(ring = createBlockRing()) {
  const path = join(scratch.folder, 'file');
  const handle = await open(path, 'wx');
  const failures: unknown[] = [];
  const writer = createBlockWriter({
    path,
    handle,
    ring,
    onFailure: (error) => failures.push(error),
    onCheckpoint: async () => {},
  });
  async function append(byte: number, length: number): Promise<void> {
    await ring.whenFree();
    const block = ring.take();
    if (block === null) throw new Error('a block was free a moment ago');
    ring.view(block, length).fill(byte);
    ring.hold(block, 1);
    writer.append(block, length);
  }
  return { path, handle, ring, failures, writer, append };
}

describe.each([
  ['where the disk can read it directly', () => createBlockRing()],
  // Sixteen bytes past the beginning of a page, as it happens, and so never good for a direct write.
  ['where the disk cannot', () => createBlockRing(new SharedArrayBuffer(blockBytes * blocksInRing))],
])('with memory %s', (_where, makeRing) => {
  const directAfterBlocks = directAfterBytes / blockBytes;

  test.each([0, 1, blockBytes])(
    'writes blocks on both sides of where direct writing begins, and %i bytes more',
    async (moreBytes) => {
      const blocks = directAfterBlocks + blocksInRing + 3;
      const { path, handle, ring, failures, writer, append } = await makeWriter(makeRing());
      for (let index = 0; index < blocks; index += 1) await append(index + 1, blockBytes);
      if (moreBytes > 0) await append(255, moreBytes);
      await writer.sync();
      expect(ring.isIdle()).toBe(true);
      expect(failures).toEqual([]);
      await handle.close();
      const written = readFileSync(path);
      expect(written.length).toBe(blocks * blockBytes + moreBytes);
      for (let index = 0; index <= blocks; index += 1) {
        const bytes = written.subarray(index * blockBytes, (index + 1) * blockBytes);
        const expected = index < blocks ? index + 1 : 255;
        expect(bytes.equals(Buffer.alloc(bytes.length, expected))).toBe(true);
      }
    },
  );
});

test('tells the first fault at once, takes and lets go what comes after, and rejects in the end', async () => {
  const { handle, ring, failures, writer, append } = await makeWriter();
  await handle.close();
  for (let index = 0; index < blocksInRing * 2; index += 1) await append(1, blockBytes);
  await expect(writer.sync()).rejects.toMatchObject({ code: 'EBADF' });
  expect(failures).toHaveLength(1);
  expect(ring.isIdle()).toBe(true);
});

test('fails when a checkpoint does', async () => {
  const ring = createBlockRing();
  const path = join(scratch.folder, 'file');
  const handle = await open(path, 'wx');
  const failed = Promise.withResolvers<unknown>();
  const full = new Error('too little space');
  const writer = createBlockWriter({
    path,
    handle,
    ring,
    onFailure: failed.resolve,
    onCheckpoint: () => Promise.reject(full),
    checkpointBytes: blockBytes,
  });
  const block = ring.take() ?? -1;
  writer.append(block, blockBytes);
  expect(await failed.promise).toBe(full);
  await expect(writer.sync()).rejects.toBe(full);
  await handle.close();
});
