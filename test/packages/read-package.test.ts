import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { maxClassifiedNameLength, maxClassifiedNames } from '../../src/packages/classify-package.ts';
import { UnreadablePackage } from '../../src/packages/package-info.ts';
import { readPackage } from '../../src/packages/read-package.ts';
import { buildApk, buildManifest } from '../support/build-apk.ts';
import { buildZip } from '../support/build-zip.ts';
import { manifestMessage } from './bundle/bundle-messages.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-package-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function readBytes(bytes: Buffer, name = 'upload') {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return readPackage(path);
}

const zip = (...names: string[]) => buildZip(names.map((name) => ({ name, content: 'x' })));

test('an APK is recognized regardless of its name', async () => {
  for (const name of ['a.apk', 'a.ipa', 'a.zip', 'noname']) {
    expect(await readBytes(buildApk(), name)).toMatchObject({
      platform: 'android',
      packageName: 'com.example.test',
    });
  }
});

test('an IPA is recognized by its Info.plist regardless of its name', async () => {
  const plist = `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.ios</string></dict></plist>`;
  const ipa = buildZip([{ name: 'Payload/A.app/Info.plist', content: plist }]);
  expect(await readBytes(ipa, 'a.apk')).toMatchObject({ platform: 'ios', packageName: 'com.example.ios' });
});

