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
import { appEntries } from '../../support/build-ipa.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { encode, type Field } from '../bundle/bundle-messages.ts';
import { alias, baseApk, module, setFiles, split, stored, variant } from './split-fixtures.ts';

const analyze = (files: readonly ZipEntrySpec[]) => analyzeFile(fileInMemory(buildZip(files)));

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
      stored('standalones/arm.apk', baseApk),
    ]);
    expect([size.install.bytes, android?.dex.length]).toEqual([baseApk.length, 1]);
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
