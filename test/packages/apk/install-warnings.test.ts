/** Archive properties that prevent installation. */
import { describe, expect, it } from 'vitest';
import { maxAlignmentChecks } from '../../../src/packages/apk/native-code-warnings.ts';
import { readApk } from '../../../src/packages/apk/read-apk.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { type ApkSpec, apkEntries, buildApk } from '../../support/build-apk.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';

const signed = (warning: string) => !warning.includes('is not signed');

async function warningsOf(bytes: Buffer): Promise<string[]> {
  return (await readApk(await openZip(fileInMemory(bytes)))).warnings.filter(signed);
}

describe('the resource table', () => {
  const label = { '': 'Hello' };
  const entries = (targetSdk: number, change: Partial<ZipEntrySpec>) =>
    buildZip(
      apkEntries({ label, targetSdk }).map((entry) =>
        entry.name === 'resources.arsc' ? { ...entry, ...change } : entry,
      ),
    );
  const warning = (fault: string) => [
    `The resources.arsc is ${fault}. Android 11 and newer do not install such a package when its target SDK is 30 or more.`,
  ];
  const shifted = (bytes: number) => ({ local: { extra: Buffer.alloc(bytes) } });

  it('can be aligned on any four bytes', async () => {
    expect(await warningsOf(entries(35, {}))).toEqual([]);
    expect(await warningsOf(entries(35, shifted(8)))).toEqual([]);
  });

  it.each([1, 2, 3, 5])('causes a warning at offset %i from an alignment boundary', async (bytes) => {
    expect(await warningsOf(entries(30, shifted(bytes)))).toEqual(
      warning('not aligned to 4 bytes, which zipalign would do'),
    );
    expect(await warningsOf(entries(29, shifted(bytes)))).toEqual([]);
  });

  it('causes a warning when it is compressed', async () => {
    expect(await warningsOf(entries(30, { method: 8 }))).toEqual(warning('compressed'));
    expect(await warningsOf(entries(29, { method: 8 }))).toEqual([]);
  });

  it('is read when the archive describes it inconsistently, without a warning about its position', async () => {
    const bytes = buildZip([
      ...apkEntries(),
      { name: 'resources.arsc', content: 'x', local: { name: 'resources.arsd' } },
    ]);
    expect(await warningsOf(bytes)).toEqual([]);
  });
});

describe('native code', () => {
  const libraries = (...abis: string[]) => warningsOf(buildApk({ nativeAbis: abis }));

  it.each([[[]], [['arm64-v8a']], [['arm64-v8a', 'x86']], [['armeabi-v7a', 'arm64-v8a']]])(
    'for %j causes no warning',
    async (abis) => expect(await libraries(...abis)).toEqual([]),
  );

  it.each([
    [['armeabi-v7a'], 'armeabi-v7a'],
    [['armeabi', 'armeabi-v7a', 'x86_64'], 'armeabi-v7a, armeabi'],
  ])('for %j causes a warning about phones without 32-bit code', async (abis, named) => {
    expect(await libraries(...abis)).toEqual([
      `The native code is 32-bit only (${named}). Phones that run only 64-bit code, such as the Pixel 7 and newer, do not install it.`,
    ]);
  });

  it('for other processors causes a warning about phones', async () => {
    expect(await libraries('x86', 'x86_64')).toEqual([
      'The native code does not support phone CPUs (x86, x86_64). Phones do not install it.',
    ]);
  });

  it.each(['lib/x86/readme.txt', 'lib/x86/engine.so', 'lib/libroot.so', 'lib/x86/deep/libtest.so'])(
    'does not include %s',
    async (name) => {
      expect(await warningsOf(buildApk({ extraEntries: [{ name, content: 'x' }] }))).toEqual([]);
    },
  );
});

