import { createHash, randomBytes } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { createHashThread } from '../../src/blobs/hash-thread.ts';

const thread = createHashThread();
afterEach(() => thread.end());

function sharedCopy(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

test('hashes in the order of adding, and tells when it has read', async () => {
  const bytes = randomBytes(3000);
  const read: number[] = [];
  const listener = { onHashed: (offset: number) => read.push(offset), onFailure: () => {} };
  const lane = thread.openLane(sharedCopy(bytes), listener);
  lane.add(2000, 1000);
  lane.add(0, 500);
  expect(await lane.digest()).toBe(md5(Buffer.concat([bytes.subarray(2000), bytes.subarray(0, 500)])));
  expect(read).toEqual([2000, 0]);
  await lane.drop();
});

test('keeps lanes apart', async () => {
  const bodies = Array.from({ length: 5 }, () => randomBytes(1000));
  const lanes = bodies.map((bytes) => thread.openLane(sharedCopy(bytes), { onHashed() {}, onFailure() {} }));
  for (let at = 0; at < 1000; at += 100) for (const lane of lanes) lane.add(at, 100);
  await lanes[4]?.drop();
  expect(await Promise.all(lanes.slice(0, 4).map((lane) => lane.digest()))).toEqual(
    bodies.slice(0, 4).map(md5),
  );
});

test('tells its lanes when it dies, and the next lane starts another thread', async () => {
  const failures: Error[] = [];
  const listener = { onHashed() {}, onFailure: (error: Error) => failures.push(error) };
  const lane = thread.openLane(new SharedArrayBuffer(8), listener);
  await thread.end();
  await expect(lane.digest()).rejects.toThrow('the hash thread ended');
  await lane.drop();
  expect(failures).toHaveLength(1);

  const next = thread.openLane(sharedCopy(Buffer.from('abc')), { onHashed() {}, onFailure() {} });
  next.add(0, 3);
  expect(await next.digest()).toBe('900150983cd24fb0d6963f7d28e17f72');
});

test('ends by itself, after what it was given', async () => {
  const exited = Promise.withResolvers<number>();
  const onWorker = (worker: Worker) => worker.once('exit', exited.resolve);
  process.on('worker', onWorker);
  try {
    const own = createHashThread({ maxEndMs: 60_000 });
    const read: number[] = [];
    const listener = { onHashed: (offset: number) => read.push(offset), onFailure() {} };
    const lane = own.openLane(new SharedArrayBuffer(1 << 20), listener);
    for (let at = 0; at < 8; at++) lane.add(at << 17, 1 << 17);
    await own.end();
    expect(read).toHaveLength(8);
    expect(await exited.promise).toBe(0);
  } finally {
    process.off('worker', onWorker);
  }
});

test('says why it died', async () => {
  const failed = Promise.withResolvers<Error>();
  const ended = thread.openLane(new SharedArrayBuffer(8), { onHashed() {}, onFailure() {} });
  const lane = thread.openLane(new SharedArrayBuffer(8), { onHashed() {}, onFailure: failed.resolve });
  await ended.digest();
  ended.add(0, 1);
  expect((await failed.promise).cause).toMatchObject({ message: expect.stringMatching(/^no lane \d+$/) });
  await expect(lane.digest()).rejects.toThrow('the hash thread ended');
});
