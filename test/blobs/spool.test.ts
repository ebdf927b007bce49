import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSpool, inlineHashBytes, type Spool, type SpoolOptions } from '../../src/blobs/spool/spool.ts';
import { blockBytes, blocksPerBody } from '../../src/blobs/spool/spool-engine.ts';
import { SpoolFull, SpoolLimitExceeded } from '../../src/blobs/spool/spool-errors.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { childPath, killWhenExists } from './kill-once-there.ts';
import { canMount, makeScratch, mountSmallDisk, type Scratch } from './scratch.ts';

let scratch: Scratch;
let folder = '';
let spool: Spool;
const noLimit = { maxBytes: Number.MAX_SAFE_INTEGER };

const makeSpool = (options: Partial<SpoolOptions> = {}) =>
  createSpool({ folder, minimumFreeBytes: 0, ...options });
const spoolNames = () => (existsSync(folder) ? readdirSync(folder) : []);
const hexDigest = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest('hex');

beforeEach(() => {
  scratch = makeScratch();
  folder = join(scratch.folder, 'data', 'spool');
  spool = makeSpool();
});
afterEach(async () => {
  await spool.close();
  scratch.remove();
});

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function expectFaithful(bytes: Uint8Array, pieceBytes: number, expectedBytes?: number): Promise<void> {
  const file = await spool.receive(inPieces(bytes, pieceBytes), { ...noLimit, expectedBytes });
  expect(file).toMatchObject({ sizeBytes: bytes.length, synced: true });
  expect(file.md5).toBe(hexDigest('md5', bytes));
  expect(file.sha256).toBe(hexDigest('sha256', bytes));
  expect(readFileSync(file.path).equals(bytes)).toBe(true);
  await file.dispose();
  expect(spoolNames()).toEqual([]);
}

describe('receiving a body', () => {
  const ring = blockBytes * blocksPerBody;
  test.each([
    [0, 1],
    [1, 1],
    [100, 7],
    [blockBytes - 1, 65_536],
    [blockBytes, 65_536],
    [blockBytes + 1, 65_536],
    [inlineHashBytes, 65_536],
    [inlineHashBytes + 1, 65_536],
    [ring, 100_000],
    [ring + 12_345, 65_521],
    [ring * 2 + 1, ring * 2 + 1],
  ])('stores %i bytes in pieces of %i', async (length, pieceBytes) => {
    const bytes = randomBytes(length);
    await expectFaithful(bytes, pieceBytes);
    if (length < ring) await expectFaithful(bytes, pieceBytes, length);
  });

  test.each([0, 1, 50_000_000])('treats the announced size (%i) as a hint only', async (announced) => {
    await expectFaithful(randomBytes(5_000_000), 65_536, announced);
  });

  test('produces the same file for any chunking, with inline or threaded hashing', async () => {
    await spool.close();
    spool = makeSpool({ inlineHashBytes: 600_000 });
    const pieces = fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pieces, async (lengths) => {
        const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1));
        const bytes = Buffer.concat(chunks);
        const file = await spool.receive(Readable.from(chunks), noLimit);
        expect(file.md5).toBe(hexDigest('md5', bytes));
        expect(file.sha256).toBe(hexDigest('sha256', bytes));
        expect(readFileSync(file.path).equals(bytes)).toBe(true);
        await file.dispose();
      }),
      { numRuns: runsEverything ? 40 : 10 },
    );
  });

  test('keeps concurrent large bodies separate', async () => {
    const bodies = Array.from({ length: 4 }, () => randomBytes(ring + 600_000));
    await Promise.all(
      bodies.map(async (bytes) => {
        const file = await spool.receive(inPieces(bytes, 60_000), noLimit);
        expect([file.md5, file.sha256]).toEqual([hexDigest('md5', bytes), hexDigest('sha256', bytes)]);
        expect(readFileSync(file.path).equals(bytes)).toBe(true);
      }),
    );
  });

  test('creates a private file that exists until it is disposed of', async () => {
    const body = Buffer.from('same');
    const first = await spool.receive(inPieces(body, 9), noLimit);
    const second = await spool.receive(inPieces(body, 9), noLimit);
    expect(first.path).not.toBe(second.path);
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await first.dispose();
    await first.dispose();
    expect(existsSync(first.path)).toBe(false);
    expect(existsSync(second.path)).toBe(true);
  });
});

