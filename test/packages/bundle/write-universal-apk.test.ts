/** The APKs that are made of bundles, compared with bundletool's, and verified by Slipway and apksigner. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApkOutput } from '../../../src/packages/apk/signing/apk-output.ts';
import { convertBundle, readPackage, readPackageOrBundle } from '../../../src/packages/read-package.ts';
import { verifySignature } from '../../../src/packages/verify-signature.ts';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { maxApkBytes, maxApkEntries } from '../../../src/packages/zip/write-zip.ts';
import { apksignerPresent, verifyWithApksigner } from '../../support/apksigner.ts';
import { buildZip } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { createTestKey } from '../../support/test-key.ts';
import { bundlesOfRun, pathOfBundle } from './bundle-fixtures.ts';
import { encode, manifestWith, moduleManifest, tableMessage } from './bundle-messages.ts';

const rsa = createTestKey('rsa-2048');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-universal-apk-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function filesOf(path: string) {
  const file = await openRandomAccessFile(path);
  try {
    const archive = await openZip(file);
    const entries = await Promise.all(
      archive.entries.map(async (entry) => ({
        name: entry.name,
        storage: entry.method === 0 ? 'stored' : 'deflated',
        position: await archive.dataPosition(entry),
        content: entry.uncompressedBytes < 2 ** 20 ? await archive.read(entry, 2 ** 20) : null,
      })),
    );
    return entries;
  } finally {
    await file.close();
  }
}

describe.skipIf(!sharedFixturesPresent)('APKs of real bundles (needs ../shared/fixtures)', () => {
  it.each(bundlesOfRun().map((fixture) => [fixture.file, fixture] as const))(
    '%s has the files, storage and facts of the APK by bundletool',
    async (_, fixture) => {
      const apk = join(folder, `${fixture.file}.apk`);
      const { info } = await convertBundle(pathOfBundle(fixture), apk, { keys: [rsa] });
      // Its code is not merged.
      const isLeftOut = ({ name }: { name: string }) =>
        /^META-INF\/(MANIFEST\.MF|CERT\.(SF|RSA))$/.test(name) ||
        (fixture.file === 'features-prel.aab' && /^classes/.test(name));
      const files = await filesOf(apk);
      const expected = Object.entries(fixture.universal_entries).map(([name, [, storage]]) => ({
        name,
        storage,
      }));
      const shown = files.map(({ name, storage }) => ({ name, storage }));
      const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
      expect(shown.filter((one) => !isLeftOut(one)).sort(byName)).toEqual(
        expected.filter((one) => !isLeftOut(one)).sort(byName),
      );
      for (const { name, storage, position } of files) {
        if (storage === 'stored')
          expect([name, position % (name.endsWith('.so') ? 16_384 : 4)]).toEqual([name, 0]);
      }
      const { universal } = fixture;
      expect([info.packageName, info.versionCode, info.sdkVersion]).toEqual([
        universal.package,
        universal.versionCode,
        universal.minSdk,
      ]);
      expect(await verifySignature(apk)).toMatchObject({ verified: true, problems: [] });
      await rm(apk);
    },
  );
});

describe('APKs of bundles', () => {
  let number = 0;
  const convert = async (
    entries: Record<string, Buffer | { content: Buffer; method: number }>,
    keys = [rsa],
  ) => {
    const path = join(folder, `${number++}.aab`);
    await writeFile(
      path,
      buildZip(
        Object.entries(entries).map(([name, one]) =>
          Buffer.isBuffer(one) ? { name, content: one } : { name, ...one },
        ),
      ),
    );
    const apk = `${path}.apk`;
    const { info } = await convertBundle(path, apk, { keys });
    return { path, apk, info, files: await filesOf(apk) };
  };
  const small = { 'base/manifest/AndroidManifest.xml': manifestWith(24), 'base/resources.pb': tableMessage };
  const storageOf = (files: Awaited<ReturnType<typeof filesOf>>) =>
    Object.fromEntries(files.map(({ name, storage }) => [name, storage]));

  it.each([
    [16, ['v1', 'v2', 'v3'], 'SHA1-Digest'],
    [23, ['v1', 'v2', 'v3'], 'SHA-256-Digest'],
    [24, ['v2', 'v3'], null],
  ])('for SDK %i are signed for the devices that install them', async (minSdk, schemes, attribute) => {
    const { apk, info, files } = await convert({
      ...small,
      'base/manifest/AndroidManifest.xml': manifestWith(minSdk),
      [`base/assets/${'long/'.repeat(40)}ü`]: Buffer.from('x'),
    });
    expect(info.signing.schemes).toEqual(schemes);
    expect(await verifySignature(apk)).toEqual({ verified: true, verifiedFromSdk: minSdk, problems: [] });
    const manifest = files.find(({ name }) => name === 'META-INF/MANIFEST.MF')?.content;
    if (attribute === null) expect(manifest).toBeUndefined();
    else expect(manifest?.toString()).toContain(attribute);
    // Bit 11 of the general purpose flags (APPNOTE 4.4.4), at 8 of the directory entry: the name is UTF-8.
    const bytes = await readFile(apk);
    const flagsOf = (name: string) => bytes.readUInt16LE(bytes.lastIndexOf(name) - 46 + 8);
    expect([flagsOf(`assets/${'long/'.repeat(40)}ü`), flagsOf('resources.arsc')]).toEqual([0x800, 0]);
    if (apksignerPresent) expect(await verifyWithApksigner(apk)).not.toBeNull();
  });

  it.each([
    ['an EC key', [createTestKey('ec')]],
    ['a P-384 key', [createTestKey('ec-384')]],
    ['a key that replaced two others', [createTestKey('ec'), createTestKey('rsa-2048'), rsa]],
  ])('are signed with %s', async (_, keys) => {
    const { apk, info } = await convert(small, keys);
    expect(await verifySignature(apk)).toMatchObject({ verified: true, problems: [] });
    expect(info.signing.lineage).toHaveLength(keys.length === 1 ? 0 : keys.length);
    if (apksignerPresent) expect(await verifyWithApksigner(apk)).not.toBeNull();
  });

  it('have large files, compressed and stored as they should be', async () => {
    const zeros = Buffer.alloc(5 * 2 ** 20);
    const noise = randomBytes(5 * 2 ** 20);
    const { apk, files } = await convert({
      ...small,
      'BundleConfig.pb': encode([3, encode([1, 'assets/**.{raw,bin}'])]),
      'base/assets/deflated.txt': { content: zeros, method: 8 },
      'base/assets/stored.txt': zeros,
      'base/assets/a/stored.raw': { content: zeros, method: 8 },
      'base/assets/noise.txt': { content: noise, method: 8 },
      'base/assets/more-noise.txt': noise,
    });
    expect(storageOf(files)).toMatchObject({
      'assets/deflated.txt': 'deflated',
      'assets/stored.txt': 'deflated',
      'assets/a/stored.raw': 'stored',
      'assets/noise.txt': 'stored',
      'assets/more-noise.txt': 'stored',
    });
    expect(await verifySignature(apk)).toMatchObject({ verified: true, problems: [] });
    if (apksignerPresent) expect(await verifyWithApksigner(apk)).not.toBeNull();
  });

  it('of a damaged large file are refused', async () => {
    const content = Buffer.alloc(5 * 2 ** 20, 'ab');
    const entry = { content, method: 8, crc32: 1, local: { crc32: 1 } };
    await expect(convert({ ...small, 'base/assets/x': entry as never })).rejects.toThrow('checksum');
  });

  it('have no signature files of the bundle', async () => {
    const { files } = await convert({
      ...small,
      'base/root/META-INF/MANIFEST.MF': Buffer.from('x'),
      'base/root/META-INF/OTHER.RSA': Buffer.from('x'),
      'base/root/META-INF/services/a': Buffer.from('x'),
    });
    const names = files.map(({ name }) => name).filter((name) => name.startsWith('META-INF/'));
    expect(names).toEqual(['META-INF/services/a']);
  });

  it('contain features and packs of assets as their manifests say', async () => {
    const { apk, files, info } = await convert({
      ...small,
      'BundleConfig.pb': encode(
        [1, encode([2, '1.15.6'])],
        [2, encode([1, encode([1, encode([1, 4], [3, encode([1, 1], [2, 'astc'])])])])],
      ),
      'base/dex/classes.dex': Buffer.from('base'),
      'chat/manifest/AndroidManifest.xml': moduleManifest({ isFused: true, activity: 'com.example.Chat' }),
      'chat/dex/classes.dex': Buffer.from('chat'),
      'left/manifest/AndroidManifest.xml': moduleManifest({ isFused: false }),
      'left/assets/left': Buffer.from('x'),
      'pack/manifest/AndroidManifest.xml': moduleManifest({ isFused: true, type: 'asset-pack' }),
      'pack/assets/tex/a': Buffer.from('fallback'),
      'pack/assets/tex#tcf_astc/a': Buffer.from('astc'),
      'pack/assets/tex#tcf_etc2/a': Buffer.from('etc2'),
    });
    const contentOf = (wanted: string) => files.find(({ name }) => name === wanted)?.content?.toString();
    expect([contentOf('classes.dex'), contentOf('classes2.dex')]).toEqual(['base', 'chat']);
    expect(contentOf('assets/tex/a')).toBe('astc');
    expect(files.some(({ name }) => name.includes('left') || name.includes('#'))).toBe(false);
    expect(contentOf('AndroidManifest.xml')?.replaceAll('\0', '')).toMatch(
      /base,chat,pack[\s\S]*com.example.Chat/,
    );
    expect(info).toEqual(await readPackage(apk));
  });

  it('for Android 4 say that code of several modules is not merged', async () => {
    const { path, info } = await convert({
      ...small,
      'base/manifest/AndroidManifest.xml': manifestWith(19),
      'base/dex/classes.dex': Buffer.from('base'),
      'chat/manifest/AndroidManifest.xml': moduleManifest({ isFused: true }),
      'chat/dex/classes.dex': Buffer.from('chat'),
    });
    expect(info.warnings).toContain(
      'Several modules contain code, which is not merged into one file. Android 4 does not find all of it.',
    );
    expect((await readPackageOrBundle(path)).info.warnings).toEqual(info.warnings);
  });

  it.runIf(runsEverything)(
    'may have more content than may be inflated for facts',
    async () => {
      const content = Buffer.alloc(4 * 1024 * 1024, 'content');
      const packed = deflateRawSync(content);
      const entry = { content, packed, crc32: crc32(content), uncompressedBytes: content.length, method: 8 };
      const files = Array.from({ length: 129 }, (_, at) => [`base/assets/${at}`, entry] as const);
      const { apk, files: made } = await convert({ ...small, ...Object.fromEntries(files) });
      expect(made).toHaveLength(129 + 3);
      expect(await verifySignature(apk)).toMatchObject({ verified: true });
    },
    60_000,
  );

  it('with 32-bit RenderScript code have no 64-bit libraries', async () => {
    const library = Buffer.from('library');
    const scripted = { ...small, 'late/assets/x.bc': library, 'base/lib/arm64-v8a/liba.so': library };
    const { info, files } = await convert({ ...scripted, 'base/lib/armeabi-v7a/liba.so': library });
    expect(files.map(({ name }) => name).filter((name) => name.startsWith('lib/'))).toEqual([
      'lib/armeabi-v7a/liba.so',
    ]);
    expect(info.android?.nativeAbis).toEqual(['armeabi-v7a']);
    expect(info.warnings).toContainEqual(expect.stringContaining('32-bit RenderScript code'));
    await expect(convert(scripted)).rejects.toThrow('only 64-bit libraries');
  });

  it('of files that are no bundles are refused', async () => {
    const path = join(folder, 'no.aab');
    await writeFile(path, buildZip([{ name: 'a', content: 'x' }]));
    await expect(convertBundle(path, `${path}.apk`, { keys: [rsa] })).rejects.toThrow(
      'not an Android App Bundle',
    );
  });

  it('above maxApkEntries files or maxApkBytes bytes are refused', async () => {
    const file = await open(devNull, 'w');
    try {
      const entry = {
        method: 'stored',
        crc32: 0,
        compressedBytes: 0,
        uncompressedBytes: 0,
        alignment: 1,
      } as const;
      const output = createApkOutput(file, 'sha256', maxApkBytes);
      const large = { ...entry, name: 'a', compressedBytes: maxApkBytes };
      await output.beginEntry(large);
      await expect(output.beginEntry(large)).rejects.toThrow('more than 4 GB or 65,535 files');
      for (let count = 1; count < maxApkEntries; count++)
        await output.beginEntry({ ...entry, name: `${count}` });
      await expect(output.beginEntry({ ...entry, name: 'a' })).rejects.toThrow('65,535 files');
    } finally {
      await file.close();
    }
  });
});
