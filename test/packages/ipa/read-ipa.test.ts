import { readFileSync } from 'node:fs';
import { buildBinary } from 'plist';
import { describe, expect, it } from 'vitest';
import { maxIconCandidates } from '../../../src/packages/ipa/bundle-icon.ts';
import { languageTag, maxLabelLanguages } from '../../../src/packages/ipa/bundle-labels.ts';
import {
  maxIdentifierCharacters,
  maxNameCharacters,
  maxVersionCharacters,
} from '../../../src/packages/ipa/info-plist-facts.ts';
import { maxProfileBytes } from '../../../src/packages/ipa/provisioning-profile.ts';
import { maxNestedBundles, readIpa } from '../../../src/packages/ipa/read-ipa.ts';
import { type PackageInfo, UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import {
  buildInfoPlist,
  buildIpa,
  createSigningIdentity,
  type IpaSpec,
  ipaEntries,
  type PlistForm,
} from '../../support/build-ipa.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { startProcessorTime } from '../processor-time.ts';
import { buildPng } from './build-png.ts';

const identity = createSigningIdentity({ commonName: 'iPhone Distribution: Test' });

async function read(bytes: Buffer): Promise<PackageInfo> {
  return readIpa(await openZip(fileInMemory(bytes)));
}

async function refusal(bytes: Buffer): Promise<string> {
  const error = await read(bytes).catch((reason: unknown) => reason);
  if (!(error instanceof UnreadablePackage)) throw new Error('it was not refused', { cause: error });
  return error.message;
}

function png(width: number): Buffer {
  return buildPng({ width, height: width, colorType: 0 });
}

describe('the facts of an app', () => {
  it.each(['xml', 'binary', 'openstep'] as PlistForm[])(
    'come from an Info.plist in %s format',
    async (plistForm) => {
      const info = await read(
        buildIpa({
          bundleIdentifier: 'com.example.app-1',
          name: 'Beispiel ☃',
          version: '77',
          shortVersion: '1.2.3',
          minimumOsVersion: '16.4',
          plistForm,
        }),
      );
      expect(info).toMatchObject({
        platform: 'ios',
        packageName: 'com.example.app-1',
        name: 'Beispiel ☃',
        labels: { '': 'Beispiel ☃' },
        versionCode: '77',
        versionName: '1.2.3',
        sdkVersion: '16.4',
        rawSdkVersion: '16.4',
        targetSdkVersion: null,
        android: null,
        ios: { deviceFamilies: ['iphone', 'ipad'], executable: 'Test', simulator: false, encrypted: false },
      });
    },
  );

  it('have defaults for missing values', async () => {
    const info = await read(
      buildIpa({ name: null, version: null, shortVersion: null, minimumOsVersion: null }),
    );
    expect(info).toMatchObject({
      name: 'com.example.test',
      labels: {},
      versionCode: '',
      versionName: null,
      sdkVersion: null,
      rawSdkVersion: null,
      signature: null,
      icon: null,
      signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
    });
  });

  it('use CFBundleName when the display name is missing or empty', async () => {
    expect((await read(buildIpa({ name: null, infoPlist: { CFBundleName: 'Short' } }))).name).toBe('Short');
    expect((await read(buildIpa({ name: '  ', infoPlist: { CFBundleName: 'Short' } }))).name).toBe('Short');
  });

  it('convert a numeric version to text', async () => {
    expect((await read(buildIpa({ version: null, infoPlist: { CFBundleVersion: 12 } }))).versionCode).toBe(
      '12',
    );
  });

  it('include every kind of device', async () => {
    const info = await read(buildIpa({ deviceFamilies: [1, 2, 3, 4, 6, 7, 99, 1] }));
    expect(info.ios?.deviceFamilies).toEqual(['iphone', 'ipad', 'apple-tv', 'apple-watch', 'mac', 'vision']);
  });

  it.each([
    ['AppleTVOS', [], ['apple-tv']],
    ['WatchOS', [], ['apple-watch']],
    ['XROS', [], ['vision']],
    ['MacOSX', [2, 6], ['mac']],
    ['iPhoneOS', [2], ['ipad']],
    ['ZabaglioneOS', [1], ['iphone']],
  ])('name the devices of the platform %s', async (platform, deviceFamilies, expected) => {
    const platforms = { CFBundleSupportedPlatforms: [platform], DTPlatformName: platform.toLowerCase() };
    const info = await read(buildIpa({ deviceFamilies, infoPlist: platforms }));
    expect(info.ios?.deviceFamilies).toEqual(expected);
  });

  it.each([
    ['15', '15'],
    ['15.0.1.2', '15.0.1.2'],
    [' 15.0\n', '15.0'],
    ['15,0', null],
    ['-3', null],
    ['0x1F', null],
    ['next', null],
    ['15.0\u202e1', null],
    ['1'.repeat(255), null],
  ])('state %j as a minimum system only if it is a version', async (minimumOsVersion, sdkVersion) => {
    const info = await read(buildIpa({ minimumOsVersion }));
    expect(info).toMatchObject({ sdkVersion, rawSdkVersion: minimumOsVersion.trim() });
  });

  it('state the minimum macOS of a Mac Catalyst app', async () => {
    const infoPlist = { CFBundleSupportedPlatforms: ['MacOSX'], LSMinimumSystemVersion: '14.2' };
    expect((await read(buildIpa({ minimumOsVersion: null, infoPlist }))).sdkVersion).toBe('14.2');
    const ofPhone = { LSMinimumSystemVersion: '14.2' };
    expect((await read(buildIpa({ minimumOsVersion: null, infoPlist: ofPhone }))).sdkVersion).toBeNull();
  });

  it('are plain JSON values for any property list', async () => {
    const profile = { entitlements: {}, identity };
    const info = await read(buildIpa({ identity, profile, labels: { ja: 'テスト' } }));
    expect(structuredClone(info)).toEqual(JSON.parse(JSON.stringify(info)));
  });
});

describe('labels', () => {
  it('come from strings files in every format, by language tag', async () => {
    const strings = '/* name */ "CFBundleDisplayName" = "Exemple";';
    const info = await read(
      buildIpa({
        labels: { ja: 'テスト', zh_CN: '测试', 'zh-Hant': '測試', Base: 'ignored' },
        files: {
          'fr.lproj/InfoPlist.strings': Buffer.concat([
            Buffer.from([0xff, 0xfe]),
            Buffer.from(strings, 'utf16le'),
          ]),
          'German.lproj/InfoPlist.strings':
            '<plist><dict><key>CFBundleName</key><string>Beispiel</string></dict></plist>',
          'es.lproj/InfoPlist.strings': '',
          'it.lproj/Localizable.strings': '"CFBundleDisplayName" = "wrong file";',
        },
      }),
    );
    expect(info.labels).toEqual({
      '': 'Test',
      ja: 'テスト',
      'zh-CN': '测试',
      'zh-Hant': '測試',
      fr: 'Exemple',
      de: 'Beispiel',
    });
    expect(info.name).toBe('Test');
  });

  it('can come from a table of all languages', async () => {
    const table = {
      en: { CFBundleDisplayName: 'Example' },
      pt_BR: { CFBundleName: 'Exemplo' },
      LocProvenance: 'x',
    };
    const info = await read(buildIpa({ files: { 'InfoPlist.loctable': Buffer.from(buildBinary(table)) } }));
    expect(info.labels).toEqual({ '': 'Test', en: 'Example', 'pt-BR': 'Exemplo' });
  });

  it('are limited to a number of languages per table', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const tags = letters.flatMap((a) => letters.map((b) => `q${a}${b}`)).slice(0, maxLabelLanguages + 5);
    const table = Object.fromEntries(tags.map((tag) => [tag, { CFBundleName: 'x' }]));
    const info = await read(buildIpa({ files: { 'InfoPlist.loctable': Buffer.from(buildBinary(table)) } }));
    expect(Object.keys(info.labels)).toHaveLength(maxLabelLanguages + 1);
  });

  it('cause a warning instead of an error when a file is malformed', async () => {
    const files = Object.fromEntries(
      ['de', 'fr', 'ja', 'it'].map((tag) => [`${tag}.lproj/InfoPlist.strings`, '{{{']),
    );
    const info = await read(buildIpa({ files }));
    expect(info.labels).toEqual({ '': 'Test' });
    expect(info.warnings.at(-1)).toBe(
      'These files of the app cannot be read: de.lproj/InfoPlist.strings, fr.lproj/InfoPlist.strings, ja.lproj/InfoPlist.strings and 1 more.',
    );
  });

  it('are limited in number and length', async () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const tags = [...letters]
      .flatMap((a) => [...letters].map((b) => `q${a}${b}`))
      .slice(0, maxLabelLanguages + 5);
    const labels = Object.fromEntries(tags.map((tag) => [tag, '☃'.repeat(maxNameCharacters + 9)]));
    const info = await read(buildIpa({ labels }));
    expect(Object.keys(info.labels)).toHaveLength(maxLabelLanguages + 1);
    expect([...(info.labels.qaa ?? '')]).toHaveLength(maxNameCharacters);
  });

  it('accept legacy language names', () => {
    expect(languageTag('English')).toBe('en');
    expect(languageTag('es_419')).toBe('es-419');
    expect(languageTag('not a language!')).toBeNull();
  });
});