test('a missing file is a system error', async () => {
  await expect(readPackage(join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('NUL characters and lone surrogates are removed from every text', async () => {
  const label = { '': 'a\0b\ud83d', ja: '\0' };
  const info = await readBytes(buildApk({ label, versionName: '1\0.0', utf16: true, permissions: ['p\0'] }));
  expect(info).toMatchObject({
    name: 'ab\ufffd',
    labels: { '': 'ab\ufffd', ja: '' },
    versionName: '1.0',
    android: { permissions: ['p'] },
  });
  expect((await readBytes(buildApk({ label: '\0', utf16: true }))).name).toBe('com.example.test');
});

test('an archive is classified by a limited number of short names', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `file${index}`);
  const unknown = 'this is a zip archive without an Android or iOS app';
  await expect(readBytes(zip(...many, 'App.app/Info.plist'))).rejects.toThrow(unknown);
  await expect(readBytes(zip(`${'n'.repeat(600)}/App.app/Info.plist`))).rejects.toThrow(unknown);
  await expect(readBytes(zip(...many, 'BundleConfig.pb'))).rejects.toThrow('Android App Bundle');
});

describe('reports the type of an unsupported file', () => {
  const tar = Buffer.alloc(512);
  tar.write('ustar', 257);
  const cases: [bytes: Buffer, message: string][] = [
    [Buffer.alloc(0), 'the file is empty'],
    [
      zip('BundleConfig.pb', 'base/manifest/AndroidManifest.xml'),
      'this is an Android App Bundle (AAB), not an APK',
    ],
    [
      zip('toc.pb', 'splits/base-master.apk'),
      'this is a set of APKs made by bundletool (APKS) without universal.apk; build it with --mode=universal, or upload the app bundle (AAB)',
    ],
    [
      zip('manifest.json', 'com.example.apk', 'icon.png'),
      'this is an XAPK (an APK with its splits or data), not an APK; upload a single APK that contains everything',
    ],
    [
      zip('info.json', 'base.apk', 'split_config.en.apk'),
      'this is an APKM (an APK with its splits), not an APK; upload a single APK that contains everything',
    ],
    [
      zip('base.apk', 'split_config.en.apk'),
      'this is a set of split APKs, not an APK; upload a single APK that contains everything',
    ],
    [
      zip('out/app-release.apk'),
      'this is a zip archive that contains app-release.apk; upload that file itself',
    ],
    [zip('App.ipa', 'readme.txt'), 'this is a zip archive that contains App.ipa; upload that file itself'],
    [zip('App.app.dSYM/Contents/Info.plist'), 'this is a zip archive of debug symbols (dSYM), not an app'],
    [
      zip('App.xcarchive/Products/Applications/App.app/Info.plist'),
      'this is an Xcode archive (xcarchive), not an IPA',
    ],
    [
      zip('App.app/Info.plist', 'App.app.dSYM/x'),
      'this is a zipped .app directory, such as a simulator build, not an IPA',
    ],
    [
      zip('build/App.app/Info.plist'),
      'this is a zipped .app directory, such as a simulator build, not an IPA',
    ],
    [
      zip('App/Payload/App.app/Info.plist'),
      'the Payload directory is not at the top of the archive, so this is not an IPA',
    ],
    [
      zip('Payload\\App.app\\Info.plist'),
      'the zip archive separates folders by backslashes instead of slashes, so devices find no app in it; pack it with another tool',
    ],
    [
      zip('base\\manifest\\AndroidManifest.xml'),
      'the zip archive separates folders by backslashes instead of slashes, so devices find no app in it; pack it with another tool',
    ],
    [
      zip('payload/App.app/Info.plist'),
      'the app is named payload/App.app in the archive, but iOS looks for Payload/….app in exactly this case',
    ],
    [
      zip('Payload/App.APP/Info.plist'),
      'the app is named Payload/App.APP in the archive, but iOS looks for Payload/….app in exactly this case',
    ],
    [
      zip('./AndroidManifest.xml', './classes.dex'),
      'the manifest is named ./AndroidManifest.xml in the archive, but Android looks for exactly AndroidManifest.xml',
    ],
    [
      zip('androidmanifest.xml'),
      'the manifest is named androidmanifest.xml in the archive, but Android looks for exactly AndroidManifest.xml',
    ],
    [
      buildZip([{ name: 'AndroidManifest.xml', content: manifestMessage }]),
      'this APK is in the protocol buffer format of app bundles, which Android does not read; convert it with aapt2 convert --output-format binary',
    ],
    [zip('Payload/readme.txt'), 'this is an IPA without an app in its Payload directory'],
    [zip('Kit.xcframework/Info.plist'), 'this is a zipped xcframework, not an app'],
    [
      zip('app/AndroidManifest.xml'),
      'the AndroidManifest.xml is not at the top of the archive, so this is not an APK',
    ],
    [zip('META-INF/MANIFEST.MF', 'A.class'), 'this is a Java archive (JAR), not an APK'],
    [zip('[Content_Types].xml'), 'this is an office document, not an app'],
    [zip('team.mobileprovision'), 'this is a zip archive with a provisioning profile but without an app'],
    [zip('photo.jpg'), 'this is a zip archive without an Android or iOS app'],
    [buildZip([]), 'the zip archive is empty'],
    [buildApk().subarray(0, 300), 'the zip archive is truncated: it has no end record'],
    [gzipSync('x'), 'this is a gzip archive, not an APK or IPA'],
    [tar, 'this is a tar archive, not an APK or IPA'],
    [Buffer.from('%PDF-1.7'), 'this is a PDF document, not an APK or IPA'],
    [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'this is a PNG picture, not an APK or IPA'],
    [Buffer.from('dex\n035\0'), 'this is a DEX file (Android code), not an APK or IPA'],
    [Buffer.from('\x7fELF\x02'), 'this is an ELF file (native code), not an APK or IPA'],
    [buildManifest(), 'this is a compiled Android manifest, not an APK or IPA'],
    [
      Buffer.from('\n<!DOCTYPE html><title>Sign in'),
      'this is an HTML page, such as an error or sign-in page that was saved instead of the package',
    ],
    [
      Buffer.from('{"error":"not found"}'),
      'this is a JSON file, such as an error that was saved instead of the package',
    ],
    [Buffer.from('<?xml version="1.0"?><plist/>'), 'this is a property list, not an IPA'],
    [Buffer.from('<?xml version="1.0"?><Error/>'), 'this is an XML file, not an APK or IPA'],
    [
      Buffer.from('0\x82 pkcs7 <plist version="1.0">', 'latin1'),
      'this is a provisioning profile, not an IPA',
    ],
    [
      Buffer.from('version https://git-lfs.github.com/spec/v1\n'),
      'this is a Git LFS pointer; the file itself was not fetched',
    ],
    [Buffer.from('hello\n'), 'this is a text file, not an APK or IPA'],
    [Buffer.from([1, 2, 3, 0, 250]), 'this is neither an APK nor an IPA'],
  ];
  test.each(cases.map(([bytes, message]) => ({ bytes, message })))('$message', async ({ bytes, message }) => {
    const error = await readBytes(bytes).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreadablePackage);
    expect(error).toHaveProperty('message', message);
    expect(message).toMatch(/^[a-z].*[^.]$/);
  });
});

test('classification uses the first maxClassifiedNames names up to maxClassifiedNameLength', async () => {
  const jar = 'META-INF/MANIFEST.MF';
  const others = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  await expect(readBytes(zip(...others(maxClassifiedNames - 1), jar))).rejects.toThrow('Java archive');
  await expect(readBytes(zip(...others(maxClassifiedNames), jar))).rejects.toThrow('a zip archive without');
  const nested = (length: number) => `${'n'.repeat(length - 4)}.apk`;
  await expect(readBytes(zip(nested(maxClassifiedNameLength)))).rejects.toThrow('upload that file itself');
  await expect(readBytes(zip(nested(maxClassifiedNameLength + 1)))).rejects.toThrow('a zip archive without');
});
