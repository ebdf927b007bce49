/** The cost of analyzing large packages, each in a package process of its own. */
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
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
import { sharedFixturePath } from '../test/support/shared-fixtures.ts';
import { watchProcesses } from '../test/support/watch-processes.ts';
import { atMost, type Result, round } from './measure.ts';
import { tableOf } from './resource-tables.ts';
import { cpuSecondsOf, memoryOf } from './run-server.ts';

const mebibyte = 1024 * 1024;
const [maxSecondsPer100Megabytes, maxMebibytes] = [5, 96];
/** A real Mach-O file of 2 MB. */
const macLibrary = new URL('../node_modules/better-sqlite3/prebuilds/darwin-arm64.node', import.meta.url);
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
        gaps === 0 ? '' : `${gaps ?? 'all'} parts not analyzed`,
      ),
      atMost('its peak memory', peakBytes / mebibyte, maxMebibytes, ' MiB'),
    );
    await rm(path);
  }
  return results;
}

/** Every shared package, if present. The largest figures name the package. */
export async function benchRealAnalyses(folder: string): Promise<Result[]> {
  const paths = globSync(sharedFixturePath('**/*.{apk,apks,aab,ipa,zip}'));
  if (paths.length === 0) return [];
  const all: (Measured & { path: string; bytes: number })[] = [];
  for (const path of paths)
    all.push({ ...(await analyze(path, join(folder, 'analyzing'))), path, bytes: statSync(path).size });
  const read = all.filter(({ gaps }) => gaps !== null);
  const largest = (figure: (one: Measured) => number) =>
    all.reduce((most, one) => (figure(one) > figure(most) ? one : most));
  const [slowest, widest] = [largest(({ seconds }) => seconds), largest(({ peakBytes }) => peakBytes)];
  const sum = (figure: (one: Measured & { bytes: number }) => number) =>
    read.reduce((total, one) => total + figure(one), 0);
  const megabytes = sum(({ bytes }) => bytes) / 1e6;
  const note = `${read.length} of ${all.length} packages with ${round(megabytes)} MB, each in a new process; ${round(sum(({ seconds }) => seconds))} s in all`;
  return [
    atMost(
      'real packages, at most',
      slowest.seconds,
      maxSecondsPer100Megabytes,
      ' s',
      `${note}; ${slowest.path}`,
    ),
    atMost('their peak memory', widest.peakBytes / mebibyte, maxMebibytes, ' MiB', widest.path),
  ];
}

interface Measured {
  seconds: number;
  peakBytes: number;
  /** Null if the package is refused. */
  gaps: number | null;
}

async function analyze(path: string, folder: string): Promise<Measured> {
  const packages = createPackageReader({ folder, entry });
  let measured: Measured = { seconds: 0, peakBytes: 0, gaps: null };
  await watchProcesses(async (started) => {
    const gaps = await packages.analyze(path, 'ann').then(
      (analysis) => analysis.gaps.length,
      () => null,
    );
    const pid = started[0]?.pid ?? 0;
    measured = { seconds: cpuSecondsOf(pid), peakBytes: memoryOf(pid).peakBytes, gaps };
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
  IPA: () =>
    buildZip([
      ...ipaEntries({ executable: readFileSync(macLibrary) }),
      ...Array.from({ length: 20 }, (_, at): PackedFile[] => {
        const folder = `Payload/Test.app/Frameworks/Kit${at}.framework`;
        return [
          { name: `${folder}/Info.plist`, content: Buffer.from('<plist><dict></dict></plist>'), method: 8 },
          { name: `${folder}/Kit${at}`, content: readFileSync(macLibrary), method: 8 },
        ];
      }).flat(),
      ...contents('Payload/Test.app/'),
    ]),
};
