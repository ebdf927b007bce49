/** What could be left out of a package, in exact bytes, with the limits of each rule. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findSavings, type SizeSaving } from '../../../src/insight/size/size-savings.ts';
import type { PackageAnalysis, SizeAnalysis } from '../../../src/packages/analysis/analysis.ts';
import { analyzeFile } from '../../../src/packages/analysis/analyze-package.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { androidAnalysis, iosAnalysis, withLibrary } from '../checks/analyses.ts';

const withSizes = (size: Partial<SizeAnalysis>): PackageAnalysis => {
  const analysis = androidAnalysis();
  return { ...analysis, size: { ...analysis.size, ...size } };
};
/** One library per `[path, changes]`. */
const withLibraries = (...libraries: readonly Parameters<typeof withLibrary>[0][]): PackageAnalysis => {
  const analysis = androidAnalysis();
  const nativeLibraries = libraries.flatMap((one) => withLibrary(one).android?.nativeLibraries ?? []);
  return { ...analysis, android: analysis.android && { ...analysis.android, nativeLibraries } };
};
const savingOf = (kind: SizeSaving['kind'], analysis: PackageAnalysis) =>
  findSavings(analysis).find((one) => one.kind === kind) ?? null;
const analyzed = (...files: readonly (readonly [name: string, content: Buffer])[]) =>
  analyzeFile(
    fileInMemory(
      buildZip([
        { name: 'AndroidManifest.xml', content: Buffer.from('x') },
        ...files.map(([name, content]) => ({ name, content })),
      ]),
    ),
  );

describe('duplicates', () => {
  it('save every copy but one', () => {
    const duplicates = [
      { bytes: 20_000, paths: ['a', 'b', 'c'] },
      { bytes: 50_000, paths: ['d', 'e'] },
    ];
    expect(savingOf('duplicates', withSizes({ duplicates }))).toEqual({
      kind: 'duplicates',
      bytes: 90_000,
      items: [
        { name: 'd', bytes: 50_000, count: 2 },
        { name: 'a', bytes: 40_000, count: 3 },
      ],
    });
  });

  it('are reported from 10,000 bytes together', () => {
    const savedBytes = (bytes: number) =>
      savingOf('duplicates', withSizes({ duplicates: [{ bytes, paths: ['a', 'b', 'c'] }] }))?.bytes;
    expect([savedBytes(4_999), savedBytes(5_000)]).toEqual([undefined, 10_000]);
  });

  it('are files of at least 512 bytes with the same content', async () => {
    const [small, least, other] = [randomBytes(511), randomBytes(512), randomBytes(512)];
    const { size } = await analyzed(
      ['assets/small-1', small],
      ['assets/small-2', small],
      ['assets/least-1', least],
      ['assets/least-2', least],
      ['assets/other', other],
    );
    expect(size.duplicates).toEqual([{ bytes: 512, paths: ['assets/least-1', 'assets/least-2'] }]);
  });
});

describe('unstripped symbols', () => {
  it('are those of libraries and executables, with their debug information', () => {
    const android = withLibraries(
      { path: 'lib/arm64-v8a/libtide.so', symbolBytes: 60_000, debugBytes: 40_000 },
      { path: 'lib/arm64-v8a/libwave.so', symbolBytes: 99_999, debugBytes: 0 },
    );
    expect(savingOf('symbols', android)).toEqual({
      kind: 'symbols',
      bytes: 100_000,
      items: [{ name: 'lib/arm64-v8a/libtide.so', bytes: 100_000, count: 1 }],
    });
    const ios = iosAnalysis();
    ios.ios?.executables.splice(0, Number.POSITIVE_INFINITY, {
      path: 'Payload/Tide.app/Tide',
      bytes: 500_000,
      sdkVersion: null,
      minOs: null,
      platform: null,
      linked: [],
      symbolBytes: 120_000,
      debugBytes: 30_000,
      requiredReasonApis: [],
      uuid: null,
    });
    expect(savingOf('symbols', ios)?.bytes).toBe(150_000);
  });

  it('are not worth a line below 100,000 bytes per file', () => {
    const many = Array.from({ length: 5 }, (_, at) => ({ path: `lib${at}.so`, symbolBytes: 99_999 }));
    expect(savingOf('symbols', withLibraries(...many))).toBeNull();
  });
});

describe('libraries for other architectures', () => {
  const of = (abi: string, bytes: number) => ({ path: `lib/${abi}/libtide.so`, abi, bytes });

  it('save everything but the libraries of 64-bit ARM, by architecture', () => {
    const analysis = withLibraries(of('x86', 300), of('armeabi-v7a', 400), of('arm64-v8a', 500), {
      ...of('x86', 50),
      path: 'lib/x86/libwave.so',
    });
    expect(savingOf('architectures', analysis)).toEqual({
      kind: 'architectures',
      bytes: 750,
      items: [
        { name: 'armeabi-v7a', bytes: 400, count: 1 },
        { name: 'x86', bytes: 350, count: 2 },
      ],
    });
  });

  it('keep the architecture of most devices if there is none for 64-bit ARM', () => {
    const saving = savingOf('architectures', withLibraries(of('x86', 300), of('armeabi-v7a', 400)));
    expect(saving?.items.map(({ name }) => name)).toEqual(['x86']);
  });

  it('are not counted for a single architecture, nor for app bundles, which stores split', () => {
    expect(savingOf('architectures', withLibraries(of('x86', 300)))).toBeNull();
    const bundle = withLibraries(of('x86', 300), of('arm64-v8a', 500));
    bundle.size.download = { bytes: 1, exact: false };
    expect(savingOf('architectures', bundle)).toBeNull();
  });
});

describe('large media', () => {
  it('are listed with their size, because how much they can shrink depends on their content', () => {
    const file = (path: string, bytes: number) =>
      ({ path, kind: 'image', bytes, width: null, height: null }) as const;
    const media = [file('small.png', 200_000), file('large.png', 900_000)];
    expect(savingOf('media', withSizes({ media }))).toEqual({
      kind: 'media',
      bytes: 1_100_000,
      items: [
        { name: 'large.png', bytes: 900_000, count: 1 },
        { name: 'small.png', bytes: 200_000, count: 1 },
      ],
    });
  });

  it.each([
    ['image', 'png', 100 * 1024],
    ['font', 'ttf', 100 * 1024],
    ['audio', 'mp3', 500 * 1024],
    ['video', 'mp4', 1024 * 1024],
  ])('include an %s (.%s) from %d bytes', async (kind, extension, least) => {
    const { size } = await analyzed(
      [`assets/below.${extension}`, Buffer.alloc(least - 1, 'x')],
      [`assets/least.${extension}`, Buffer.alloc(least, 'x')],
    );
    expect(size.media.map(({ path, kind: found, bytes }) => [path, found, bytes])).toEqual([
      [`assets/least.${extension}`, kind, least],
    ]);
  });
});

it('lists the largest saving first', () => {
  const analysis = withLibraries({ path: 'lib/x86/a.so', abi: 'x86', bytes: 30_000 }, { bytes: 1 });
  analysis.size.duplicates.push({ bytes: 20_000, paths: ['a', 'b'] });
  analysis.size.media.push({ path: 'c.png', kind: 'image', bytes: 200_000, width: null, height: null });
  expect(findSavings(analysis).map(({ kind, bytes }) => [kind, bytes])).toEqual([
    ['media', 200_000],
    ['architectures', 30_000],
    ['duplicates', 20_000],
  ]);
});