describe('limits', () => {
  test('accept exactly maxBytes', async () => {
    const file = await spool.receive(inPieces(Buffer.alloc(1000), 100), { maxBytes: 1000 });
    expect(file.sizeBytes).toBe(1000);
  });

  test.each([1000, 9_000_000])(
    'truncate a body over %i bytes and leave its stream drainable',
    async (maxBytes) => {
      const bytes = randomBytes(maxBytes + 200_001);
      const stream = Readable.from(inPieces(bytes, 50_000));
      const refused = await spool.receive(stream, { maxBytes }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(SpoolLimitExceeded);
      expect(refused).toMatchObject({ kind: 'too_large', maxBytes });
      expect(spoolNames()).toEqual([]);
      expect(stream.destroyed).toBe(false);
      const rest = await buffer(stream);
      expect(rest.equals(bytes.subarray(bytes.length - rest.length))).toBe(true);
    },
  );

  test('refuse an announced size over maxBytes without reading', async () => {
    const stream = Readable.from(inPieces(Buffer.alloc(10), 10));
    await expect(spool.receive(stream, { maxBytes: 99, expectedBytes: 100 })).rejects.toThrow(
      SpoolLimitExceeded,
    );
    expect(await buffer(stream)).toHaveLength(10);
    expect(existsSync(folder)).toBe(false);
  });

  test('refuse a body that would leave too little free space', async () => {
    const freeBytes = await spool.freeBytes();
    expect(freeBytes).toBeGreaterThan(0);
    const strict = makeSpool({ minimumFreeBytes: freeBytes * 2 });
    const refused = await strict
      .receive(inPieces(Buffer.alloc(1), 1), noLimit)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SpoolFull);
    expect(refused).toMatchObject({ kind: 'no_space' });
    await expect(
      spool.receive(inPieces(Buffer.alloc(1), 1), { ...noLimit, expectedBytes: freeBytes * 2 }),
    ).rejects.toThrow(SpoolFull);
    expect(spoolNames()).toEqual([]);
  });

  test.skipIf(!canMount())('report a full disk and leave no file (needs to mount a tmpfs)', async () => {
    const disk = mountSmallDisk(8 * 1024 * 1024);
    if (disk === null) throw new Error('the disk was there a moment ago');
    const small = createSpool({ folder: join(disk.folder, 'spool'), minimumFreeBytes: 0 });
    try {
      for (const length of [30_000_000, 8_500_000]) {
        await expect(small.receive(inPieces(randomBytes(length), 65_536), noLimit)).rejects.toThrow(
          SpoolFull,
        );
        expect(readdirSync(join(disk.folder, 'spool'))).toEqual([]);
      }
      const bytes = randomBytes(6_000_000);
      const file = await small.receive(inPieces(bytes, 65_536), noLimit);
      expect(file.md5).toBe(hexDigest('md5', bytes));
      await file.dispose();
    } finally {
      await small.close();
      disk.remove();
    }
  });

  test.skipIf(!canMount())('reserve the announced space for its body (needs to mount a tmpfs)', async () => {
    const disk = mountSmallDisk(64 * 1024 * 1024);
    if (disk === null) throw new Error('the disk was there a moment ago');
    const small = createSpool({ folder: disk.folder, minimumFreeBytes: 1024 * 1024 });
    const sender = new PassThrough();
    const announced = { ...noLimit, expectedBytes: 40 * 1024 * 1024 };
    try {
      const first = small.receive(sender, announced);
      await vi.waitUntil(() => readdirSync(disk.folder).length === 1);
      await expect(small.receive(inPieces(Buffer.alloc(9), 9), announced)).rejects.toThrow(SpoolFull);
      sender.end('only this');
      await first.then((file) => file.dispose());
      const second = await small.receive(inPieces(Buffer.alloc(9), 9), announced);
      await second.dispose();
    } finally {
      await small.close();
      disk.remove();
    }
  });
});

