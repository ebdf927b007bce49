import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PackageAnalysis } from '../../../src/packages/analysis/analysis.ts';
import { addGap, LimitExceeded, maxGaps } from '../../../src/packages/analysis/gaps.ts';
import { analyzeIos, iosLimits } from '../../../src/packages/analysis/ios/analyze-ios.ts';
import {
  type MachOLimits,
  machOLimits,
  readMachOFacts,
} from '../../../src/packages/analysis/ios/mach-o-facts.ts';
import { readMedia } from '../../../src/packages/analysis/media.ts';
import { findSecrets, secretLimits } from '../../../src/packages/analysis/secrets.ts';
import { readVersionControl } from '../../../src/packages/apk/package-commit.ts';
import { openAppInPayload } from '../../../src/packages/ipa/app-bundle.ts';
import { maxEntitlementDepth } from '../../../src/packages/ipa/signature/entitlements.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildIpa, createSigningIdentity, type IpaSpec, writePropertyList } from '../../support/build-ipa.ts';
import { buildZip, fileInMemory } from '../../support/build-zip.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { buildAssetCatalog } from '../ipa/build-asset-catalog.ts';
import { buildPng } from '../ipa/build-png.ts';
import { buildMachO } from './ios-fixtures.ts';

/** A library for Macs with Apple silicon, made by Xcode's linker: 2442 local and 193 imported symbols. */
const realLibrary = readFileSync(
  new URL('../../../node_modules/better-sqlite3/prebuilds/darwin-arm64.node', import.meta.url),
);

async function analyze(bytes: Buffer, limits = iosLimits) {
  const gaps: PackageAnalysis['gaps'] = [];
  const { ios, dependencies } = await analyzeIos(
    openAppInPayload(await openZip(fileInMemory(bytes))),
    gaps,
    limits,
  );
  return { ios, dependencies, gaps };
}

const analyzeIpa = (spec: IpaSpec = {}) => analyze(buildIpa(spec));

describe('executables', () => {
  it('reads what the linker of Xcode wrote as `llvm-objdump` and `llvm-nm` do', async () => {
    const { ios, gaps } = await analyzeIpa({ executable: realLibrary });
    expect(gaps).toEqual([]);
    expect(ios.executables).toEqual([
      {
        path: 'Payload/Test.app/Test',
        uuid: '15d04b13388a302fa64d478527590b41',
        bytes: realLibrary.length,
        sdkVersion: '15.5',
        minOs: '11.0',
        platform: 1,
        linked: ['/usr/lib/libc++.1.dylib', '/usr/lib/libSystem.B.dylib'],
        symbolBytes: expect.any(Number),
        debugBytes: 0,
        requiredReasonApis: ['fstat', 'lstat', 'stat', 'statfs', 'fstatfs'].sort(),
      },
    ]);
    const [library] = ios.executables;
    // Each of the 2442 local symbols takes 16 bytes, and their names a part of the 73,104 bytes of all names.
    expect(library?.symbolBytes).toBeGreaterThan(2442 * 16);
    expect(library?.symbolBytes).toBeLessThan(2442 * 16 + 73_104);
  });

  it('finds selectors, chained imports, versions and debug information', async () => {
    const executable = buildMachO({
      selectors: ['viewDidLoad', 'activeInputModes', 'systemUptime'],
      imports: ['_OBJC_CLASS_$_NSUserDefaults', '_printf', '_NSURLCreationDateKey'],
      debugBytes: 1234,
    });
    const { ios } = await analyzeIpa({ executable });
    expect(ios.executables).toMatchObject([
      {
        sdkVersion: '26.1.2',
        minOs: '17.0',
        platform: 2,
        linked: ['@rpath/Kit.framework/Kit'],
        debugBytes: 1234,
        requiredReasonApis: ['NSURLCreationDateKey', 'NSUserDefaults', 'activeInputModes', 'systemUptime'],
      },
    ]);
  });

  it('lists encrypted code as a gap, and still what is not encrypted', async () => {
    const executable = buildMachO({ selectors: ['systemUptime'], imports: ['_stat'], encrypted: true });
    const { ios, gaps } = await analyzeIpa({ executable });
    expect(gaps).toEqual([{ part: 'native', path: 'Payload/Test.app/Test', reason: 'encrypted' }]);
    expect(ios.executables[0]?.requiredReasonApis).toEqual(['stat']);
  });

  it('lists those of frameworks, extensions and tests, also where the bundle does not name its own', async () => {
    const infoPlist = writePropertyList({}, 'xml');
    const { ios } = await analyzeIpa({
      executable: buildMachO(),
      files: Object.fromEntries(
        ['Frameworks/A.framework', 'PlugIns/B.appex', 'PlugIns/C.xctest'].flatMap((folder) => [
          [`${folder}/Info.plist`, infoPlist],
          [`${folder}/${/(\w+)\.\w+$/.exec(folder)?.[1]}`, buildMachO()],
        ]),
      ),
    });
    expect(ios.executables.map(({ path }) => path.replace('Payload/Test.app/', '')).sort()).toEqual([
      'Frameworks/A.framework/A',
      'PlugIns/B.appex/B',
      'PlugIns/C.xctest/C',
      'Test',
    ]);
  });

  it('lists a damaged executable as a gap', async () => {
    const { ios, gaps } = await analyzeIpa({ executable: realLibrary.subarray(0, 200_000) });
    expect(ios.executables).toEqual([]);
    expect(gaps).toEqual([{ part: 'native', path: 'Payload/Test.app/Test', reason: 'unreadable' }]);
  });
});

