import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeSigningKey } from '../../src/packages/apk/signing/signing-key.ts';
import { readPngSize } from '../../src/packages/ipa/png-chunks.ts';
import { PackageReaderUnavailable, UnreadablePackage } from '../../src/packages/package-info.ts';
import { createPackageReader, type PackageReader } from '../../src/packages/package-reader.ts';
import type { PackageReaderLimits } from '../../src/packages/package-reader-limits.ts';
import { maxApkBytes } from '../../src/packages/zip/write-zip.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildBundle } from '../support/build-bundle.ts';
import { ipaEntries } from '../support/build-ipa.ts';
import { buildZip } from '../support/build-zip.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { watchProcesses } from '../support/watch-processes.ts';
import { buildPng } from './ipa/build-png.ts';

const impostor = fileURLToPath(new URL('./programs/impostor.mjs', import.meta.url));
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
  const reader = createPackageReader({ folder: join(folder, 'reading'), limits });
  readers.push(reader);
  return reader;
}

async function save(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

describe('a package reader', () => {
  it('returns the same results as the functions it runs in processes', async () => {
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
    const [{ info }, verification, zip] = await Promise.all([
      reader.read(apk, 'ann'),
      reader.verifySignature(apk, 'ann'),
      save('a.zip', buildZip(simulator)).then((path) => reader.readSimulatorZip(path, 'ann')),
    ]);
    expect(info).toMatchObject({ packageName: 'com.example.test', icon: { source: 'res/icon.png' } });
    expect(verification).toEqual({ verified: true, verifiedFromSdk: 24, problems: [] });
    expect(zip).toMatchObject({ bundleIdentifier: 'com.example.test', appFolder: 'build/Test.app' });
    if (!info.icon) throw new Error('no icon');
    const png = Buffer.from((await reader.drawIcon(apk, 'ann', info.icon)) ?? []);
    expect(readPngSize(png)).toEqual({ width: 24, height: 24 });
    expect(readPngSize(Buffer.from(await reader.drawMonogram('Test', 'seed', 'ann')))).not.toBeNull();
  });

  it.each(['gif', 'avif'] as const)('draws a large %s within the limits of its process', async (format) => {
    const side = 2048;
    const content = await sharp({ create: { width: side, height: side, channels: 4, background: '#1234' } })
      .toFormat(format, { effort: 1 })
      .toBuffer();
    const icons = [{ path: `res/icon.${format}`, content, config: { density: 640 } }];
    const path = await save(`icon-${format}`, buildApk({ icons }));
    const reader = open();
    const { info } = await reader.read(path, 'ann');
    expect(info.icon).toMatchObject({ kind: format, width: side, height: side });
    if (!info.icon) throw new Error('no icon');
    const png = Buffer.from((await reader.drawIcon(path, 'ann', info.icon)) ?? []);
    expect(readPngSize(png)).toEqual({ width: 512, height: 512 });
  });

  it('matches each response to its request when many run concurrently', async () => {
    const reader = open({ maxWaitMs: 0 });
    const names = Array.from({ length: 20 }, (_, index) => `com.example.n${index}`);
    const paths = await Promise.all(names.map((packageName) => save(packageName, buildApk({ packageName }))));
    const read = await Promise.all(paths.map((path) => reader.read(path, 'ann')));
    expect(read.map(({ info }) => info.packageName)).toEqual(names);
  });

  it('distinguishes invalid packages from failures', async () => {
    const reader = open();
    const text = await save('text.apk', Buffer.from('hello'));
    await expect(reader.read(text, 'ann')).rejects.toThrow(UnreadablePackage);
    await expect(reader.read(text, 'ann')).rejects.toThrow('this is a text file, not an APK or IPA');
    const missing = await reader.read(join(folder, 'missing'), 'ann').catch((error: unknown) => error);
    expect(missing).toBeInstanceOf(Error);
    expect(missing).not.toBeInstanceOf(UnreadablePackage);
  });

  it('ends running and waiting tasks on close and leaves no process and no link', async () => {
    const processes = await watchProcesses(async () => {
      const reader = open({ factsProcesses: 1 });
      const apk = await save('a.apk', buildApk());
      await reader.read(apk, 'ann');
      const tasks = [
        reader.read(apk, 'ann'),
        reader.drawMonogram('Test', 'seed', 'ann'),
        reader.read(apk, 'ann'),
      ] as const;
      const settled = Promise.allSettled(tasks);
      await reader.close();
      const reason = new Error('the package reader is closed');
      expect(await settled).toEqual(Array(3).fill({ status: 'rejected', reason }));
      await expect(reader.read(apk, 'ann')).rejects.toThrow(reason);
      expect(await readdir(join(folder, 'reading'))).toEqual([]);
    });
    expect(processes.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL']);
  });

  it('removes the links that a killed server left', async () => {
    await mkdir(join(folder, 'reading'));
    await symlink('/etc/passwd', join(folder, 'reading', 'left'));
    await open().read(await save('a.apk', buildApk()), 'ann');
    expect(await readdir(join(folder, 'reading'))).toEqual([]);
  });

  it('keeps a process ready for the next package', async () => {
    const processes = await watchProcesses(async (started) => {
      const reader = open();
      reader.prepare();
      reader.prepare();
      expect(started).toHaveLength(1);
      await reader.read(await save('a.apk', buildApk()), 'ann');
      await reader.close();
      reader.prepare();
    });
    expect(processes).toHaveLength(1);
  });

  it('starts another process for a waiting package, but not for one that is only expected', async () => {
    const processes = await watchProcesses(async () => {
      const reader = open({ maxWaitMs: 60_000 });
      const apk = await save('a.apk', buildApk());
      await Promise.all(Array.from({ length: 20 }, () => reader.read(apk, 'ann')));
    });
    expect(processes).toHaveLength(1);
  });

  it('reads a package while it verifies another', async () => {
    const verifying = await save('large', Buffer.from(JSON.stringify({ behavior: 'nothing', answer: null })));
    const answer = {
      ok: true,
      value: { bundleIdentifier: 'a', appFolder: 'a', name: 'a', minimumOsVersion: null },
    };
    const reading = await save('small', Buffer.from(JSON.stringify({ behavior: 'answer', answer })));
    const reader = createPackageReader({ folder: join(folder, 'reading'), entry: impostor });
    readers.push(reader);
    const verified = reader.verifySignature(verifying, 'ann').catch((error: unknown) => error);
    expect(await reader.readSimulatorZip(reading, 'ann')).toEqual(answer.value);
    await reader.close();
    expect(await verified).toEqual(new Error('the package reader is closed'));
  });
});

describe('a conversion', () => {
  const keys = [encodeSigningKey(createTestKey('rsa-2048'))];
  const request = { keys, contentBytes: 1000, maxApkBytes, onProgress: () => undefined };

  it('returns the APK as a file, with its size and hash, and reports its progress', async () => {
    const reader = open();
    const files = { 'base/assets/a': randomBytes(100), 'base/assets/b': randomBytes(100) };
    const parts: number[] = [];
    const made = await reader.convertBundle(await save('a.aab', buildBundle({ files })), 'ann', {
      ...request,
      onProgress: (part) => parts.push(part),
    });
    const bytes = await readFile(made.path);
    expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
      made.sizeBytes,
      made.sha256,
    ]);
    const { info } = await reader.read(made.path, 'ann');
    expect(made.info).toEqual(info);
    expect(await reader.verifySignature(made.path, 'ann')).toMatchObject({ verified: true });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.toSorted((one, other) => one - other)).toEqual(parts);
    await made.dispose();
    expect(await readdir(join(folder, 'reading'))).toEqual([]);
  });

  it('of a damaged bundle, or of another file, leaves no file, and the next one succeeds', async () => {
    const reader = open();
    const damaged = await save('damaged.aab', buildBundle({ isDamaged: true }));
    await expect(reader.convertBundle(damaged, 'ann', request)).rejects.toThrow(UnreadablePackage);
    const apk = await save('a.apk', buildApk());
    await expect(reader.convertBundle(apk, 'ann', request)).rejects.toThrow('not an Android App Bundle');
    expect(await readdir(join(folder, 'reading'))).toEqual([]);
    const good = await save('good.aab', buildBundle());
    const made = await Promise.all([1, 2].map(() => reader.convertBundle(good, 'ann', request)));
    expect(new Set(made.map(({ sha256 }) => sha256)).size).toBe(1);
    for (const { dispose } of made) await dispose();
  });

  it('never writes more than the permitted bytes', async () => {
    const reader = open();
    const bundle = await save('large.aab', buildBundle({ files: { 'base/assets/a': randomBytes(100_000) } }));
    const { conversion } = await reader.read(bundle, 'ann');
    expect(conversion?.apkBytes).toBeGreaterThan(100_000);
    const limited = reader.convertBundle(bundle, 'ann', { ...request, maxApkBytes: 99_000 });
    await expect(limited).rejects.toThrow('larger than permitted');
    expect(await readdir(join(folder, 'reading'))).toEqual([]);
    const { sizeBytes, dispose } = await reader.convertBundle(bundle, 'ann', request);
    expect(Math.abs(sizeBytes - (conversion?.apkBytes ?? 0))).toBeLessThan(20_000);
    const exact = await reader.convertBundle(bundle, 'ann', { ...request, maxApkBytes: sizeBytes });
    await expect(
      reader.convertBundle(bundle, 'ann', { ...request, maxApkBytes: sizeBytes - 1 }),
    ).rejects.toThrow('larger than permitted');
    await dispose();
    await exact.dispose();
  });

  it('may take the longer, the more the bundle contains', async () => {
    const bundle = await save('a.aab', buildBundle());
    const hurried = open({ conversionMs: { base: 0, perMebibyte: 600_000 } });
    await expect(hurried.convertBundle(bundle, 'ann', { ...request, contentBytes: 0 })).rejects.toThrow(
      'it takes too long to read',
    );
    const made = await hurried.convertBundle(bundle, 'ann', { ...request, contentBytes: 1024 * 1024 });
    await made.dispose();
  });
});