describe('the signing information', () => {
  it('includes the certificate that signed the executable and its issuers', async () => {
    const root = createSigningIdentity({ commonName: 'Root', keyType: 'rsa' });
    const leaf = createSigningIdentity({ commonName: 'Leaf', issuedBy: root });
    const profile = { certificates: [leaf.certificate] };
    const info = await read(buildIpa({ identity: leaf, profile }));
    expect(info.signing.schemes).toEqual(['apple']);
    expect(info.signing.certificates.map(({ subject }) => subject)).toEqual(['CN=Leaf', 'CN=Root']);
    expect(info.signature).toBe(info.signing.certificates[0]?.sha1);
    expect(info.ios?.profile?.certificateSha1s).toEqual([info.signature]);
    expect(info.warnings).toEqual([]);
  });

  it.each([
    ['thin 32 bit', { cpus: ['armv7'] }],
    ['fat', { cpus: ['armv7', 'arm64'] }],
    ['big-endian', { slice: { bigEndian: true } }],
    ['larger than a chunk of the stream', { slice: { codeBytes: 700_000 } }],
  ] as [string, IpaSpec][])('is found in an executable that is %s', async (_name, spec) => {
    const info = await read(buildIpa({ identity, ...spec }));
    expect(info.signing.certificates).toHaveLength(1);
  });

  it('includes a warning about an encrypted executable', async () => {
    const info = await read(buildIpa({ identity, slice: { encrypted: true } }));
    expect(info.ios?.encrypted).toBe(true);
    expect(info.warnings.join()).toContain('encrypted by the App Store');
  });

  it.each([
    [
      'an unsigned executable',
      {},
      'The executable is not signed, so the app cannot be installed on a device.',
    ],
    ['an ad hoc signature', { identity: null }, 'signed ad hoc, without a certificate'],
    ['no executable', { executable: null }, 'The app contains no executable'],
    [
      'an executable that is text',
      { executable: Buffer.from('#!/bin/sh\necho hello, this is text\n') },
      'not a Mach-O file',
    ],
    [
      'an executable that ends in its header',
      { executable: Buffer.from('cffaedfe0c000001', 'hex') },
      'not a Mach-O file',
    ],
    [
      'an executable without its load commands',
      { executable: headWithoutCommands() },
      'The executable is malformed: it ends too early.',
    ],
    ['a simulator build', { simulator: true }, 'built for the iOS simulator'],
    ['no profile', { identity }, 'The app contains no provisioning profile'],
    [
      'a broken profile',
      { identity, profile: Buffer.from('nonsense') },
      'The provisioning profile is not readable',
    ],
    ['a profile for the store', { identity, profile: { type: 'app-store' } }, 'signed for the App Store'],
    [
      'a profile for another app',
      { identity, profile: { applicationIdentifier: 'T.com.other' } },
      'is for T.com.other, which does not cover com.example.test',
    ],
    [
      'a profile without the certificate',
      { identity, profile: { certificates: [createSigningIdentity().certificate] } },
      'a certificate that the provisioning profile does not list',
    ],
    ['32-bit code alone', { identity, cpus: ['armv7'] }, 'only 32-bit code'],
  ] as [string, IpaSpec, string][])('includes a warning about %s', async (_name, spec, words) => {
    const { warnings } = await read(buildIpa(spec));
    expect(warnings.filter((warning) => warning.includes(words))).toHaveLength(1);
  });

  it('includes no warning about a wildcard profile', async () => {
    const profile = { applicationIdentifier: 'T.com.example.*', certificates: [identity.certificate] };
    expect((await read(buildIpa({ identity, profile }))).warnings).toEqual([]);
  });

  it('includes a warning about a modified profile', async () => {
    const entries = buildIpa({ identity, profile: { certificates: [identity.certificate] } });
    expect((await read(entries)).warnings).toEqual([]);
    const { buildProfile } = await import('../../support/build-ipa.ts');
    const profile = buildProfile({ certificates: [identity.certificate] });
    profile.write('Best', profile.indexOf('Test Team'));
    expect((await read(buildIpa({ identity, profile }))).warnings.join()).toContain(
      'changed after it was signed',
    );
  });
});

