import sharp from 'sharp';
import { describe, expect, it, test } from 'vitest';
import { maxNames } from '../../../src/packages/apk/android-manifest.ts';
import { maxIconBytes } from '../../../src/packages/apk/choose-icon.ts';
import { maxManifestBytes, readApk } from '../../../src/packages/apk/read-apk.ts';
import { type PackageInfo, UnreadablePackage } from '../../../src/packages/package-info.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { type ApkSpec, apkEntries, buildApk, buildManifest } from '../../support/build-apk.ts';
import { buildBinaryXml, type XmlElementSpec } from '../../support/build-binary-xml.ts';
import { buildResourceTable } from '../../support/build-resource-table.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';

const read = async (bytes: Buffer) => readApk(await openZip(fileInMemory(bytes)));
const readSpec = (spec: ApkSpec) => read(buildApk(spec));

async function expectRefused(bytes: Buffer, message: string): Promise<void> {
  const error = await read(bytes).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(UnreadablePackage);
  expect(error).toHaveProperty('message', expect.stringContaining(message));
}

/** Returns the package with one entry changed. */
function changed(name: string, change: (entry: ZipEntrySpec) => ZipEntrySpec, spec: ApkSpec = {}): Buffer {
  return buildZip(apkEntries(spec).map((entry) => (entry.name === name ? change(entry) : entry)));
}

describe.each([
  ['UTF-8', false],
  ['UTF-16', true],
])('a package with %s texts', (_, utf16) => {
  test('yields all its facts', async () => {
    const info = await readSpec({
      utf16,
      packageName: 'com.example.app',
      versionCode: 42,
      versionName: '1.2.3',
      versionCodeMajor: 1,
      minSdk: 21,
      targetSdk: 35,
      maxSdk: 36,
      label: { '': 'Hello', ja: 'こんにちは', 'pt-rBR': 'Olá' },
      permissions: [
        'android.permission.INTERNET',
        'android.permission.CAMERA',
        'android.permission.INTERNET',
      ],
      features: [{ name: 'android.hardware.camera', required: false }, { name: 'android.hardware.nfc' }],
      nativeAbis: ['x86_64', 'arm64-v8a'],
      debuggable: true,
      testOnly: true,
      manifestAttributes: [{ name: 'compileSdkVersion', value: 36 }],
    });
    expect(info).toEqual<PackageInfo>({
      platform: 'android',
      packageName: 'com.example.app',
      name: 'Hello',
      labels: { '': 'Hello', ja: 'こんにちは', 'pt-BR': 'Olá' },
      versionCode: '42',
      versionName: '1.2.3',
      sdkVersion: '21',
      rawSdkVersion: '21',
      targetSdkVersion: 35,
      signature: null,
      signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
      icon: null,
      android: {
        versionCodeMajor: 1,
        minSdkCodename: null,
        targetSdkCodename: null,
        maxSdkVersion: 36,
        compileSdkVersion: 36,
        permissions: ['android.permission.INTERNET', 'android.permission.CAMERA'],
        features: [
          { name: 'android.hardware.camera', required: false },
          { name: 'android.hardware.nfc', required: true },
        ],
        nativeAbis: ['arm64-v8a', 'x86_64'],
        debuggable: true,
        testOnly: true,
      },
      ios: null,
      warnings: [
        'The package is marked as testOnly. It can only be installed from a computer, with adb install -t.',
        'The package is not signed. Android does not install unsigned packages.',
      ],
    });
  });
});