describe('entitlements', () => {
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const content = Buffer.concat(parts);
    const length =
      content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff];
    return Buffer.concat([Buffer.from([tag, ...length]), content]);
  };
  const text = (value: string) => der(0x0c, Buffer.from(value));
  const pair = (key: string, value: Buffer) => der(0x30, text(key), value);
  const pairs = [
    pair('aps-environment', text('development')),
    pair('com.apple.developer.associated-domains', der(0x30, text('applinks:example.com'))),
    pair('get-task-allow', der(0x01, Buffer.from([0xff]))),
    pair('count', der(0x02, Buffer.from([1, 4]))),
    pair('nested', der(0xb0, pair('__proto__', text('x')))),
  ];
  const inDer = der(0x70, der(0x02, Buffer.from([1])), der(0xb0, ...pairs));
  const inXml = writePropertyList({ 'get-task-allow': false, 'com.apple.developer.healthkit': true }, 'xml');
  const stated = {
    'aps-environment': 'development',
    'com.apple.developer.associated-domains': ['applinks:example.com'],
    'get-task-allow': true,
    count: 260,
    nested: { ['__proto__']: 'x' },
  };
  const analyzeSections = (sections: Record<string, Buffer>, platform = 7) =>
    analyzeIpa({ executable: buildMachO({ platform, sections }) });

  it('reads those of a simulator build, in the section for the property list or in DER', async () => {
    const { ios, gaps } = await analyzeSections({ __entitlements: inXml, __ents_der: inDer });
    expect(gaps).toEqual([]);
    expect(ios.entitlements).toEqual({ 'get-task-allow': false, 'com.apple.developer.healthkit': true });
    expect(ios.getTaskAllow).toBe(false);
    const only = (await analyzeSections({ __ents_der: inDer })).ios;
    expect(only.entitlements).toEqual(stated);
    expect([only.getTaskAllow, only.associatedDomains]).toEqual([true, ['applinks:example.com']]);
  });

  it('reads both with the header that they have in a signature', async () => {
    const withHeader = (magic: number, content: Buffer) => {
      const header = Buffer.alloc(8);
      header.writeUInt32BE(magic, 0);
      header.writeUInt32BE(content.length + 8, 4);
      return Buffer.concat([header, content]);
    };
    const xml = await analyzeSections({ __entitlements: withHeader(0xfade7171, inXml) });
    expect(Object.keys(xml.ios.entitlements)).toHaveLength(2);
    const { ios } = await analyzeSections({ __ents_der: withHeader(0xfade7172, inDer) });
    expect(ios.entitlements).toEqual(stated);
  });

  it('ignores the sections of a build for devices', async () => {
    const { ios } = await analyzeSections({ __entitlements: inXml }, 2);
    expect([ios.entitlements, ios.getTaskAllow]).toEqual([{}, null]);
  });

  it.each([
    ['a value that ends too early', inDer.subarray(0, -1)],
    ['an unknown type', der(0x70, der(0x02, Buffer.from([1])), der(0xb0, pair('a', der(0x05))))],
    ['a list instead of a dictionary', der(0x30, text('a'))],
    ['no dictionary', der(0x70, der(0x02, Buffer.from([1])))],
    ['more levels than maxEntitlementDepth', nestedIn(maxEntitlementDepth + 1)],
  ])('has a gap for DER with %s', async (_, content) => {
    const { ios, gaps } = await analyzeSections({ __ents_der: content });
    expect(ios.entitlements).toEqual({});
    expect(gaps).toEqual([{ part: 'signature', path: null, reason: 'unreadable' }]);
  });

  function nestedIn(depth: number): Buffer {
    let list = der(0x30);
    for (let level = 0; level < depth; level++) list = der(0x30, list);
    return der(0xb0, pair('a', list));
  }
});