describe('an incomplete body', () => {
  /** Enough that blocks have been written and passed to the hash thread. */
  async function sendSome(stream: PassThrough): Promise<void> {
    for (let index = 0; index < 100; index += 1) {
      if (!stream.write(Buffer.alloc(100_000, index)))
        await new Promise((resolve) => stream.once('drain', resolve));
    }
  }

  test('is aborted by the signal even when no data arrives', async () => {
    const stream = new PassThrough();
    const abort = new AbortController();
    const received = spool.receive(stream, { ...noLimit, signal: abort.signal });
    await sendSome(stream);
    expect(spoolNames()).toHaveLength(1);
    const reason = new Error('the client went away');
    abort.abort(reason);
    await expect(received).rejects.toBe(reason);
    expect(spoolNames()).toEqual([]);
    expect(stream.destroyed).toBe(false);
  });

  test('is not started when the signal is already aborted', async () => {
    const reason = new Error('too late');
    const stream = Readable.from(inPieces(Buffer.alloc(10), 10));
    await expect(spool.receive(stream, { ...noLimit, signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(existsSync(folder)).toBe(false);
  });

  test('fails with the error of its stream', async () => {
    const stream = new PassThrough();
    const received = spool.receive(stream, noLimit);
    const error = new Error('connection reset');
    const failed = expect(received).rejects.toBe(error);
    await sendSome(stream);
    stream.destroy(error);
    await failed;
    expect(spoolNames()).toEqual([]);
  });

  test('fails when its stream failed before it was read', async () => {
    const stream = new PassThrough();
    const error = new Error('connection reset');
    const received = spool.receive(stream, noLimit);
    stream.destroy(error);
    await expect(received).rejects.toBe(error);
    expect(spoolNames()).toEqual([]);
  });

  test('fails when its stream closes early without an error', async () => {
    const stream = new PassThrough();
    const failed = expect(spool.receive(stream, noLimit)).rejects.toMatchObject({
      code: 'ERR_STREAM_PREMATURE_CLOSE',
    });
    await sendSome(stream);
    stream.destroy();
    await failed;
    expect(spoolNames()).toEqual([]);
  });

  test('ends its generator when it is cut', async () => {
    let ended = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(1000);
      } finally {
        ended = true;
      }
    }
    await expect(spool.receive(endless(), { maxBytes: 100_000 })).rejects.toThrow(SpoolLimitExceeded);
    expect(ended).toBe(true);
    expect(spoolNames()).toEqual([]);
  });

  test('fails when a chunk is not bytes', async () => {
    await expect(spool.receive(Readable.from(['text']), noLimit)).rejects.toThrow(TypeError);
    expect(spoolNames()).toEqual([]);
  });

  test('does not affect the next body', async () => {
    for (let round = 0; round < 6; round += 1) {
      const bytes = randomBytes(6_000_000);
      await expect(spool.receive(inPieces(bytes, 65_536), { maxBytes: 5_900_000 })).rejects.toThrow(
        SpoolLimitExceeded,
      );
    }
    await expectFaithful(randomBytes(9_000_000), 65_536);
  });

  test('is aborted when the spool closes, which then accepts no other', async () => {
    const stream = new PassThrough();
    const failed = expect(spool.receive(stream, noLimit)).rejects.toThrow('the spool is closed');
    await sendSome(stream);
    await spool.close();
    await failed;
    expect(spoolNames()).toEqual([]);
    await expect(spool.receive(inPieces(Buffer.alloc(1), 1), noLimit)).rejects.toThrow('the spool is closed');
  });
});

describe.runIf(runsEverything)('leftovers', () => {
  test('are removed after a process was killed, while files in use and foreign files stay', async () => {
    await killWhenExists('receive-endless-body.ts', [folder], () =>
      spoolNames().some((name) => statSync(join(folder, name)).size > 0),
    );
    const file = await spool.receive(inPieces(Buffer.from('mine'), 9), noLimit);
    writeFileSync(join(folder, 'README'), 'not mine');
    expect(spoolNames()).toHaveLength(3);
    expect(await spool.sweepLeftovers()).toBe(1);
    expect(spoolNames().sort()).toEqual([file.path.slice(folder.length + 1), 'README'].sort());
    expect(await spool.sweepLeftovers()).toBe(0);
  });
});

describe.runIf(runsEverything && existsSync('/proc/self/status'))(
  'memory of a separate process (needs /proc)',
  () => {
    /** The memory that a server may use above its warm idle state; the bodies together are four times that. */
    const maxGrownKiB = 128 * 1024;

    test.each([
      [256, 1],
      [128, 4],
    ])(
      'stays flat for %i MiB in %i concurrent bodies, and the process exits while the spool is open',
      async (mebibytes, atOnce) => {
        const sizeBytes = mebibytes * 1024 * 1024;
        const args = [childPath('receive-and-leave.ts'), folder, String(sizeBytes), String(atOnce)];
        const { stdout } = await promisify(execFile)(process.execPath, args);
        const { grownKiB, digests } = JSON.parse(stdout);
        const hash = createHash('md5');
        for (let done = 0; done < mebibytes; done += 1) hash.update(Buffer.alloc(1024 * 1024, 5));
        expect(digests).toEqual([hash.digest('hex')]);
        expect(grownKiB).toBeLessThan(maxGrownKiB);
        expect(spoolNames()).toEqual([]);
      },
    );
  },
);
