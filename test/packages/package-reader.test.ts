import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPngSize } from '../../src/packages/ipa/png-chunks.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import {
  createPackageReader,
  defaultPackageReaderLimits,
  type PackageReader,
  type PackageReaderLimits,
} from '../../src/packages/package-reader.ts';
import { buildApk } from '../support/build-apk.ts';
import { ipaEntries } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { buildPng } from './ipa/build-png.ts';

let folder: string;
const readers: PackageReader[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-reader-'));
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  await rm(folder, { recursive: true });
});

function open(limits: Partial<PackageReaderLimits> = {}): PackageReader {
  const reader = createPackageReader({ ...defaultPackageReaderLimits, ...limits });
  readers.push(reader);
  return reader;
}

async function save(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe('a package reader', () => {
  it('gives in threads what the functions give', async () => {
    const reader = open();
    const icons = [{ path: 'res/icon.png', content: buildPng({ width: 24, height: 24 }) }];
    const apk = await save(
      'a.apk',
      signApk(buildApk({ icons, minSdk: 24 }), { v2: [{ key: createTestKey() }] }),
    );
    const simulator = ipaEntries({ simulator: true }).map((entry) => ({
      ...entry,
      name: String(entry.name).replace(/^Payload\//, 'build/'),
    }));
    const [info, verification, zip] = await Promise.all([
      reader.read(apk),
      reader.verifySignature(apk),
      save('a.zip', buildZip(simulator)).then((path) => reader.readSimulatorZip(path)),
    ]);
    expect(info).toMatchObject({ packageName: 'com.example.test', icon: { source: 'res/icon.png' } });
    expect(verification).toEqual({ verified: true, verifiedFromSdk: 24, problems: [] });
    expect(zip).toMatchObject({ bundleIdentifier: 'com.example.test', appFolder: 'build/Test.app' });
    if (!info.icon) throw new Error('no icon');
    const png = Buffer.from((await reader.drawIcon(apk, info.icon)) ?? []);
    expect(readPngSize(png)).toEqual({ width: 24, height: 24 });
    expect(readPngSize(Buffer.from(await reader.drawMonogram('Test', 'seed')))).not.toBeNull();
  });

  it('takes many at once, each answer to its question', async () => {
    const reader = open({ factsWorkers: 2 });
    const names = Array.from({ length: 20 }, (_, index) => `com.example.n${index}`);
    const paths = await Promise.all(names.map((packageName) => save(packageName, buildApk({ packageName }))));
    const read = await Promise.all(paths.map((path) => reader.read(path)));
    expect(read.map(({ packageName }) => packageName)).toEqual(names);
  });

  it('tells what is no package from what failed', async () => {
    const reader = open();
    const text = await save('text.apk', Buffer.from('hello'));
    await expect(reader.read(text)).rejects.toThrow(UnreadablePackage);
    await expect(reader.read(text)).rejects.toThrow('this is a text file, not an APK or IPA');
    const missing = await reader.read(join(folder, 'missing')).catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(Error);
    expect(missing).not.toBeInstanceOf(UnreadablePackage);
  });

  it('closing: what is under way is answered, what waits is told, and no thread is left', async () => {
    const threads = await watchThreads(async () => {
      const reader = open({ factsWorkers: 1, maxEndMs: 60_000 });
      const apk = await save('a.apk', buildApk());
      const tasks = [reader.read(apk), reader.drawMonogram('Test', 'seed'), reader.read(apk)] as const;
      const settled = Promise.allSettled(tasks);
      await reader.close();
      const [underWay, drawn, waiting] = await settled;
      expect(underWay).toMatchObject({ value: { packageName: 'com.example.test' } });
      expect(drawn.status).toBe('fulfilled');
      expect(waiting).toMatchObject({ reason: new Error('the package reader is closed') });
      await expect(reader.read(apk)).rejects.toThrow('the package reader is closed');
    });
    // They went by themselves: a thread that is terminated has the exit code 1.
    expect(threads).toEqual([
      { threadId: -1, exitCode: 0 },
      { threadId: -1, exitCode: 0 },
    ]);
  });

  it('closing: threads without work, and those that still load what they need, end by themselves', async () => {
    const threads = await watchThreads(async () => {
      const idle = open({ maxEndMs: 60_000 });
      expect(await idle.drawMonogram('Test', 'seed')).not.toHaveLength(0);
      await idle.close();
      // Closed in the moment in which the thread begins to load the library of pictures.
      const starting = open({ maxEndMs: 60_000 });
      const drawn = starting.drawMonogram('Test', 'seed');
      const [worker] = await once(process, 'worker');
      if (worker instanceof Worker) await once(worker, 'online');
      await Promise.all([starting.close(), expect(drawn).resolves.toBeTruthy()]);
      await Promise.all([starting.close(), open().close()]);
    });
    expect(threads).toEqual([
      { threadId: -1, exitCode: 0 },
      { threadId: -1, exitCode: 0 },
    ]);
  });

  // A thread that ends takes the addons along that no other thread has; that of pictures must stay where it is, for
  // threads of its own may still be in it (https://github.com/lovell/sharp/issues/2263).
  it.skipIf(process.platform !== 'linux')('leaves the library of pictures loaded (needs /proc)', async () => {
    const reader = open();
    await reader.drawMonogram('Test', 'seed');
    await reader.close();
    const mapped = await readFile('/proc/self/maps', 'utf8');
    expect(mapped).toMatch(/\/sharp-linux[^/\n]*\.node$/m);
    expect(mapped).toMatch(/\/libvips-cpp\.so[^/\n]*$/m);
  });
});

/** The threads that were started meanwhile, as they are when `act` has ended. */
async function watchThreads(act: () => Promise<void>) {
  const workers: { worker: Worker; exitCode: number | null }[] = [];
  const onWorker = (worker: Worker) => {
    const watched: (typeof workers)[number] = { worker, exitCode: null };
    workers.push(watched);
    worker.once('exit', (exitCode) => {
      watched.exitCode = exitCode;
    });
  };
  process.on('worker', onWorker);
  try {
    await act();
    return workers.map(({ worker: { threadId }, exitCode }) => ({ threadId, exitCode }));
  } finally {
    process.off('worker', onWorker);
  }
}

describe('the limits of a package reader', () => {
  it.each([
    ['maxFactsMs', (reader: PackageReader, path: string) => reader.read(path)],
    ['maxVerificationMs', (reader: PackageReader, path: string) => reader.verifySignature(path)],
    ['maxDrawingMs', (reader: PackageReader) => reader.drawMonogram('Test', 'seed')],
  ] as const)('%s: a package that takes longer is refused, and the next one is read', async (limit, act) => {
    const apk = await save('a.apk', buildApk());
    const hurried = open({ [limit]: 1 });
    const error = await act(hurried, apk).catch((reason: unknown) => reason);
    expect(error).toEqual(new UnreadablePackage('it takes too long to read'));
    expect(error).toBeInstanceOf(UnreadablePackage);
    if (limit !== 'maxFactsMs') expect((await hurried.read(apk)).packageName).toBe('com.example.test');
  });

  it('maxIdleMs: a thread without work ends, and another one takes what comes later', async () => {
    const ended: Promise<unknown>[] = [];
    const onWorker = (worker: Worker) => ended.push(once(worker, 'exit'));
    process.on('worker', onWorker);
    try {
      const reader = open({ maxIdleMs: 1, factsWorkers: 1 });
      const apk = await save('a.apk', buildApk());
      expect((await reader.read(apk)).packageName).toBe('com.example.test');
      expect(ended).toHaveLength(1);
      await Promise.all(ended);
      expect((await reader.read(apk)).packageName).toBe('com.example.test');
      expect(ended).toHaveLength(2);
    } finally {
      process.off('worker', onWorker);
    }
  });

  it('maxEndMs: what takes longer when the reader closes is cut, its caller told, and no thread is left', async () => {
    const apk = await save('a.apk', buildApk());
    let cut: unknown;
    const threads = await watchThreads(async () => {
      const reader = open({ maxEndMs: 0 });
      const reading = reader.read(apk).catch((error: unknown) => error);
      await reader.close();
      cut = await reading;
    });
    expect(cut).toEqual(new Error('the package reader is closed'));
    expect(threads).toMatchObject([{ threadId: -1 }]);
  });

  it('maxHeapMebibytes: a package that needs more is refused, and the next one is read', async () => {
    const reader = open({ maxHeapMebibytes: 24 });
    // Some 80 MiB of names, and 12 MiB are what a small package needs: a thread's limit is kept roughly, not to the byte.
    const names = Array.from({ length: 150_000 }, (_, index) => ({ name: `${index}`.padEnd(250, 'n') }));
    const path = await save('hungry.apk', buildZip(names));
    await expect(reader.read(path)).rejects.toThrow(
      new UnreadablePackage('it needs too much memory to read'),
    );
    const small = await save('small.apk', buildApk());
    expect((await reader.read(small)).packageName).toBe('com.example.test');
  });
});