describe('limits of an executable', () => {
  const read = async (executable: Buffer, limits: Partial<MachOLimits>) => {
    const archive = await openZip(fileInMemory(buildZip([{ name: 'a', content: executable, method: 8 }])));
    const [entry] = archive.entries;
    if (!entry) throw new Error('no entry');
    return readMachOFacts(archive, entry, { ...machOLimits, ...limits });
  };
  const small = buildMachO({ selectors: ['systemUptime'], imports: ['_stat'] });

  it.each([
    ['linkedLibraries', realLibrary, 2],
    ['localSymbols', realLibrary, 2442],
    ['importedSymbols', realLibrary, 193],
    ['symbolTableBytes', realLibrary, 2914 * 16],
    ['selectorBytes', small, 13],
    ['fixupBytes', small, 35],
    ['entitlementsBytes', buildMachO({ sections: { __ents_der: Buffer.alloc(50) } }), 50],
  ] as const)('%s', async (name, executable, limit) => {
    expect(await read(executable, { [name]: limit })).not.toBeNull();
    await expect(read(executable, { [name]: limit - 1 })).rejects.toThrow(LimitExceeded);
  });

  it('signatureBytes and nameBytes', async () => {
    await expect(read(realLibrary, { signatureBytes: 10 })).rejects.toThrow(LimitExceeded);
    // The table of names is longer than a piece of the stream, so that a name is open between two.
    const endless = Buffer.from(realLibrary);
    endless.fill(0x61, 1_914_192);
    await expect(read(endless, { signatureBytes: 2 ** 30, nameBytes: 1000 })).rejects.toThrow(LimitExceeded);
  });
});