describe('missing values get the platform defaults', () => {
  test('for a manifest with only a name', async () => {
    const info = await readSpec({
      versionCode: null,
      versionName: null,
      minSdk: null,
      targetSdk: null,
      label: null,
    });
    expect(info).toMatchObject({
      name: 'com.example.test',
      labels: {},
      versionCode: '0',
      versionName: null,
      sdkVersion: '1',
      rawSdkVersion: null,
      targetSdkVersion: 1,
      icon: null,
      android: {
        versionCodeMajor: null,
        maxSdkVersion: null,
        compileSdkVersion: null,
        permissions: [],
        features: [],
        nativeAbis: [],
        debuggable: false,
        testOnly: false,
      },
    });
  });

  test.each<[what: string, spec: ApkSpec, expected: Partial<PackageInfo>]>([
    ['no target', { minSdk: 26, targetSdk: null }, { sdkVersion: '26', targetSdkVersion: 26 }],
    [
      'no minimum',
      { minSdk: null, targetSdk: 30 },
      { sdkVersion: '1', rawSdkVersion: null, targetSdkVersion: 30 },
    ],
    ['a target below the minimum', { minSdk: 30, targetSdk: 26 }, { sdkVersion: '30', targetSdkVersion: 26 }],
    [
      'codenames',
      { minSdk: 'Tiramisu', targetSdk: 'VanillaIceCream' },
      { sdkVersion: '33', rawSdkVersion: 'Tiramisu', targetSdkVersion: 35 },
    ],
    [
      'an unknown codename',
      { minSdk: 21, targetSdk: 'Zucotto' },
      { sdkVersion: '21', targetSdkVersion: 10_000 },
    ],
    [
      'a codename as target alone',
      { minSdk: null, targetSdk: 'Baklava' },
      { sdkVersion: '36', rawSdkVersion: null, targetSdkVersion: 36 },
    ],
    [
      'a codename as minimum alone',
      { minSdk: 'S', targetSdk: null },
      { sdkVersion: '31', rawSdkVersion: 'S', targetSdkVersion: 31 },
    ],
    [
      'a number as text',
      { minSdk: '24', targetSdk: '34' },
      { sdkVersion: '24', rawSdkVersion: '24', targetSdkVersion: 34 },
    ],
    ['a negative version code', { versionCode: -1 }, { versionCode: '-1' }],
    [
      'the largest version code',
      { versionCode: 2_147_483_647, versionCodeMajor: 3 },
      { versionCode: '2147483647' },
    ],
    ['an empty version name', { versionName: '' }, { versionName: null }],
  ])('%s', async (_, spec, expected) => expect(await readSpec(spec)).toMatchObject(expected));

  test('codenames are recorded as they are', async () => {
    const info = await readSpec({ minSdk: 'Tiramisu', targetSdk: 'VanillaIceCream' });
    expect(info.android).toMatchObject({ minSdkCodename: 'Tiramisu', targetSdkCodename: 'VanillaIceCream' });
    const odd = await readSpec({ minSdk: 'Foo\u202ebar\n', targetSdk: ' ' });
    expect(odd.android).toMatchObject({ minSdkCodename: 'Foo bar', targetSdkCodename: '?' });
    expect(odd).toMatchObject({ sdkVersion: '10000', targetSdkVersion: 10_000 });
  });

  test('codenames have at most maxCodenameLength characters', async () => {
    const { android } = await readSpec({ minSdk: 'x'.repeat(200), targetSdk: 35 });
    expect(android?.minSdkCodename).toBe(`${'x'.repeat(99)}…`);
  });
});

describe('references in values', () => {
  const resourceTable = buildResourceTable([
    {
      types: [
        {
          name: 'string',
          resources: [
            { name: 'version', values: [{ value: '9.8' }, { config: { language: 'de' }, value: 'neun' }] },
            { name: 'german', values: [{ config: { language: 'de' }, value: 'Deutsch' }] },
            {
              name: 'english',
              values: [
                { config: { language: 'de' }, value: 'D' },
                { config: { language: 'en', region: 'GB' }, value: 'E' },
              ],
            },
            { name: 'blank', values: [{ value: ' ' }, { config: { language: 'fr' }, value: '' }] },
          ],
        },
        { name: 'integer', resources: [{ name: 'code', values: [{ value: { type: 0x10, data: 77 } }] }] },
        { name: 'bool', resources: [{ name: 'yes', values: [{ value: { type: 0x12, data: 0xffffffff } }] }] },
      ],
    },
  ]);
  const label = (id: number): ApkSpec => ({
    label: null,
    resourceTable,
    applicationAttributes: [{ name: 'label', value: { reference: id } }],
  });

  test('are followed', async () => {
    const info = await readSpec({
      resourceTable,
      versionCode: null,
      versionName: null,
      minSdk: null,
      manifestAttributes: [
        { name: 'versionCode', value: { reference: 0x7f020000 } },
        { name: 'versionName', value: { reference: 0x7f010000 } },
      ],
      manifestChildren: [
        { name: 'uses-sdk', attributes: [{ name: 'minSdkVersion', value: { reference: 0x7f020000 } }] },
      ],
      applicationAttributes: [{ name: 'debuggable', value: { reference: 0x7f030000 } }],
    });
    expect(info).toMatchObject({
      versionCode: '77',
      versionName: '9.8',
      sdkVersion: '77',
      android: { debuggable: true },
    });
  });

  test('are ignored when they lead nowhere', async () => {
    const info = await readSpec({
      ...label(0x7f090000),
      versionName: null,
      manifestAttributes: [{ name: 'versionName', value: { reference: 0x01040000 } }],
    });
    expect(info).toMatchObject({ name: 'com.example.test', labels: {}, versionName: null });
    const noTable = await readSpec({
      label: null,
      applicationAttributes: [{ name: 'label', value: { reference: 0x7f010000 } }],
    });
    expect(noTable).toMatchObject({ name: 'com.example.test', labels: {} });
  });

  test.each([
    ['in one language only', 0x7f010001, 'Deutsch', { de: 'Deutsch' }],
    ['in languages without a default', 0x7f010002, 'E', { de: 'D', 'en-GB': 'E' }],
    ['that is blank', 0x7f010003, 'com.example.test', { '': ' ' }],
  ])('resolve to a label %s', async (_, id, name, labels) =>
    expect(await readSpec(label(id))).toMatchObject({ name, labels }),
  );
});

