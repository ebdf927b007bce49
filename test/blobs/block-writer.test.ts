import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BlockWriterDeps, createBlockWriter } from '../../src/blobs/spool/block-writer.ts';
import { makeScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(() => scratch.remove());

const blockBytes = 1000;

async function makeWriter(parts: Partial<BlockWriterDeps> = {}) {
  const path = join(scratch.folder, 'file');
  const handle = await open(path, 'wx');
  const failures: unknown[] = [];
  const written: number[] = [];
  const writer = createBlockWriter({
    handle,
    onWritten: (_block, fileBytes) => written.push(fileBytes),
    onFailure: (error) => failures.push(error),
    onCheckpoint: async () => {},
    ...parts,
  });
  return { path, handle, failures, written, writer };
}

test.each([0, 1, blockBytes])('writes blocks in order with %i more bytes', async (moreBytes) => {
  const blocks = 35;
  const { path, handle, failures, written, writer } = await makeWriter();
  for (let index = 0; index < blocks; index += 1)
    writer.append(Buffer.alloc(blockBytes, index + 1), blockBytes);
  if (moreBytes > 0) writer.append(Buffer.alloc(blockBytes, 255), moreBytes);
  await writer.flush();
  await handle.close();
  expect(failures).toEqual([]);
  expect(written).toHaveLength(moreBytes > 0 ? blocks + 1 : blocks);
  expect(written.at(-1)).toBe(blocks * blockBytes + moreBytes);
  const expected = Array.from({ length: blocks }, (_, index) => Buffer.alloc(blockBytes, index + 1));
  expect(readFileSync(path).equals(Buffer.concat([...expected, Buffer.alloc(moreBytes, 255)]))).toBe(true);
});

test('reports the first error immediately, returns later blocks unwritten and rejects on finish', async () => {
  const { handle, failures, written, writer } = await makeWriter();
  await handle.close();
  for (let index = 0; index < 32; index += 1) writer.append(Buffer.alloc(blockBytes), blockBytes);
  await expect(writer.flush()).rejects.toMatchObject({ code: 'EBADF' });
  expect(failures).toHaveLength(1);
  expect(written).toEqual(Array.from({ length: 32 }, () => 0));
});

test('fails when a checkpoint fails', async () => {
  const full = new Error('too little space');
  const { handle, failures, writer } = await makeWriter({
    onCheckpoint: () => Promise.reject(full),
    checkpointBytes: blockBytes,
  });
  writer.append(Buffer.alloc(blockBytes), blockBytes);
  await expect(writer.flush()).rejects.toBe(full);
  expect(failures).toEqual([full]);
  await handle.close();
});