describe('owners', () => {
  it('take turns, however many tasks one of them has', async () => {
    const reader = open({ factsProcesses: 1 });
    const apk = await save('a.apk', buildApk());
    const done: string[] = [];
    const read = (owner: string) => reader.read(apk, owner).then(() => done.push(owner));
    const owners = ['ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'cara'];
    await Promise.all(owners.map(read));
    expect(done).toEqual(['ann', 'ann', 'bob', 'cara', 'ann', 'bob', 'ann']);
  });
});

describe('a failure', () => {
  it('says how long its package was read, without the wait behind others', async () => {
    const reader = createPackageReader({
      folder: join(folder, 'reading'),
      entry: impostor,
      limits: { factsProcesses: 1, maxFactsMs: 300 },
    });
    readers.push(reader);
    const stalling = await save(
      'stalling',
      Buffer.from(JSON.stringify({ behavior: 'nothing', answer: null })),
    );
    const answer = { ok: false, unreadable: true, message: 'bad', stack: '' };
    const bad = await save('bad', Buffer.from(JSON.stringify({ behavior: 'answer', answer })));
    const begun = performance.now();
    const fail = (path: string, owner: string) =>
      reader.read(path, owner).then(
        () => Number.NaN,
        (error: UnreadablePackage) => error.workMs,
      );
    const [first = 0, second = 0] = await Promise.all([fail(stalling, 'ann'), fail(bad, 'bob')]);
    expect(first).toBeGreaterThanOrEqual(299);
    expect(second).toBeGreaterThan(0);
    expect(first + second).toBeLessThanOrEqual(performance.now() - begun);
  });
});

describe('package reader limits', () => {
  it.each([
    ['maxFactsMs', (reader: PackageReader, path: string) => reader.read(path, 'ann')],
    ['maxVerificationMs', (reader: PackageReader, path: string) => reader.verifySignature(path, 'ann')],
    ['maxDrawingMs', (reader: PackageReader) => reader.drawMonogram('Test', 'seed', 'ann')],
    [
      'maxConversionMs',
      (reader: PackageReader, path: string) =>
        reader.convertBundle(path, 'ann', {
          keys: [],
          contentBytes: 1,
          maxApkBytes,
          onProgress: () => undefined,
        }),
    ],
    [
      'maxKeystoreMs',
      (reader: PackageReader, path: string) => reader.readKeystore(path, 'ann', { password: '' }),
    ],
  ] as const)('%s: a package that takes longer is rejected, and the next one is read', async (limit, act) => {
    const apk = await save('a.apk', buildApk());
    const hurried = open({ [limit]: 1 });
    const error = await act(hurried, apk).catch((reason: unknown) => reason);
    expect(error).toEqual(new UnreadablePackage('it takes too long to read'));
    expect(error).toBeInstanceOf(UnreadablePackage);
    if (limit !== 'maxFactsMs')
      expect((await hurried.read(apk, 'ann')).info.packageName).toBe('com.example.test');
  });

  it('verificationMs: a larger package has more time for its signature', async () => {
    const apk = await save('a.apk', buildApk());
    const verify = (perMebibyte: number) =>
      open({ verificationMs: { base: 0, perMebibyte } }).verifySignature(apk, 'ann');
    await expect(verify(0)).rejects.toThrow('it takes too long to read');
    expect(await verify(1e8)).toMatchObject({ verified: false });
  });

  it('maxIdleMs: an idle process ends, and a new one reads the next package', async () => {
    await watchProcesses(async (processes) => {
      const reader = open({ maxIdleMs: 1 });
      const apk = await save('a.apk', buildApk());
      expect((await reader.read(apk, 'ann')).info.packageName).toBe('com.example.test');
      expect(processes).toHaveLength(1);
      if (processes[0]?.signalCode === null) await once(processes[0], 'exit');
      expect((await reader.read(apk, 'ann')).info.packageName).toBe('com.example.test');
      expect(processes).toHaveLength(2);
    });
  });

  it('maxStartMs: a process that does not start is a server error, not a package error', async () => {
    const error = await open({ maxStartMs: 1 })
      .read(await save('a.apk', buildApk()), 'ann')
      .catch((reason: unknown) => reason);
    expect(error).toEqual(new PackageReaderUnavailable('the package reader process does not start'));
    expect(error).not.toBeInstanceOf(UnreadablePackage);
  });

  it.runIf(runsEverything).each<[name: string, limits: Partial<PackageReaderLimits>]>([
    ['maxHeapMebibytes', { maxHeapMebibytes: 32 }],
    // Only on Linux; elsewhere the heap is limited.
    [
      'maxDataMebibytes',
      { maxHeapMebibytes: process.platform === 'linux' ? 2048 : 32, maxDataMebibytes: 700 },
    ],
  ])('%s: a package that needs more memory is rejected, and the next one is read', async (_, limits) => {
    const reader = open(limits);
    // About 80 MiB of names; a small package needs 12 MiB. The limit is approximate.
    const names = Array.from({ length: 150_000 }, (_, index) => ({ name: `${index}`.padEnd(250, 'n') }));
    const path = await save('hungry.apk', buildZip(names));
    await expect(reader.read(path, 'ann')).rejects.toThrow(
      new UnreadablePackage('it needs too much memory to read'),
    );
    const small = await save('small.apk', buildApk());
    expect((await reader.read(small, 'ann')).info.packageName).toBe('com.example.test');
  });
});