test('a label in the manifest is used directly', async () => {
  expect(await readSpec({ label: '  Plain\u00a0app ' })).toMatchObject({
    name: 'Plain\u00a0app',
    labels: { '': '  Plain\u00a0app ' },
  });
});

describe('duplicate elements', () => {
  const application = (label: string): XmlElementSpec => ({
    name: 'application',
    attributes: [{ name: 'label', value: label }],
  });
  const usesSdk = (minSdk: number): XmlElementSpec => ({
    name: 'uses-sdk',
    attributes: [{ name: 'minSdkVersion', value: minSdk }],
  });
  const build = (...children: XmlElementSpec[]) =>
    buildApk({
      manifest: buildBinaryXml({
        name: 'manifest',
        attributes: [{ name: 'package', value: 'a.b', resourceId: 0 }],
        children,
      }),
    });

  test('use the first application', async () => {
    const info = await read(build(application('one'), application('two')));
    expect(info.name).toBe('one');
    expect(info.warnings).toContain(
      'The manifest has more than one application element. Android uses the first.',
    );
  });

  test('use the last uses-sdk', async () => {
    expect(await read(build(usesSdk(21), usesSdk(30), application('a')))).toMatchObject({
      sdkVersion: '30',
      targetSdkVersion: 30,
    });
  });

  test('make a feature required when one of the two requires it', async () => {
    const feature = (required: boolean): XmlElementSpec => ({
      name: 'uses-feature',
      attributes: [
        { name: 'name', value: 'f' },
        { name: 'required', value: required },
      ],
    });
    const info = await read(build(feature(true), feature(false), application('a')));
    expect(info.android?.features).toEqual([{ name: 'f', required: true }]);
  });

  test('a missing application causes a warning', async () => {
    const none = 'The manifest has no application element. Android does not install it.';
    expect((await read(build())).warnings).toContain(none);
    expect((await read(build({ name: 'instrumentation' }))).warnings).not.toContain(none);
  });
});

test('a package that tests another app causes a warning', async () => {
  const tests = (targetPackage: string): ApkSpec => ({
    manifestChildren: [
      { name: 'instrumentation', attributes: [{ name: 'targetPackage', value: targetPackage }] },
    ],
  });
  expect((await readSpec(tests('com.example.tested'))).warnings).toContain(
    'The package contains tests of com.example.tested and cannot be used without that app.',
  );
  const ownTests = (await readSpec(tests('com.example.test'))).warnings;
  expect(ownTests.filter((warning) => warning.includes('tests'))).toEqual([]);
});

