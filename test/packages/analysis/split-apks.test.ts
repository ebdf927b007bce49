/** Sets of APKs that bundletool generates: what the reference device gets is analyzed, and nothing else. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzeFile } from '../../../src/packages/analysis/analyze-package.ts';
import {
  compressedSizeOf,
  maxCompressedSplitBytes,
  maxDeliveredApks,
  maxTocBytes,
} from '../../../src/packages/analysis/split-apks.ts';
import { apkEntries } from '../../support/build-apk.ts';
import { buildDex } from '../../support/build-dex.ts';
import { appEntries } from '../../support/build-ipa.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { encode, type Field } from '../bundle/bundle-messages.ts';
import { buildElf } from './android-fixtures.ts';

const analyze = (files: readonly ZipEntrySpec[]) => analyzeFile(fileInMemory(buildZip(files)));

/** `ApkDescription` of a split; `targeting` has the number of the dimension in `ApkTargeting` and the encoded values. */
const split = (path: string, isMaster: boolean, ...targeting: Field[]): Field => [
  2,
  encode([1, encode(...targeting)], [2, path], [3, encode([1, ''], [2, isMaster ? 1 : 0])]),
];
const alias = (...values: number[]) => encode(...values.map((value): Field => [1, encode([1, value])]));
const [abi, language, density, texture] = [1, 3, 4, 6];
/** Delivery of modules: 1 with the app, 2 on demand. */
const module = (name: string, delivery: number, ...apks: Field[]): Field => [
  2,
  encode([1, encode([1, name], [6, delivery])], ...apks),
];
const variant = (minSdk: number, ...modules: Field[]): Field => [
  1,
  encode([1, encode([1, encode([1, encode([1, encode([1, minSdk])])])])], ...modules),
];

const dex = buildDex([{ name: 'a.b.C', units: 9 }]);
const apk = (...files: ZipEntrySpec[]) => buildZip(files);
const stored = (name: string, content: string | Buffer): ZipEntrySpec => ({ name, content, method: 0 });
const base = buildZip([
  ...apkEntries({ packageName: 'com.example.set' }).filter(({ name }) => name !== 'classes.dex'),
  stored('classes.dex', dex),
]);

const toc = encode(
  variant(21, module('base', 1, split('splits/base-master.apk', true))),
  variant(
    24,
    module(
      'base',
      1,
      split('splits/base-arm.apk', false, [abi, alias(2)]),
      split('splits/base-arm64.apk', false, [abi, alias(3)]),
      split('splits/base-xhdpi.apk', false, [density, alias(6)]),
      split('splits/base-xxhdpi.apk', false, [density, alias(7)]),
      split('splits/base-en.apk', false, [language, encode([1, 'en'])]),
      split('splits/base-ja.apk', false, [language, encode([1, 'ja'])]),
      split('splits/base-astc.apk', false, [texture, alias(4)]),
      split('splits/base-master_2.apk', true),
    ),
    module('camera', 1, split('splits/camera-master.apk', true)),
    module('later', 2, split('splits/later-master.apk', true)),
  ),
  [
    3,
    encode(
      [1, encode([1, 'pack'], [4, 1])],
      [2, encode([2, 'asset-slices/pack-master.apk'], [7, encode([2, 1])])],
    ),
  ],
);
const setFiles: ZipEntrySpec[] = [
  { name: 'toc.pb', content: toc, method: 8 },
  stored('splits/base-master.apk', 'of an older variant'),
  stored('splits/base-master_2.apk', base),
  stored('splits/base-arm64.apk', apk(stored('lib/arm64-v8a/liba.so', buildElf()))),
  stored('splits/base-arm.apk', 'not read'),
  stored('splits/base-xxhdpi.apk', apk(stored('res/drawable-xxhdpi/a.png', 'picture'))),
  stored('splits/base-xhdpi.apk', 'not read'),
  stored('splits/base-en.apk', apk(stored('resources.arsc', 'words'))),
  stored('splits/base-ja.apk', 'not read'),
  stored('splits/base-astc.apk', 'not read'),
  stored(
    'splits/camera-master.apk',
    apk(stored('classes.dex', dex), stored('META-INF/a.b_c.version', '1.2')),
  ),
  stored('splits/later-master.apk', 'not read'),
  stored('asset-slices/pack-master.apk', apk(stored('assets/level.bin', 'level'))),
];