function headWithoutCommands(): Buffer {
  const head = Buffer.alloc(64);
  head.writeUInt32LE(0xfeedfacf, 0);
  head.writeUInt32LE(10, 16);
  head.writeUInt32LE(4000, 20);
  return head;
}

describe('the icon', () => {
  const declared = {
    CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconFiles: ['Logo60x60', 'Logo20x20'] } },
  };

  it('is the largest declared icon, whatever the names say', async () => {
    const info = await read(
      buildIpa({
        infoPlist: {
          ...declared,
          'CFBundleIcons~ipad': { CFBundlePrimaryIcon: { CFBundleIconFiles: ['Logo76x76'] } },
        },
        files: {
          'Logo20x20@3x.png': png(60),
          'Logo60x60@2x.png': png(120),
          'Logo60x60@3x.png': png(180),
          'Logo76x76@2x~ipad.png': png(152),
          'Icon-huge.png': png(1024),
        },
      }),
    );
    const source = 'Payload/Test.app/Logo60x60@3x.png';
    expect(info.icon).toEqual({ kind: 'png', source, width: 180, height: 180 });
  });

  it.each([
    ['CFBundleIconFiles', { CFBundleIconFiles: ['Pic.png', 'Pic@2x.png'] }],
    ['CFBundleIconFile', { CFBundleIconFile: 'Pic' }],
  ])('is found by %s', async (_key, infoPlist) => {
    const info = await read(buildIpa({ infoPlist, files: { 'Pic.png': png(57), 'Pic@2x.png': png(114) } }));
    expect(info.icon).toMatchObject({ source: 'Payload/Test.app/Pic@2x.png', width: 114 });
  });

  it('is found by its default names when none is declared', async () => {
    const files = {
      'Icon.png': png(57),
      'AppIcon60x60@2x.png': png(120),
      'photo.png': png(900),
      'deep/Icon.png': png(500),
    };
    const info = await read(buildIpa({ files }));
    expect(info.icon).toMatchObject({ source: 'Payload/Test.app/AppIcon60x60@2x.png', width: 120 });
  });

  it('of a CgBI file has the size in the header after that chunk', async () => {
    const info = await read(
      buildIpa({ files: { 'Icon.png': buildPng({ width: 87, height: 88, cgbi: true }) } }),
    );
    expect(info.icon).toMatchObject({ width: 87, height: 88 });
  });

  it('is never a file that is not a PNG', async () => {
    const files = {
      'Icon@2x.png': 'not a picture',
      'Icon.png': png(57),
      'Icon@3x.png': png(180).subarray(0, 20),
    };
    expect((await read(buildIpa({ files }))).icon).toMatchObject({ width: 57 });
  });

  it('is the artwork next to Payload, or else from the asset catalog', async () => {
    const files = { 'Assets.car': 'BOMStore' };
    const artwork = (content: Buffer): ZipEntrySpec[] => [{ name: 'iTunesArtwork', content }];
    const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
    expect((await read(buildIpa({ files, extraEntries: artwork(png(512)) }))).icon).toEqual({
      kind: 'png',
      source: 'iTunesArtwork',
      width: 512,
      height: 512,
    });
    expect((await read(buildIpa({ files, extraEntries: artwork(jpeg) }))).icon).toMatchObject({
      kind: 'jpeg',
    });
    expect((await read(buildIpa({ files, extraEntries: artwork(Buffer.alloc(0)) }))).icon).toEqual({
      kind: 'asset-catalog',
      source: 'Payload/Test.app/Assets.car',
      width: null,
      height: null,
    });
  });

  it.each([
    ['the primary icon', { CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconName: 'AppIcon' } } }],
    ['the app', { CFBundleIconName: 'AppIcon' }],
  ])('comes from the asset catalog when Info.plist names one there for %s', async (_what, infoPlist) => {
    const files = { 'AppIcon60x60@2x.png': png(120), 'Assets.car': 'BOMStore' };
    const catalog = {
      kind: 'asset-catalog',
      source: 'Payload/Test.app/Assets.car',
      width: null,
      height: null,
    };
    expect((await read(buildIpa({ infoPlist, files }))).icon).toEqual(catalog);
    expect((await read(buildIpa({ files }))).icon).toMatchObject({ kind: 'png', width: 120 });
    const { 'Assets.car': _, ...withoutCatalog } = files;
    expect((await read(buildIpa({ infoPlist, files: withoutCatalog }))).icon).toMatchObject({ width: 120 });
  });

  it('is searched for in a limited number of files', async () => {
    const names = Array.from(
      { length: maxIconCandidates + 1 },
      (_, index) => `Icon-${String(index).padStart(4, '0')}.png`,
    );
    const files = Object.fromEntries(names.map((name, index) => [name, png(20 + index)]));
    expect((await read(buildIpa({ files }))).icon).toMatchObject({ width: 20 + maxIconCandidates - 1 });
  });

  it('is found in a large file by its first bytes', async () => {
    const large = Buffer.concat([png(1024), Buffer.alloc(3_000_000)]);
    const archive = await openZip(fileInMemory(buildIpa({ files: { 'Icon.png': large } })));
    expect((await readIpa(archive)).icon).toMatchObject({ width: 1024 });
  });
});