describe('a warning reports', () => {
  const named = (name: string) =>
    buildApk({ extraEntries: [{ name: Buffer.from(name, 'latin1'), content: 'x' }] });
  const invalidName = (name: string) =>
    `The zip archive contains the file name ${name}, which is not UTF-8 or contains a NUL character. Android does not install it.`;

  test.each<[what: string, bytes: () => Buffer, warning: string | null]>([
    [
      'a target that Android 14 refuses',
      () => buildApk({ targetSdk: 22 }),
      'The target SDK is below 23. Android 14 and newer do not install it.',
    ],
    [
      'a target that Android 15 refuses',
      () => buildApk({ targetSdk: 23 }),
      'The target SDK is below 24. Android 15 and newer do not install it.',
    ],
    ['a target that is taken', () => buildApk({ targetSdk: 24 }), null],
    [
      'splits that are needed',
      () =>
        buildApk({ manifestAttributes: [{ name: 'isSplitRequired', value: true, resourceId: 0x01010591 }] }),
      'The package requires its split packages. Android does not install it alone.',
    ],
    [
      'a name twice',
      () => buildApk({ extraEntries: [{ name: 'assets/x' }, { name: 'assets/x' }] }),
      'The zip archive contains assets/x twice. Android does not install it.',
    ],
    ['a name with a NUL character', () => named('a\0b'), invalidName('a b')],
    ['a name in Latin-1', () => named('r\xe9s'), invalidName('rés')],
    ['a name that ends within a character', () => named('a\xc3'), invalidName('aÃ')],
    ['a name in UTF-8', () => named(Buffer.from('é潮😀').toString('latin1')), null],
    ['halves of a surrogate pair, as Java writes them', () => named('\xed\xa0\xbd\xed\xb8\x80'), null],
    [
      'a compressed table',
      () => changed('resources.arsc', (entry) => ({ ...entry, method: 8 }), { label: { '': 'x' } }),
      'The resources.arsc is compressed. Android 11 and newer do not install such a package when its target SDK is 30 or more.',
    ],
    [
      'a compressed table of an older app',
      () =>
        changed('resources.arsc', (entry) => ({ ...entry, method: 8 }), {
          label: { '': 'x' },
          targetSdk: 29,
        }),
      null,
    ],
    [
      'a damaged table',
      () => buildApk({ resourceTable: Buffer.from('damaged'), label: { '': 'x' } }),
      'The resources.arsc is damaged: label and icon cannot be read. Android does not install it.',
    ],
  ])('%s', async (_, bytes, warning) => {
    const { warnings } = await read(bytes());
    expect(warnings.filter((text) => !text.includes('not signed'))).toEqual(
      warning === null ? [] : [warning],
    );
  });
});

describe('the reader rejects', () => {
  const manifest = (attributes: XmlElementSpec['attributes'], name = 'manifest') =>
    buildApk({ manifest: buildBinaryXml({ name, attributes: attributes ?? [] }) });
  const named = (name: string) => manifest([{ name: 'package', value: name, resourceId: 0 }]);

  test('a split', async () => {
    const split = buildApk({
      manifestAttributes: [{ name: 'split', value: 'config.xxhdpi', resourceId: 0 }],
    });
    await expectRefused(split, 'this is the split config.xxhdpi of an app, not a whole APK');
    await read(buildApk({ manifestAttributes: [{ name: 'split', value: '', resourceId: 0 }] }));
  });

  test.each([
    '',
    'nodots',
    '1.a',
    'a.1',
    'a..b',
    'a.b.',
    '.a.b',
    'a.b/../c',
    'a.b c',
    'a.é',
    `a.${'b'.repeat(222)}`,
  ])('the package name "%s"', (name) => expectRefused(named(name), 'package name'));

  test.each(['android', 'a.b', 'com.example_1.App2', `a.${'b'.repeat(221)}`])(
    'no valid package name such as "%s"',
    async (name) => {
      expect((await read(named(name))).packageName).toBe(name);
    },
  );

  test('a missing package name, or one that is not text', async () => {
    await expectRefused(manifest([]), 'states no package name');
    await expectRefused(
      manifest([{ name: 'package', value: { reference: 0x7f010000 }, resourceId: 0 }]),
      'states no package name',
    );
  });

  test('another root element', () => expectRefused(manifest([], 'resources'), 'no manifest element'));

  test('a manifest in plain text', async () => {
    for (const text of ['<manifest package="a.b"/>', '\ufeff\n <?xml version="1.0"?>']) {
      await expectRefused(buildApk({ manifest: Buffer.from(text) }), 'is plain text');
    }
  });

  test('a damaged, empty or missing manifest', async () => {
    await expectRefused(
      buildApk({ manifest: buildManifest().subarray(0, -8) }),
      'the AndroidManifest.xml is damaged',
    );
    await expectRefused(buildApk({ manifest: Buffer.alloc(0) }), 'the AndroidManifest.xml is damaged');
    await expectRefused(buildZip([{ name: 'a' }]), 'no AndroidManifest.xml');
  });

  test.each(['AndroidManifest.xml', 'resources.arsc', 'classes.dex', 'classes2.dex'])(
    'two entries named %s',
    (name) =>
      expectRefused(
        buildApk({ label: { '': 'x' }, extraEntries: [{ name: 'classes2.dex' }, { name }] }),
        `contains ${name} twice`,
      ),
  );

  test('code before the archive (Janus)', () =>
    expectRefused(buildApk({}, { prefix: Buffer.from('dex\n035\0') }), 'precede the zip archive'));

  test('entries beyond the stated number, which Android does not see', async () => {
    const hidden = Array.from({ length: 65_536 }, (_, index) => ({ name: `assets/${index}` }));
    await expectRefused(buildApk({ extraEntries: hidden }), 'more entries than it states');
  });

  test('an encrypted manifest', () =>
    expectRefused(
      changed('AndroidManifest.xml', (entry) => ({ ...entry, flags: 0x0801 })),
      'is encrypted',
    ));

  test('maxManifestBytes: a larger inflated manifest', async () => {
    const padded = (bytes: number) =>
      buildApk({ manifest: Buffer.concat([buildManifest(), Buffer.alloc(bytes - buildManifest().length)]) });
    expect((await read(padded(maxManifestBytes))).packageName).toBe('com.example.test');
    await expectRefused(padded(maxManifestBytes + 1), 'AndroidManifest.xml in the archive is too large');
  });
});

