/** The cost of analyzing large packages, each in a package process of its own. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPackageReader } from '../src/packages/package-reader.ts';
import { buildElf } from '../test/packages/analysis/android-fixtures.ts';
import { manifestMessage } from '../test/packages/bundle/bundle-messages.ts';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildDex } from '../test/support/build-dex.ts';
import { ipaEntries } from '../test/support/build-ipa.ts';
import { buildZip } from '../test/support/build-zip.ts';
import { watchProcesses } from '../test/support/watch-processes.ts';
import { atMost, type Result, round } from './measure.ts';
import { tableOf } from './resource-tables.ts';
import { cpuSecondsOf, memoryOf } from './run-server.ts';

const mebibyte = 1024 * 1024;
const [maxSecondsPer100Megabytes, maxMebibytes] = [5, 96];
const entry = fileURLToPath(new URL('../dist/packages/package-child-main.js', import.meta.url));

export async function benchAnalyses(folder: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const [kind, build] of Object.entries(packages)) {
    const path = join(folder, `analyzed.${kind.toLowerCase()}`);
    const bytes = build();
    await writeFile(path, bytes);
    const { seconds, peakBytes, gaps } = await analyze(path, join(folder, 'analyzing'));
    const megabytes = bytes.length / 1e6;
    results.push(
      atMost(
        `analysis of an ${kind} of ${round(megabytes)} MB, processor time per 100 MB`,
        (seconds / megabytes) * 100,
        maxSecondsPer100Megabytes,
        ' s',
        gaps === 0 ? '' : `${gaps} parts not analyzed`,
      ),
      atMost('its peak memory', peakBytes / mebibyte, maxMebibytes, ' MiB'),
    );
    await rm(path);
  }
  return results;
}

async function analyze(path: string, folder: string) {
  const packages = createPackageReader({ folder, entry });
  let measured = { seconds: 0, peakBytes: 0, gaps: 0 };
  await watchProcesses(async (started) => {
    const { gaps } = await packages.analyze(path, 'ann');
    const pid = started[0]?.pid ?? 0;
    measured = { seconds: cpuSecondsOf(pid), peakBytes: memoryOf(pid).peakBytes, gaps: gaps.length };
  });
  await packages.close();
  return measured;
}

interface PackedFile {
  name: string;
  content: Buffer;
  method: 0 | 8;
}

/** Half random and half text, like code. */
const code = (bytes: number) =>
  Buffer.concat(
    Array.from({ length: bytes / 2048 }, () => [
      randomBytes(1024),
      Buffer.from('invoke-virtual '.repeat(69)),
    ]).flat(),
  );
const filesOf = (count: number, bytes: number, nameOf: (at: number) => string, method: 0 | 8 = 0) =>
  Array.from(
    { length: count },
    (_, at): PackedFile => ({ name: nameOf(at), content: randomBytes(bytes), method }),
  );

/** 150 MB: libraries for two ABIs, thousands of images, and assets, of which some are equal. */
const contents = (prefix: string): PackedFile[] => [
  ...['arm64-v8a', 'x86_64'].flatMap((abi) =>
    Array.from(
      { length: 4 },
      (_, at): PackedFile => ({
        name: `${prefix}lib/${abi}/libtide${at}.so`,
        content: Buffer.concat([buildElf(), code(8 * mebibyte)]),
        method: 8,
      }),
    ),
  ),
  ...filesOf(4000, 10_000, (at) => `${prefix}res/drawable-xxhdpi/image_${at}.png`),
  ...filesOf(6, 8 * mebibyte, (at) => `${prefix}assets/video_${at}.mp4`),
  ...Array.from(
    { length: 4 },
    (_, at): PackedFile => ({
      name: `${prefix}assets/copy_${at}.bin`,
      content: Buffer.alloc(8 * mebibyte, 'the same '),
      method: 0,
    }),
  ),
];

const classes = Array.from({ length: 20_000 }, (_, at) => ({
  name: `Lcom/example/part${at % 300}/Class${at};`,
  units: 150,
}));
const dexFiles = (prefix: string): PackedFile[] =>
  ['classes.dex', 'classes2.dex'].map((name) => ({
    name: `${prefix}${name}`,
    content: buildDex(classes),
    method: 8,
  }));

const packages: Readonly<Record<string, () => Buffer>> = {
  APK: () =>
    buildZip([
      ...apkEntries({ packageName: 'com.example.large' }).filter(({ name }) => name !== 'classes.dex'),
      ...dexFiles(''),
      ...contents(''),
    ]),
  AAB: () =>
    buildZip([
      { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
      { name: 'base/resources.pb', content: tableOf(90_000), method: 8 },
      ...dexFiles('base/dex/'),
      ...contents('base/'),
    ]),
  IPA: () => buildZip([...ipaEntries({}), ...contents('Payload/Tide.app/')]),
};