describe('property lists', () => {
  it('reads transport security, schemes, descriptions and the SDK', async () => {
    const { ios } = await analyzeIpa({
      infoPlist: {
        DTSDKName: 'iphoneos26.1',
        DTPlatformVersion: '26.1',
        DTXcode: '2610',
        NSAppTransportSecurity: {
          NSAllowsArbitraryLoads: true,
          NSExceptionDomains: {
            'old.example.com': { NSExceptionAllowsInsecureHTTPLoads: true },
            'new.example.com': { NSIncludesSubdomains: true },
          },
        },
        CFBundleURLTypes: [{ CFBundleURLSchemes: ['example', 'example-auth'] }],
        NSCameraUsageDescription: 'To scan codes',
        UIBackgroundModes: ['audio'],
      },
    });
    expect(ios).toMatchObject({
      sdk: { name: 'iphoneos26.1', version: '26.1', xcode: '2610' },
      appTransportSecurity: {
        arbitraryLoads: true,
        exceptions: [
          { domain: 'old.example.com', insecure: true },
          { domain: 'new.example.com', insecure: false },
        ],
      },
      urlSchemes: ['example', 'example-auth'],
      usageDescriptions: ['NSCameraUsageDescription'],
      backgroundModes: ['audio'],
    });
  });

  it('ignores arbitrary loads next to a narrower key, as devices do', async () => {
    const keys = { NSAllowsArbitraryLoads: true, NSAllowsLocalNetworking: true };
    const { ios } = await analyzeIpa({ infoPlist: { NSAppTransportSecurity: keys } });
    expect(ios.appTransportSecurity.arbitraryLoads).toBe(false);
  });

  it('reads privacy manifests and frameworks with their version, as evidence of dependencies', async () => {
    const { ios, dependencies } = await analyzeIpa({
      files: {
        'PrivacyInfo.xcprivacy': writePropertyList(
          {
            NSPrivacyTracking: true,
            NSPrivacyTrackingDomains: ['track.example.com'],
            NSPrivacyCollectedDataTypes: [{ NSPrivacyCollectedDataType: 'NSPrivacyCollectedDataTypeUserID' }],
            NSPrivacyAccessedAPITypes: [
              {
                NSPrivacyAccessedAPIType: 'NSPrivacyAccessedAPICategoryUserDefaults',
                NSPrivacyAccessedAPITypeReasons: ['CA92.1'],
              },
            ],
          },
          'binary',
        ),
        'Frameworks/Kit.framework/Info.plist': writePropertyList(
          { CFBundleExecutable: 'Kit', CFBundleShortVersionString: '2.5.0' },
          'binary',
        ),
        'Frameworks/Kit.framework/Kit': buildMachO(),
      },
    });
    expect(ios.privacyManifests).toEqual([
      {
        path: 'Payload/Test.app/PrivacyInfo.xcprivacy',
        tracking: true,
        trackingDomains: ['track.example.com'],
        collected: ['NSPrivacyCollectedDataTypeUserID'],
        accessed: [{ category: 'NSPrivacyAccessedAPICategoryUserDefaults', reasons: ['CA92.1'] }],
      },
    ]);
    const path = 'Payload/Test.app/Frameworks/Kit.framework';
    expect(ios.frameworks).toMatchObject([{ path, name: 'Kit', version: '2.5.0' }]);
    expect(ios.executables.map((executable) => executable.path)).toContain(`${path}/Kit`);
    expect(dependencies.libraries).toMatchObject([
      { ecosystem: 'ios', name: 'Kit', version: '2.5.0', evidence: path },
    ]);
  });

  it('reads entitlements from the signature, and none from an unsigned app', async () => {
    const signed = await analyzeIpa({ identity: createSigningIdentity() });
    expect(signed.ios).toMatchObject({ entitlements: { 'get-task-allow': true }, getTaskAllow: true });
    const unsigned = await analyzeIpa();
    expect(unsigned.ios).toMatchObject({ entitlements: {}, getTaskAllow: null });
  });
});

it('sums the bytes of an asset catalog per kind', async () => {
  const catalog = buildAssetCatalog({
    renditions: [
      { width: 2, height: 2, pixelFormat: 'ARGB', payload: Buffer.alloc(500), key: { 2: 220 } },
      { width: 2, height: 2, pixelFormat: 'ARGB', payload: Buffer.alloc(100) },
    ],
  });
  const { ios, gaps } = await analyzeIpa({ files: { 'Assets.car': catalog, 'Other.car': 'damaged' } });
  expect(ios.assetCatalogs.map(({ kind, assets }) => [kind, assets])).toEqual([
    ['icon', 1],
    ['image', 1],
  ]);
  expect(gaps).toEqual([{ part: 'catalog', path: 'Payload/Test.app/Other.car', reason: 'unreadable' }]);
});

it('lists what exceeds a limit as a gap', async () => {
  const bytes = buildIpa({
    files: { 'PrivacyInfo.xcprivacy': '{}', 'A.bundle/PrivacyInfo.xcprivacy': '{}' },
  });
  const { ios, gaps } = await analyze(bytes, { ...iosLimits, privacyManifests: 1 });
  expect(ios.privacyManifests).toHaveLength(1);
  expect(gaps).toContainEqual({ part: 'metadata', path: null, reason: 'too_many' });
});

it('lists at most maxGaps gaps', () => {
  const gaps: PackageAnalysis['gaps'] = [];
  for (let index = 0; index <= maxGaps; index++) addGap(gaps, 'native', `${index}`, 'too_many');
  expect(gaps).toHaveLength(maxGaps);
});

it.skipIf(!sharedFixturesPresent)('reads real apps without gaps', async () => {
  const { ios, gaps } = await analyze(readFileSync(sharedFixturePath('ipa/Permissions.ipa')));
  expect(gaps).toEqual([]);
  expect(ios.sdk).toEqual({ name: 'iphoneos13.2', version: '13.2', xcode: '1130' });
  expect(ios.executables).toMatchObject([
    {
      sdkVersion: '13.2',
      minOs: '8.0',
      platform: 2,
      symbolBytes: 50_611,
      requiredReasonApis: ['systemUptime'],
    },
  ]);
  expect(ios.usageDescriptions).toHaveLength(16);
  expect(ios.getTaskAllow).toBe(true);
});