test('no unknown compression method, which counts as stored, as in Android', async () => {
  const bytes = changed('AndroidManifest.xml', (entry) => ({ ...entry, method: 0x6b3c }));
  expect((await read(bytes)).packageName).toBe('com.example.test');
});

test('maxNames: limits permissions and features', async () => {
  const names = Array.from({ length: maxNames + 1 }, (_, index) => `p${index}`);
  const info = await readSpec({ permissions: names, features: names.map((name) => ({ name })) });
  expect(info.android?.permissions).toHaveLength(maxNames);
  expect(info.android?.features).toHaveLength(maxNames);
}, 60_000);

describe('the icon', () => {
  const png = (size: number) =>
    sharp({ create: { width: size, height: size, channels: 4, background: '#123456' } })
      .png()
      .toBuffer();
  const xml = (name: string) => buildBinaryXml({ name });
  const icon = async (...icons: NonNullable<ApkSpec['icons']>) => (await readSpec({ icons })).icon;

  test('is the largest picture', async () => {
    const [small, large] = [await png(48), await png(192)];
    const files = [
      { path: 'res/a.png', content: small, config: { density: 160 } },
      { path: 'res/b.png', content: large, config: { density: 640 } },
    ];
    const expected = { kind: 'png', source: 'res/b.png', width: 192, height: 192 };
    expect(await icon(...files)).toEqual(expected);
    expect(await icon(...files.toReversed())).toEqual(expected);
  });

  test('is adaptive when the platform uses adaptive icons', async () => {
    const adaptive = {
      path: 'res/i.xml',
      content: xml('adaptive-icon'),
      config: { density: 0xfffe, sdkVersion: 26 },
    };
    const picture = { path: 'res/a.png', content: await png(9), config: { density: 640 } };
    expect(await icon(picture, adaptive)).toEqual({
      kind: 'adaptive',
      source: 'res/i.xml',
      width: null,
      height: null,
    });
  });

  test('is a vector only when there is no picture', async () => {
    const vector = { path: 'res/v.xml', content: xml('vector'), config: { density: 0xfffe, sdkVersion: 21 } };
    const picture = { path: 'res/a.png', content: await png(9), config: { density: 640 } };
    expect(await icon(vector, picture)).toMatchObject({ kind: 'png', source: 'res/a.png' });
    expect(await icon(vector)).toEqual({ kind: 'vector', source: 'res/v.xml', width: null, height: null });
  });

  test('is the next candidate when a file is missing, not a picture, or larger than maxIconBytes', async () => {
    const good = {
      path: 'res/good.webp',
      content: await sharp(await png(8))
        .webp()
        .toBuffer(),
      config: { density: 160 },
    };
    const bad = [
      { path: 'res/text.png', content: Buffer.from('text'), config: { density: 320 } },
      {
        path: 'res/large.png',
        content: Buffer.concat([await png(512), Buffer.alloc(maxIconBytes)]),
        config: { density: 480 },
      },
    ];
    expect(await icon(...bad, good)).toMatchObject({ kind: 'webp', source: 'res/good.webp', width: 8 });
    expect(await icon(...bad)).toBeNull();
    const bytes = changed('res/good.webp', (entry) => ({ ...entry, name: 'res/moved' }), { icons: [good] });
    expect((await read(bytes)).icon).toBeNull();
  });

  test('is identified by content, not by name', async () => {
    expect(await icon({ path: 'r/a.xml', content: await png(7) })).toMatchObject({ kind: 'png', width: 7 });
  });

  test('is resolved through references in the table', async () => {
    const resourceTable = buildResourceTable([
      {
        types: [
          { name: 'mipmap', resources: [{ name: 'icon', values: [{ value: { reference: 0x7f020000 } }] }] },
          { name: 'drawable', resources: [{ name: 'icon', values: [{ value: 'res/a.png' }] }] },
        ],
      },
    ]);
    const info = await readSpec({
      resourceTable,
      applicationAttributes: [{ name: 'icon', value: { reference: 0x7f010000 } }],
      extraEntries: [{ name: 'res/a.png', content: await png(5) }],
    });
    expect(info.icon).toMatchObject({ source: 'res/a.png', width: 5 });
  });

  test('is absent when the package names a color or a platform resource', async () => {
    for (const value of [{ reference: 0x01080093 }, { type: 0x1c, data: 0xff00ff00 }]) {
      expect((await readSpec({ applicationAttributes: [{ name: 'icon', value }] })).icon).toBeNull();
    }
  });
});