describe('bundles within the app', () => {
  it('are named by their identifiers', async () => {
    const plist = (bundleIdentifier: string) => buildInfoPlist({ bundleIdentifier, plistForm: 'binary' });
    const info = await read(
      buildIpa({
        files: {
          'PlugIns/Share.appex/Info.plist': plist('com.example.test.share'),
          'Extensions/New.appex/Info.plist': plist('com.example.test.new'),
          'AppClips/Clip.app/Info.plist': plist('com.example.test.Clip'),
          'Watch/Watch.app/Info.plist': plist('com.example.test.watchkitapp'),
          'Watch/Watch.app/PlugIns/Inner.appex/Info.plist': plist('com.example.test.watchkitapp.inner'),
          'Frameworks/Some.framework/Info.plist': plist('com.example.framework'),
          'PlugIns/Broken.appex/Info.plist': 'nonsense {',
        },
      }),
    );
    expect(info.ios).toMatchObject({
      extensions: ['com.example.test.share', 'com.example.test.new', 'com.example.test.watchkitapp.inner'],
      appClips: ['com.example.test.Clip'],
      watchApps: ['com.example.test.watchkitapp'],
    });
    expect(info.warnings.at(-1)).toBe(
      'These files of the app cannot be read: PlugIns/Broken.appex/Info.plist.',
    );
  });

  it('are limited in number', async () => {
    const plist = buildInfoPlist({ bundleIdentifier: 'com.example.x' });
    const names = Array.from(
      { length: maxNestedBundles + 3 },
      (_, index) => `PlugIns/P${index}.appex/Info.plist`,
    );
    const info = await read(buildIpa({ files: Object.fromEntries(names.map((name) => [name, plist])) }));
    expect(info.ios?.extensions).toHaveLength(maxNestedBundles);
  });
});