describe('media', () => {
  it('lists large files with their size in pixels', async () => {
    const png = Buffer.concat([buildPng({ width: 30, height: 20 }), Buffer.alloc(200_000, 1)]);
    const track = Buffer.alloc(92);
    track.writeUInt32BE(92, 0);
    track.write('tkhd', 4);
    track.writeUInt16BE(1920, 84);
    track.writeUInt16BE(1080, 88);
    const video = Buffer.concat([
      Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'),
      track,
      Buffer.alloc(2_000_000),
    ]);
    const entries = {
      'res/a.png': png,
      'assets/b.mp4': video,
      'res/font/c.ttf': Buffer.alloc(150_000),
      'res/small.png': buildPng({ width: 1, height: 1 }),
    };
    const archive = await openZip(
      fileInMemory(
        buildZip(Object.entries(entries).map(([name, content]) => ({ name, content, method: 8 }))),
      ),
    );
    const found = await readMedia(archive, []);
    expect(found.map(({ path, kind, width, height }) => [path, kind, width, height])).toEqual([
      ['assets/b.mp4', 'video', 1920, 1080],
      ['res/a.png', 'image', 30, 20],
      ['res/font/c.ttf', 'font', null, null],
    ]);
    const gaps: PackageAnalysis['gaps'] = [];
    expect(await readMedia(archive, gaps, 1)).toHaveLength(1);
    expect(gaps).toEqual([{ part: 'media', path: null, reason: 'too_many' }]);
  });
});

describe('secrets', () => {
  const search = async (content: Buffer | string, name = 'assets/config.json', limits = secretLimits) => {
    const gaps: PackageAnalysis['gaps'] = [];
    const archive = await openZip(fileInMemory(buildZip([{ name, content, method: 8 }])));
    return { secrets: await findSecrets(archive, gaps, limits), gaps };
  };
  const random = 'Zx81Qw29Er37Ty46Ui55Op64As73Df82Gh91Jk05';

  it.each([
    ['aws_access_key', 'AKIA', 'QWERTYUIOPASDFGH'],
    ['google_api_key', 'AIza', random.slice(0, 35)],
    ['stripe_key', 'sk_live_', random.slice(0, 24)],
    ['github_token', 'ghp_', random.slice(0, 36)],
    ['slack_token', 'xoxb-', `1234567890-${random.slice(0, 24)}`],
  ])('finds %s and never returns it in full', async (kind, prefix, rest) => {
    const { secrets } = await search(`{"key":"${prefix}${rest}"}`);
    expect(secrets).toEqual([{ kind, path: 'assets/config.json', redacted: `${prefix}…${rest.slice(-4)}` }]);
  });

  it('finds a private key with its content, but not the words around one', async () => {
    const begin = '-----BEGIN RSA PRIVATE KEY-----';
    expect((await search(`${begin}\n${random}${random}\n`)).secrets).toMatchObject([
      { kind: 'private_key', redacted: begin },
    ]);
    expect((await search(`if (text.includes("${begin}")) return`)).secrets).toEqual([]);
  });

  it('ignores examples, longer words and media', async () => {
    const key = `AIza${random.slice(0, 35)}`;
    expect((await search('AKIAIOSFODNN7EXAMPLE')).secrets).toEqual([]);
    expect((await search(`prefix${key}`)).secrets).toEqual([]);
    expect((await search(key, 'assets/a.png')).secrets).toEqual([]);
  });

  it('finds a value at any position, also between two pieces of a stream', async () => {
    const key = `AIza${random.slice(0, 35)}`;
    for (const position of [0, 262_130, 262_144 - 39, 524_288 - 20]) {
      const content = Buffer.alloc(600_000, ' ');
      content.write(key, position);
      expect((await search(content)).secrets).toHaveLength(1);
    }
  });

  it('lists files above the limit as gaps', async () => {
    const { secrets, gaps } = await search('x'.repeat(100), 'assets/a.js', {
      ...secretLimits,
      fileBytes: 50,
    });
    expect(secrets).toEqual([]);
    expect(gaps).toEqual([{ part: 'secrets', path: 'assets/a.js', reason: 'too_large' }]);
  });
});

it('reads a report of whitespace in linear time, which took minutes', () => {
  expect(readVersionControl(Buffer.from(`repositories${' '.repeat(2_000_000)}`))).toBeNull();
});