describe('what a launcher shows', () => {
  const filter = (...categories: string[]): XmlElementSpec => ({
    name: 'intent-filter',
    children: [
      { name: 'action', attributes: [{ name: 'name', value: 'android.intent.action.MAIN' }] },
      ...categories.map((value) => ({ name: 'category', attributes: [{ name: 'name', value }] })),
    ],
  });
  const activity = (kind: string, attributes: Record<string, string>, ...categories: string[]) => ({
    name: kind,
    attributes: Object.entries(attributes).map(([name, value]) => ({
      name,
      value,
      ...(name === 'logo' ? { resourceId: 0x010102be } : {}),
      ...(name === 'banner' ? { resourceId: 0x010103f2 } : {}),
    })),
    children: [filter(...categories)],
  });
  const launcher = 'android.intent.category.LAUNCHER';
  const files = async () =>
    Promise.all(
      ['a', 'b', 'c'].map(async (name, at) => ({
        name: `res/${name}.png`,
        content: await sharp({ create: { width: 8 + at, height: 8, channels: 4, background: '#123' } })
          .png()
          .toBuffer(),
      })),
    );

  it('is the name and the icon of an app that states none itself', async () => {
    const extraEntries = await files();
    const children = [
      activity('activity', { label: 'Other', icon: 'res/b.png' }, 'android.intent.category.DEFAULT'),
      activity(
        'activity-alias',
        { label: 'Shown', icon: 'res/a.png' },
        'android.intent.category.DEFAULT',
        launcher,
      ),
      activity('activity', { label: 'Later' }, launcher),
    ];
    const info = await readSpec({ label: null, applicationChildren: children, extraEntries });
    expect(info).toMatchObject({ name: 'Shown', labels: { '': 'Shown' }, icon: { source: 'res/a.png' } });
    const stated = await readSpec({ label: 'App', applicationChildren: children, extraEntries });
    expect(stated.name).toBe('App');
    const tv = [activity('activity', { label: 'TV' }, 'android.intent.category.LEANBACK_LAUNCHER')];
    expect((await readSpec({ label: null, applicationChildren: tv })).name).toBe('TV');
    expect((await readSpec({ label: ' ', applicationChildren: tv })).name).toBe('TV');
  });

  it('may be a round icon, a logo or a banner, in this order', async () => {
    const extraEntries = await files();
    const icons = async (attributes: Record<string, string>) => {
      const applicationAttributes = activity('activity', attributes).attributes;
      return (await readSpec({ applicationAttributes, extraEntries })).icon?.source;
    };
    expect(await icons({ banner: 'res/c.png', logo: 'res/b.png', roundIcon: 'res/a.png' })).toBe('res/a.png');
    expect(await icons({ banner: 'res/c.png', logo: 'res/b.png', roundIcon: 'res/missing.png' })).toBe(
      'res/b.png',
    );
    expect(await icons({ banner: 'res/c.png' })).toBe('res/c.png');
    expect(await icons({})).toBeUndefined();
  });
});

test('a version name has no surrounding blanks', async () => {
  expect((await readSpec({ versionName: ' 1.0 beta\n' })).versionName).toBe('1.0 beta');
  expect((await readSpec({ versionName: '\n' })).versionName).toBeNull();
});
