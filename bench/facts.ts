/** The cost of reading a package in a warm package process. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDeflateRaw } from 'node:zlib';
import { UnreadablePackage } from '../src/packages/package-info.ts';
import { createPackageReader, type PackageReader } from '../src/packages/package-reader.ts';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildZip } from '../test/support/build-zip.ts';
import { atMost, median, type Result, round } from './measure.ts';

const mebibyte = 1024 * 1024;
const rounds = 30;

export async function benchFacts(files: { small: string; large: string; folder: string }): Promise<Result[]> {
  const bomb = join(files.folder, 'bomb.apk');
  await writeFile(bomb, await bombOf(1024));
  const packages = createPackageReader({ folder: join(files.folder, 'reading') });
  try {
    const small = await msOf(() => packages.read(files.small, 'ann'));
    const large = await msOf(() => packages.read(files.large, 'ann'));
    const before = process.memoryUsage().rss;
    const refused = await msOf(() => refusal(packages, bomb));
    const grown = (process.memoryUsage().rss - before) / mebibyte;
    return [
      atMost('facts of a 4 MB APK, warm', small.median, 10, ' ms', `least ${round(small.minimum)} ms`),
      atMost('facts of the large APK, warm', large.median, 10, ' ms', `least ${round(large.minimum)} ms`),
      atMost(
        'a bomb that inflates to 1 GiB is refused',
        refused.median,
        50,
        ' ms',
        `${round(grown)} MiB more`,
      ),
    ];
  } finally {
    await packages.close();
    await rm(bomb);
  }
}

async function refusal(packages: PackageReader, path: string): Promise<void> {
  const error = await packages.read(path, 'ann').then(
    () => new Error('the bomb was accepted as a package'),
    (fault: unknown) => fault,
  );
  if (!(error instanceof UnreadablePackage)) throw error;
}

async function msOf(work: () => Promise<unknown>): Promise<{ median: number; minimum: number }> {
  await work();
  const all: number[] = [];
  for (let count = 0; count < rounds; count++) {
    const before = performance.now();
    await work();
    all.push(performance.now() - before);
  }
  return { median: median(all), minimum: Math.min(...all) };
}

/** An APK whose manifest is this many MiB of zeros, compressed to a thousandth, with a small declared size. */
async function bombOf(mebibytes: number): Promise<Buffer> {
  const deflate = createDeflateRaw();
  const zeros = Buffer.alloc(mebibyte);
  const packed: Buffer[] = [];
  deflate.on('data', (chunk: Buffer) => packed.push(chunk));
  const ended = new Promise((resolve) => deflate.once('end', resolve));
  for (let count = 0; count < mebibytes; count++) {
    if (!deflate.write(zeros)) await new Promise((resolve) => deflate.once('drain', resolve));
  }
  deflate.end();
  await ended;
  const entries = apkEntries({ packageName: 'com.example.bomb' }).map((entry) =>
    entry.name === 'AndroidManifest.xml'
      ? { ...entry, method: 8, packed: Buffer.concat(packed), uncompressedBytes: 4096 }
      : entry,
  );
  return buildZip(entries);
}
