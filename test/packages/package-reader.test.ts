import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
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

  it('ends with what is under way and what waits', async () => {
    const reader = open({ factsWorkers: 1 });
    const apk = await save('a.apk', buildApk());
    const waiting = Promise.allSettled([reader.read(apk), reader.read(apk)]);
    await reader.close();
    for (const settled of await waiting) {
      const reason = settled.status === 'rejected' ? settled.reason : null;
      expect(reason).toEqual(new Error('the package reader is closed'));
    }
    await expect(reader.read(apk)).rejects.toThrow('the package reader is closed');
  });
});

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