describe('a set of split APKs', () => {
  it('is analyzed as the APKs that the reference device gets', async () => {
    const { gaps, size, android, dependencies, ios } = await analyze(setFiles);
    expect([gaps, ios]).toEqual([[], null]);
    expect(
      size.files
        .map(({ path }) => path)
        .filter((path) => path.includes('.apk/'))
        .sort(),
    ).toEqual([
      'base-arm64.apk/lib/arm64-v8a/liba.so',
      'base-en.apk/resources.arsc',
      'base-xxhdpi.apk/res/drawable-xxhdpi/a.png',
      'camera-master.apk/META-INF/a.b_c.version',
      'camera-master.apk/classes.dex',
      'pack-master.apk/assets/level.bin',
    ]);
    expect(android?.dex.map(({ path }) => path)).toEqual(['classes.dex', 'camera-master.apk/classes.dex']);
    expect(android?.nativeLibraries).toMatchObject([{ abi: 'arm64-v8a', stored: true, minAlignment: 16384 }]);
    expect(dependencies.libraries.map(({ name }) => name)).toEqual(['c', 'liba.so']);
    const categories = Object.fromEntries(size.categories.map((one) => [one.category, one.files]));
    expect(categories).toMatchObject({ code: 2, native: 1, assets: 1, images: expect.any(Number) });
  });

  it('downloads those APKs as gzip makes them, which is an estimate', async () => {
    const { size } = await analyze(setFiles);
    const delivered = /base-master_2|arm64|xxhdpi|-en|camera|pack/;
    const apks = setFiles.filter(({ name }) => delivered.test(String(name)));
    const bytes = apks.reduce((sum, { content = '' }) => sum + content.length, 0);
    expect(size.install).toEqual({ bytes, exact: false });
    expect(size.download.exact).toBe(false);
    expect(size.download.bytes).toBeLessThan(bytes);
  });

  it('is refused without an APK for the device, and with more than maxDeliveredApks', async () => {
    const withToc = (...fields: Field[]) => analyze([{ name: 'toc.pb', content: encode(...fields) }]);
    await expect(withToc()).rejects.toThrow(/set of APKs/);
    const many = Array.from({ length: maxDeliveredApks + 1 }, (_, at) => split(`splits/${at}.apk`, true));
    await expect(withToc(variant(21, module('base', 1, ...many)))).rejects.toThrow(/set of APKs/);
  });

  it('is refused if its table exceeds maxTocBytes', async () => {
    const content = encode([4, Buffer.alloc(maxTocBytes)]);
    await expect(analyze([{ name: 'toc.pb', content, method: 8 }])).rejects.toThrow('toc.pb');
  });

  it('has the APK for the best ABI, if each is complete', async () => {
    const complete = (path: string, value: number): Field => [
      1,
      encode(
        [1, encode([2, alias(value)])],
        [2, encode([1, encode([1, 'base'])], [2, encode([2, path], [4, encode()])])],
      ),
    ];
    const { size, android } = await analyze([
      {
        name: 'toc.pb',
        content: encode(complete('standalones/x86.apk', 4), complete('standalones/arm.apk', 3)),
      },
      stored('standalones/x86.apk', 'not read'),
      stored('standalones/arm.apk', base),
    ]);
    expect([size.install.bytes, android?.dex.length]).toEqual([base.length, 1]);
  });

  it('compresses maxCompressedSplitBytes, and counts the rest as it is', async () => {
    const file = fileInMemory(Buffer.alloc(100_000));
    const apks = [{ name: 'a', file }];
    expect(await compressedSizeOf(apks)).toBeLessThan(1_000);
    expect(await compressedSizeOf(apks, 50_000)).toBeGreaterThan(50_000);
    expect(maxCompressedSplitBytes).toBe(48 * 1024 * 1024);
  });
});

/** `bundletool get-size total` of the real sets. */
const measured = [
  ['mlevytskiy__Core__6ff349be.apks', 1_031_751],
  ['pharaburda__Sample_Instant_Application__29656683.apks', 3_474_523],
] as const;

it.skipIf(!runsEverything || !sharedFixturesPresent).each(measured)(
  'measures %s like bundletool',
  async (name, bytes) => {
    const file = fileInMemory(readFileSync(sharedFixturePath(`aab/real/${name}`)));
    const { size, gaps } = await analyzeFile(file);
    expect(gaps).toEqual([]);
    expect(Math.abs(size.download.bytes / bytes - 1)).toBeLessThan(0.01);
  },
);

describe('a zip archive for the simulator', () => {
  it('is analyzed like an app, and downloaded as it is', async () => {
    const entries = appEntries({}, 'Build/Products/Test.app/').map((one) => ({ ...one, method: 8 as const }));
    const bytes = buildZip([...entries, { name: '__MACOSX/Build/Products/._Test.app', content: 'x' }]);
    const { gaps, ios, android, size } = await analyzeFile(fileInMemory(bytes));
    expect([gaps, android]).toEqual([[], null]);
    expect(ios?.executables.map(({ path }) => path)).toEqual(['Build/Products/Test.app/Test']);
    expect(size.download).toEqual({ bytes: bytes.length, exact: true });
    expect(size.install.bytes % 4096).toBe(0);
    expect(size.install.bytes).toBeGreaterThan(0);
    expect(size.categories.find(({ category }) => category === 'metadata')?.files).toBeGreaterThan(1);
  });
});

it('refuses an archive without an app, and states what it is', async () => {
  await expect(analyze([{ name: 'a.txt', content: 'x' }])).rejects.toThrow('without an Android or iOS app');
});