describe('the IPA reader', () => {
  const app = (root: string) => [{ name: `${root}Info.plist`, content: buildInfoPlist() }];

  it.each([
    ['an empty archive', buildZip([]), 'the archive contains no Payload folder'],
    ['an empty Payload', buildZip([{ name: 'Payload/' }]), 'the Payload folder contains no .app folder'],
    [
      'a file in place of the app',
      buildZip([{ name: 'Payload/Test.app', content: 'x' }]),
      'the Payload folder contains no .app folder',
    ],
    [
      'two apps',
      buildZip([...app('Payload/A.app/'), ...app('Payload/B.app/')]),
      'the IPA contains 2 apps in Payload',
    ],
    [
      'a Payload within a folder',
      buildZip(app('Build/Payload/A.app/')),
      'the Payload folder is inside the folder Build',
    ],
    ['a zipped app', buildZip(app('A.app/')), 'A.app is not inside a Payload folder, so this is not an IPA'],
    [
      'an app without Info.plist',
      buildIpa({ infoPlistFile: null }),
      'Payload/Test.app contains no Info.plist',
    ],
    ['an empty Info.plist', buildIpa({ infoPlistFile: Buffer.alloc(0) }), 'Info.plist is empty'],
    [
      'a broken Info.plist',
      buildIpa({ infoPlistFile: Buffer.from('<plist>') }),
      'Info.plist is not a readable property list: it ends too early',
    ],
    [
      'an Info.plist that is a list',
      buildIpa({ infoPlistFile: Buffer.from('<plist><array/></plist>') }),
      'Info.plist is not a dictionary',
    ],
    ['no identifier', buildIpa({ bundleIdentifier: null }), 'Info.plist states no CFBundleIdentifier'],
    [
      'a path for an identifier',
      buildIpa({ bundleIdentifier: '../../etc' }),
      'the CFBundleIdentifier of Info.plist is not a bundle identifier',
    ],
    [
      'dots for an identifier',
      buildIpa({ bundleIdentifier: '..' }),
      'the CFBundleIdentifier of Info.plist is not a bundle identifier',
    ],
    [
      'a long identifier',
      buildIpa({ bundleIdentifier: 'a'.repeat(maxIdentifierCharacters + 1) }),
      'the CFBundleIdentifier of Info.plist is not a bundle identifier',
    ],
    [
      'a long version',
      buildIpa({ version: '1'.repeat(maxVersionCharacters + 1) }),
      `the CFBundleVersion of Info.plist is longer than ${maxVersionCharacters} characters`,
    ],
    [
      'an Info.plist twice',
      buildIpa({ extraEntries: app('Payload/Test.app/') }),
      'the archive contains Payload/Test.app/Info.plist twice',
    ],
    ...['Payload/x/../Test.app/Info.plist', '../Payload/Test.app/x', '/Payload/Test.app/x', '..'].map(
      (name): [string, Buffer, string] => [
        `the path ${name}`,
        buildIpa({ extraEntries: [{ name, content: 'x' }] }),
        `the archive contains the path ${name}, which leads out of it`,
      ],
    ),
    [
      'a huge Info.plist',
      buildIpa({ infoPlistFile: Buffer.alloc(5 * 1024 * 1024, ' ') }),
      'Payload/Test.app/Info.plist in the archive is too large',
    ],
    [
      'a huge profile',
      buildIpa({ identity, profile: Buffer.alloc(maxProfileBytes + 1) }),
      'Payload/Test.app/embedded.mobileprovision in the archive is too large',
    ],
  ])('rejects %s', async (_name, bytes, words) => {
    expect(await refusal(bytes)).toBe(words);
  });

  it('does not read a symbolic link as a file', async () => {
    const linked = (name: string) =>
      buildZip(
        ipaEntries({ identity }).map((entry) =>
          entry.name === `Payload/Test.app/${name}` ? { ...entry, unixMode: 0o120777 } : entry,
        ),
      );
    expect(await refusal(linked('Info.plist'))).toBe('Payload/Test.app contains no Info.plist');
    expect((await read(linked('Test'))).signature).toBeNull();
    expect((await read(buildZip(ipaEntries({ identity })))).signature).not.toBeNull();
  });

  it('accepts an app next to the files that macOS adds to archives', async () => {
    const extraEntries = [
      { name: '__MACOSX/Payload/Other.app/Info.plist', content: 'x' },
      { name: 'Payload/.DS_Store', content: 'x' },
      { name: 'Payload/._Test.app/x', content: 'x' },
    ];
    expect((await read(buildIpa({ extraEntries }))).packageName).toBe('com.example.test');
  });

  it('rejects an executable that is a zip bomb, quickly and with little memory', async () => {
    const executable = Buffer.alloc(64 * 1024 * 1024);
    const bytes = buildIpa({ executable });
    expect(bytes.length).toBeLessThan(200_000);
    const file = fileInMemory(bytes);
    const archive = await openZip(file);
    const takesAtMost = startProcessorTime();
    await expect(readIpa(archive)).rejects.toThrow(/^the executable inflates to \d+ times its size$/);
    takesAtMost(500);
  });

  it('rejects or reads packages with any byte changed, without other errors', async () => {
    const bytes = buildIpa({
      identity,
      profile: { certificates: [identity.certificate] },
      files: { 'Icon.png': png(20) },
    });
    for (let position = 0; position < bytes.length; position += 97) {
      const changed = Buffer.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ 0x55;
      try {
        await read(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadablePackage);
      }
    }
  });
});

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  const fixtures = fixturesOfRun().filter(({ path }) => path.startsWith('ipa/'));

  it.each(fixtures.map((fixture) => [fixture.path, fixture] as const))('%s', async (path, { truth }) => {
    const bytes = readFileSync(sharedFixturePath(path));
    const { expect: expected, bundles } = truth;
    if (!expected.package_detectable) {
      await expect(read(bytes)).rejects.toThrow(UnreadablePackage);
      return;
    }
    const info = await read(bytes);
    const inCatalog = bundles[0].assets_car && bundles[0].CFBundleIconName !== undefined;
    const widths = bundles[0].icon_files.map(({ width }: { width: number }) => width);
    expect({
      name: info.name,
      package_name: info.packageName,
      version_code: info.versionCode,
      version_name: info.versionName,
      sdk_version: info.sdkVersion,
      profile_type: info.ios?.profile?.type ?? null,
      codesign_sha1: info.signature === null ? [] : [info.signature],
      profile_certificate_sha1: info.ios?.profile?.certificateSha1s ?? [],
      icon: info.icon?.kind === 'asset-catalog' ? 'in the catalog' : (info.icon?.width ?? 0),
      executable: info.ios?.executable ?? undefined,
      devices: info.ios?.profile?.devices.length ?? 0,
      expires: info.ios?.profile?.expiresAt,
      intact: info.ios?.profile?.intact,
    }).toEqual({
      name: expected.name,
      package_name: expected.package_name,
      version_code: expected.version_code,
      version_name: expected.version_name,
      sdk_version: expected.sdk_version,
      profile_type: expected.profile_type,
      codesign_sha1: expected.codesign_sha1,
      profile_certificate_sha1: expected.profile_certificate_sha1,
      icon: inCatalog ? 'in the catalog' : Math.max(0, ...widths),
      executable: bundles[0].CFBundleExecutable,
      devices: bundles[0].profile?.udid_count ?? 0,
      expires: bundles[0].profile && `${bundles[0].profile.expires.replace(' ', 'T')}.000Z`,
      intact: bundles[0].profile && bundles[0].profile.openssl.cms_rc === 0,
    });
  });

  const invalid = fixturesOfRun().filter(({ path }) => /^invalid\/.*\.(ipa|zip|aab)$/.test(path));

  it.each(invalid.map(({ path }) => [path]))('%s is rejected', async (path) => {
    await expect(read(readFileSync(sharedFixturePath(path)))).rejects.toThrow(UnreadablePackage);
  });
});
