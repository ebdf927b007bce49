import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHashThread } from '../../src/blobs/spool/hash-thread.ts';
import { makeScratch, type Scratch } from './scratch.ts';

const thread = createHashThread();
let scratch: Scratch;
let handles: FileHandle[] = [];
beforeEach(() => {
  scratch = makeScratch();
});
afterEach(async () => {
  await thread.end();
  for (const handle of handles) await handle.close();
  handles = [];
  scratch.remove();
});

async function fileOf(bytes: Uint8Array): Promise<number> {
  const handle = await open(join(scratch.folder, randomBytes(8).toString('hex')), 'wx+');
  handles.push(handle);
  await handle.write(bytes, 0, bytes.length, 0);
  return handle.fd;
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

test('hashes only the bytes that have been written', async () => {
  const bytes = randomBytes(3_000_000);
  const lane = thread.openLane(await fileOf(bytes));
  lane.written(500);
  lane.written(500);
  lane.written(2_900_000);
  expect(await lane.close()).toBe(md5(bytes.subarray(0, 2_900_000)));
});

test('keeps the digests of concurrent lanes separate', async () => {
  const bodies = Array.from({ length: 5 }, () => randomBytes(1000));
  const lanes = await Promise.all(bodies.map(async (bytes) => thread.openLane(await fileOf(bytes))));
  for (let to = 100; to <= 1000; to += 100) for (const lane of lanes) lane.written(to);
  expect(await Promise.all(lanes.map((lane) => lane.close()))).toEqual(bodies.map(md5));
});

test('fails only the lane of a file that it cannot read', async () => {
  const bytes = randomBytes(1000);
  const [short, closed, whole] = [await fileOf(bytes), -1, await fileOf(bytes)].map((fd) =>
    thread.openLane(fd),
  );
  for (const lane of [short, closed]) lane?.written(1001);
  whole?.written(1000);
  await expect(short?.close()).rejects.toThrow('the file ends after 1000 bytes');
  await expect(closed?.close()).rejects.toThrow();
  expect(await whole?.close()).toBe(md5(bytes));
});

test('fails its lanes when the thread dies, and starts a new thread for the next lane', async () => {
  const fd = await fileOf(Buffer.from('abc'));
  const lane = thread.openLane(fd);
  await thread.end();
  await expect(lane.close()).rejects.toThrow('the hash thread ended');

  const next = thread.openLane(fd);
  next.written(3);
  expect(await next.close()).toBe('900150983cd24fb0d6963f7d28e17f72');
});

test('finishes its queued work before it ends', async () => {
  const exited = Promise.withResolvers<number>();
  const onWorker = (worker: Worker) => worker.once('exit', exited.resolve);
  process.on('worker', onWorker);
  try {
    const own = createHashThread({ maxEndMs: 60_000 });
    const bytes = randomBytes(1 << 20);
    const lane = own.openLane(await fileOf(bytes));
    for (let to = 1 << 17; to <= bytes.length; to += 1 << 17) lane.written(to);
    const digest = lane.close();
    await own.end();
    expect(await digest).toBe(md5(bytes));
    expect(await exited.promise).toBe(0);
  } finally {
    process.off('worker', onWorker);
  }
});

test('reports why the thread died', async () => {
  const fd = await fileOf(Buffer.alloc(8));
  const ended = thread.openLane(fd);
  const lane = thread.openLane(fd);
  await ended.close();
  ended.written(1);
  const failed = await lane.close().catch((error: unknown) => error);
  expect(failed).toMatchObject({
    message: 'the hash thread ended',
    cause: { message: expect.stringMatching(/^no lane \d+$/) },
  });
});