describe('native code that the platform does not extract', () => {
  const attributes = (extractNativeLibs: boolean): ApkSpec => ({
    applicationAttributes: [{ name: 'extractNativeLibs', value: extractNativeLibs, resourceId: 0x010104ea }],
  });
  const library = (index: number, change: Partial<ZipEntrySpec> = {}): ZipEntrySpec => ({
    name: `lib/arm64-v8a/lib${String(index).padStart(3, '0')}.so`,
    content: Buffer.alloc(10),
    ...change,
  });
  const fault = (name: string, what: string) => [
    `lib/arm64-v8a/${name} is ${what}, although the manifest says extractNativeLibs="false". Android does not install it.`,
  ];

  /** Aligns each library to a page; misaligned ones start one byte later. */
  function packageWith(
    specs: readonly ZipEntrySpec[],
    misaligned: readonly number[] = [],
    extract = false,
  ): Buffer {
    const entries = apkEntries(attributes(extract));
    for (const [index, spec] of specs.entries()) {
      const headerBytes = 30 + Buffer.byteLength(String(spec.name));
      const end = buildZip(entries).readUInt32LE(buildZip(entries).length - 6);
      const padding = 4096 - ((end + headerBytes) % 4096) + (misaligned.includes(index) ? 1 : 0);
      entries.push({ ...spec, local: { extra: Buffer.alloc(padding) } });
    }
    return buildZip(entries);
  }

  it('causes no warning when it is page-aligned', async () => {
    expect(await warningsOf(packageWith([library(0), library(1)]))).toEqual([]);
  });

  it('causes a warning when it is not aligned', async () => {
    expect(await warningsOf(packageWith([library(0), library(1)], [1]))).toEqual(
      fault('lib001.so', 'not aligned to 4096 bytes'),
    );
  });

  it('causes a warning when it is compressed', async () => {
    expect(await warningsOf(packageWith([library(0), library(1, { method: 8 })]))).toEqual(
      fault('lib001.so', 'compressed'),
    );
  });

  it('can be placed anywhere when it is extracted, which is the default', async () => {
    expect(await warningsOf(packageWith([library(0, { method: 8 })], [0], true))).toEqual([]);
    expect(await warningsOf(buildApk({ extraEntries: [library(0, { method: 8 })] }))).toEqual([]);
  });

  it('is not checked for processors other than those of phones', async () => {
    const other: ZipEntrySpec = { name: 'lib/x86/libx.so', content: 'x', method: 8 };
    expect(await warningsOf(packageWith([library(0), other]))).toEqual([]);
  });

  it('is checked for at most maxAlignmentChecks libraries', async () => {
    const specs = Array.from({ length: maxAlignmentChecks + 1 }, (_, index) => library(index));
    expect(await warningsOf(packageWith(specs, [maxAlignmentChecks - 1]))).toHaveLength(1);
    expect(await warningsOf(packageWith(specs, [maxAlignmentChecks]))).toEqual([]);
  });
});

it('the last of two uses-sdk elements in the manifest wins', async () => {
  const bytes = buildApk({
    minSdk: 21,
    targetSdk: 29,
    manifestChildren: [{ name: 'uses-sdk', attributes: [{ name: 'minSdkVersion', value: 26 }] }],
  });
  const info = await readApk(await openZip(fileInMemory(bytes)));
  expect([info.sdkVersion, info.targetSdkVersion]).toEqual(['26', 26]);
  expect(info.warnings).toContain('The manifest has more than one uses-sdk element. Android uses the last.');
});

it.each([
  ['minSdk', 'Zabaglione'],
  ['minSdk', 'Tiramisu'],
  ['targetSdk', 'CinnamonBun'],
])('a codename as %s causes a warning that only a preview installs it: %s', async (name, codename) => {
  expect(await warningsOf(buildApk({ [name]: codename }))).toEqual([
    `The package needs a preview of Android (${codename}). Phones with a released version do not install it.`,
  ]);
  expect(await warningsOf(buildApk({ [name]: '33' }))).toEqual([]);
});

it('a user ID of the system causes a warning, one of the developer does not', async () => {
  const shared = (value: string) =>
    warningsOf(buildApk({ manifestAttributes: [{ name: 'sharedUserId', value, resourceId: 0x0101000b }] }));
  expect(await shared('android.uid.system')).toEqual([
    'The package shares the system user android.uid.system. Only devices whose manufacturer signed it install it.',
  ]);
  expect(await shared('android.uid.phone')).toHaveLength(1);
  expect(await shared('com.example.shared')).toEqual([]);
});
