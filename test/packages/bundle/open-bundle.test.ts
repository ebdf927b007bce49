/** Bundles as the APKs that are made of them, compared with what bundletool and aapt2 make of real ones. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseResourceTable } from '../../../src/packages/apk/resource-table.ts';
import { writeBinaryXml } from '../../../src/packages/bundle/binary-xml-writer.ts';
import {
  maxManifestMessageBytes,
  maxModules,
  maxPathFolders,
  maxPathLetters,
} from '../../../src/packages/bundle/bundle-modules.ts';
import {
  maxConfigMessageBytes,
  maxTableMessageBytes,
  openBundle,
} from '../../../src/packages/bundle/open-bundle.ts';
import { readResourceTables } from '../../../src/packages/bundle/resource-table-message.ts';
import { writeResourceTable } from '../../../src/packages/bundle/resource-table-writer.ts';
import { maxEntryId } from '../../../src/packages/bundle/resource-type.ts';
import { maxUtf8Length } from '../../../src/packages/bundle/string-pool-writer.ts';
import { readXml } from '../../../src/packages/bundle/xml-message.ts';
import { drawIconOfFile } from '../../../src/packages/icon/draw-icon-from-file.ts';
import { UnreadablePackage } from '../../../src/packages/package-info.ts';
import { readPackage, readPackageOrBundle } from '../../../src/packages/read-package.ts';
import { verifySignature } from '../../../src/packages/verify-signature.ts';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildZip } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { bundlesOfRun, pathOfBundle } from './bundle-fixtures.ts';
import {
  encode,
  type Field,
  manifestMessage,
  moduleManifest,
  nested,
  tableMessage,
  varint,
} from './bundle-messages.ts';

const convertTable = (message: Buffer) => writeResourceTable(readResourceTables([message]));
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 32);

describe.skipIf(!sharedFixturesPresent)('real and made bundles (needs ../shared/fixtures)', () => {
  it.each(bundlesOfRun().map((fixture) => [fixture.file, fixture] as const))(
    '%s is read like its APK',
    async (_, fixture) => {
      const file = await openRandomAccessFile(pathOfBundle(fixture));
      try {
        const bundle = await openZip(file);
        const table = bundle.find('base/resources.pb');
        const manifest = bundle.find('base/manifest/AndroidManifest.xml');
        const root = manifest && readXml(await bundle.read(manifest, 2 ** 30));
        expect(root && digest(writeBinaryXml(root, 'utf-16'))).toBe(fixture.base_manifest_convert);
        if (table) expect(digest(convertTable(await bundle.read(table, 2 ** 30)))).toBe(fixture.arsc_convert);
        const { archive, files } = await openBundle(bundle);
        const read = async (name: string) => {
          const entry = archive.find(name);
          return entry && digest(await archive.read(entry, 2 ** 30));
        };
        const expected = fixture.universal_entries;
        const mergedCode = fixture.file === 'features-prel.aab' ? /^classes/ : /^$/;
        const namesOf = (names: string[]) => names.filter((name) => !mergedCode.test(name)).sort();
        expect(namesOf(files.map(({ path }) => path))).toEqual(namesOf(Object.keys(expected)));
        const different = [];
        for (const name of namesOf(Object.keys(expected)))
          if ((await read(name)) !== expected[name]?.[0]) different.push(name);
        // Its resource names are collapsed.
        expect(different).toEqual(fixture.file === 'collapsed.aab' ? ['resources.arsc'] : []);
      } finally {
        await file.close();
      }
      const { info, conversion } = await readPackageOrBundle(pathOfBundle(fixture));
      expect(conversion?.apkBytes).toBeGreaterThan(0);
      const { universal } = fixture;
      expect([info.packageName, info.versionCode, info.sdkVersion]).toEqual([
        universal.package,
        universal.versionCode,
        universal.minSdk,
      ]);
      if (universal.label) expect(info.name).toBe(universal.label);
      if (info.icon) expect(await drawIconOfFile(pathOfBundle(fixture), info.icon)).not.toBeNull();
      await expect(readPackage(pathOfBundle(fixture))).rejects.toThrow('this is an Android App Bundle (AAB)');
    },
  );
});

describe('bundles', () => {
  let temporary: string;
  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'slipway-bundle-'));
  });
  afterAll(() => rm(temporary, { recursive: true }));

  const save = async (entries: Record<string, Buffer>) => {
    const path = join(temporary, `${Math.random()}.aab`);
    await writeFile(path, buildZip(Object.entries(entries).map(([name, content]) => ({ name, content }))));
    return path;
  };
  const small = {
    'BundleConfig.pb': Buffer.alloc(0),
    'base/manifest/AndroidManifest.xml': manifestMessage,
    'base/resources.pb': tableMessage,
    'base/lib/arm64-v8a/liba.so': Buffer.alloc(1),
  };

  it('have the facts of their APK, but no signature', async () => {
    const path = await save(small);
    const { info } = await readPackageOrBundle(path);
    expect(info).toMatchObject({
      packageName: 'com.example.bundle',
      versionCode: '7',
      versionName: '1.7',
      sdkVersion: '24',
      name: 'Tides \u{1f30a}',
      labels: { '': 'Tides \u{1f30a}', 'de-DE': 'Gezeiten' },
      signature: null,
      android: { nativeAbis: ['arm64-v8a'] },
      warnings: [],
    });
    expect(await verifySignature(path)).toEqual({
      verified: false,
      verifiedFromSdk: null,
      problems: ['This is an Android App Bundle: the APK that is generated from it will be signed.'],
    });
  });

  it.each<[string, Record<string, Buffer>]>([
    ['without an element', { 'base/manifest/AndroidManifest.xml': Buffer.alloc(0) }],
    ['with a truncated manifest', { 'base/manifest/AndroidManifest.xml': manifestMessage.subarray(0, -1) }],
    ['with elements deeper than maxMessageDepth', { 'base/manifest/AndroidManifest.xml': nested(400) }],
    [
      'with a length beyond the end',
      { 'base/resources.pb': Buffer.concat([Buffer.from([0x12]), varint(2 ** 31)]) },
    ],
    ['with an endless number', { 'base/resources.pb': Buffer.alloc(20, 0xff) }],
    ['with a group', { 'base/resources.pb': Buffer.from([0x13, 0x14]) }],
    ['with a number instead of a package', { 'base/resources.pb': encode([2, 1]) }],
    ['with text that is not UTF-8', { 'base/resources.pb': encode([2, encode([2, Buffer.from([0xff])])]) }],
    [
      'with an entry id above maxEntryId',
      {
        'base/resources.pb': encode([2, encode([3, encode([3, encode([1, encode([1, maxEntryId + 1])])])])]),
      },
    ],
    ['with an impossible package id', { 'base/resources.pb': encode([2, encode([1, encode([1, 256])])]) }],
  ])('%s are refused', async (_, changes) => {
    const path = await save({ ...small, ...changes });
    await expect(readPackageOrBundle(path)).rejects.toThrow(UnreadablePackage);
  });

  it.each<[string, Record<string, Buffer>, string]>([
    ['of another type', { 'BundleConfig.pb': encode([8, 1]) }, 'contains no app'],
    ['with a path out of the APK', { 'base/assets/../x': Buffer.alloc(1) }, 'impossible path'],
    [
      'with a path above maxPathLetters',
      { [`base/assets/${'a'.repeat(maxPathLetters)}`]: Buffer.alloc(1) },
      'more than 1024 characters',
    ],
    [
      'with a path above maxPathFolders',
      { [`base/${'a/'.repeat(maxPathFolders)}a`]: Buffer.alloc(1) },
      '64 folders',
    ],
    [
      'with an invalid pattern',
      { 'BundleConfig.pb': encode([3, encode([1, '**.[a'])]) },
      'a pattern that is not valid: **.[a',
    ],
    [
      'with one dimension of assets twice',
      {
        'BundleConfig.pb': encode([
          2,
          encode([1, encode(...[4, 4].map((one): Field => [1, encode([1, one])]))]),
        ]),
      },
      'damaged',
    ],
    [
      'with textures, but none for a universal APK',
      {
        'BundleConfig.pb': encode([2, encode([1, encode([1, encode([1, 4])])])]),
        'base/assets/t#tcf_astc/a': Buffer.alloc(1),
      },
      'the module base has no assets for tcf “”',
    ],
    ['with an empty part of a path', { 'base/assets//x': Buffer.alloc(1) }, 'impossible path'],
    [
      'with a module that does not say whether it is fused',
      { 'chat/manifest/AndroidManifest.xml': manifestMessage },
      'module chat',
    ],
    [
      'with two tables of one package',
      {
        'chat/manifest/AndroidManifest.xml': moduleManifest({ isFused: true }),
        'chat/resources.pb': tableMessage,
      },
      'resources of the same package',
    ],
    [
      'with modules that contradict each other',
      {
        'BundleConfig.pb': encode([1, encode([2, '1.15.6'])]),
        'a/manifest/AndroidManifest.xml': moduleManifest({ isFused: true, activity: 'X', metaData: '1' }),
        'b/manifest/AndroidManifest.xml': moduleManifest({ isFused: true, activity: 'X', metaData: '2' }),
      },
      'contradict each other',
    ],
    [
      'with a resource that is missing',
      {
        'base/resources.pb': encode([
          2,
          encode([
            3,
            encode([3, encode([6, encode([2, encode([4, encode([5, encode([1, 'res/a.png'])])])])])]),
          ]),
        ]),
      },
      'res/a.png',
    ],
  ])('%s are refused with the reason', async (_, changes, reason) => {
    const path = await save({ ...small, ...changes });
    await expect(readPackageOrBundle(path)).rejects.toThrow(reason);
  });

  it('with more than maxModules modules are refused', async () => {
    const modules = Array.from({ length: maxModules }, (_, at) => [
      `m${at}/manifest/AndroidManifest.xml`,
      moduleManifest({ isFused: true }),
    ]);
    const path = await save({ ...small, ...Object.fromEntries(modules) });
    await expect(readPackageOrBundle(path)).rejects.toThrow('damaged');
  });

  it('with two files for one path are refused', async () => {
    const path = await save({
      ...small,
      'base/root/assets/a': Buffer.alloc(1),
      'base/assets/a': Buffer.alloc(2),
    });
    await expect(readPackageOrBundle(path)).rejects.toThrow('assets/a');
  });

  it.each([
    ['maxManifestMessageBytes', maxManifestMessageBytes, 'base/manifest/AndroidManifest.xml'],
    ['maxTableMessageBytes', maxTableMessageBytes, 'base/resources.pb'],
    ['maxConfigMessageBytes', maxConfigMessageBytes, 'BundleConfig.pb'],
  ])('with a message above %s are refused', async (_, limit, name) => {
    const path = await save({ ...small, [name]: Buffer.alloc(limit + 1) });
    await expect(readPackageOrBundle(path)).rejects.toThrow(`${name} in the archive is too large`);
  });

  it('with a string above maxUtf8Length have the constant of aapt2 instead', () => {
    const string = (text: string) => {
      const entry = encode([6, encode([2, encode([4, encode([2, encode([1, text])])])])]);
      return convertTable(encode([2, encode([3, encode([2, 'string'], [3, entry])])])).toString();
    };
    expect(string('x'.repeat(maxUtf8Length))).not.toContain('STRING_TOO_LARGE');
    expect(string('x'.repeat(maxUtf8Length + 1))).toContain('STRING_TOO_LARGE');
  });

  /** A table with one string, whose entry has these fields, too. */
  const stringTable = (...fields: Field[]) =>
    encode([
      2,
      encode(
        [1, encode([1, 0x7f])],
        [2, 'com.example.bundle'],
        [3, encode([1, encode([1, 1])], [2, 'string'], [3, encode([2, 'greeting'], ...fields)])],
      ),
    ]);
  const textOf = (value: string) => encode([4, encode([2, encode([1, value])])]);
  const forConfig = (config: readonly Field[], value: string): Field => [
    6,
    encode([1, encode(...config)], [2, textOf(value)]),
  ];

  it('keep values for each grammatical gender of a language', () => {
    const [neuter, feminine, masculine] = [1, 2, 3];
    const french: Field = [3, 'fr'];
    const arsc = convertTable(
      stringTable(
        forConfig([], 'default'),
        forConfig([french, [26, masculine]], 'masculine'),
        forConfig([french, [26, feminine]], 'feminine'),
        forConfig([french, [15, 1]], 'portrait'),
        forConfig([french], 'any'),
        forConfig([[26, neuter]], 'neuter'),
      ),
    );
    const values = parseResourceTable(arsc)
      .resolveAll(0x7f010000)
      .map(({ config, value }) => [
        config.language,
        config.grammaticalGender,
        value?.kind === 'string' && value.text,
      ]);
    expect(values).toEqual([
      ['', 0, 'default'],
      ['', neuter, 'neuter'],
      ['fr', 0, 'any'],
      ['fr', 0, 'portrait'],
      ['fr', feminine, 'feminine'],
      ['fr', masculine, 'masculine'],
    ]);
    // ResTable_typeSpec of the only type: locale, orientation and grammatical gender.
    const spec = arsc.indexOf(Buffer.from([0x02, 0x02, 0x10, 0x00]));
    expect(arsc.readUInt32LE(spec + 16)).toBe(0x20084);
  });

  const configured = (...config: Field[]) => stringTable(forConfig(config, 'a'));
  it.each([
    ['en-GB', { 8: 'en', 10: 'GB' }],
    ['sr-Latn-RS', { 8: 'sr', 10: 'RS', 36: 'Latn' }],
    ['sl-rozaj', { 8: 'sl', 40: 'rozaj' }],
    ['ar-EG-u-nu-latn', { 8: 'ar', 10: 'EG', 53: 'latn' }],
  ])('keep the locale %s', (tag, texts) => {
    const arsc = convertTable(configured([3, tag]));
    // `ResTable_config` begins with its size.
    const start = arsc.indexOf(Buffer.from([64, 0, 0, 0, 0, 0, 0, 0, ...Buffer.from(tag.slice(0, 2))]));
    for (const [at, text] of Object.entries(texts))
      expect(arsc.toString('latin1', start + Number(at), start + Number(at) + text.length)).toBe(text);
  });

  const ids = (id: number) => encode([1, encode([1, id])]);
  it.each<[string, Buffer, string]>([
    ['two values for one configuration', stringTable(forConfig([], 'a'), forConfig([], 'b')), 'greeting'],
    [
      'two values that differ only in their product',
      stringTable(forConfig([[25, 'tablet']], 'a'), forConfig([[25, 'phone']], 'b')),
      'greeting',
    ],
    ['an unknown field of a configuration', configured([27, 1]), 'field 27 of Configuration'],
    ['an unknown field of an entry', stringTable([9, textOf('a')]), 'field 9 of Entry'],
    ['an unknown field of a value', stringTable([6, encode([2, encode([4, encode([8, 1])])])]), 'of Item'],
    ['an unknown field of a table', encode([6, 'x']), 'field 6 of ResourceTable'],
    ['an unknown field above 32', encode([33, 'x']), 'field 33 of ResourceTable'],
    ['an unknown gender', configured([26, 4]), 'damaged'],
    ['an unknown orientation', configured([15, 4]), 'damaged'],
    ['a number that a configuration cannot hold', configured([1, 0x10000]), 'damaged'],
    ['a field twice', configured([24, 21], [24, 26]), 'damaged'],
    [
      'two kinds of value at once',
      stringTable([6, encode([2, encode([4, encode([2, encode([1, 'a'])], [6, ''])])])]),
      'damaged',
    ],
    [
      'an unknown quantity of a plural',
      stringTable([
        6,
        encode([2, encode([5, encode([5, encode([1, encode([3, 6], [4, encode([6, ''])])])])])]),
      ]),
      'damaged',
    ],
    ['two packages of one id', encode([2, ids(0x7f)], [2, ids(0x7f)]), 'same package'],
    [
      'two types of one id',
      encode([2, encode(...[1, 2].map((): Field => [3, encode([2, 'string'], [3, encode([2, 'a'])])]))]),
      'damaged',
    ],
    [
      'two entries of one id',
      encode([2, encode([3, encode([2, 'string'], [3, encode([2, 'a'])], [3, encode([2, 'b'])])])]),
      'damaged',
    ],
  ])('with %s are refused', async (_, table, reason) => {
    const path = await save({ ...small, 'base/resources.pb': table });
    await expect(readPackageOrBundle(path)).rejects.toThrow(UnreadablePackage);
    await expect(readPackageOrBundle(path)).rejects.toThrow(reason);
  });

  it('with an unknown field in a manifest are refused', async () => {
    const manifest = Buffer.concat([manifestMessage, encode([4, 'x'])]);
    const path = await save({ ...small, 'base/manifest/AndroidManifest.xml': manifest });
    await expect(readPackageOrBundle(path)).rejects.toThrow('field 4 of XmlNode');
  });

  it('warn about APKs for watches, which stay unsigned', async () => {
    const path = await save({
      ...small,
      'BundleConfig.pb': encode([6, encode([1, 'assets/watch.apk'])]),
      'base/assets/watch.apk': Buffer.alloc(1),
      'base/assets/other.apk': Buffer.alloc(1),
    });
    const { info } = await readPackageOrBundle(path);
    expect(info.warnings).toEqual([
      'The APK contains assets/watch.apk for watches, which is the unchanged file of the bundle. Without the signature of the app, watches with Wear OS 1 do not install it.',
    ]);
  });

  it('warn about settings that the APK does not follow', async () => {
    const config = encode(
      [2, encode([1, encode([1, encode([1, 12])])], [4, encode([4, 1])], [7, 'x'])],
      [9, encode([1, 1])],
      [10, 1],
    );
    const { info } = await readPackageOrBundle(
      await save({
        ...small,
        'BundleConfig.pb': config,
        'base/runtime_enabled_sdk_config.pb': Buffer.alloc(1),
      }),
    );
    expect(info.warnings).toEqual([
      'The app uses SDKs that Android loads at runtime; the APK does not contain them.',
      'The bundle asks for a list of its languages for the settings of Android; the APK has none.',
      'BundleConfig.pb has settings that the APK does not follow: BundleConfig.10, Optimizations.7, SplitDimension 12, StandaloneConfig.feature_modules_mode.',
    ]);
  });

  it('that are damaged anywhere are refused or read', () => {
    let seed = 15;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed % below;
    };
    for (let round = 0; round < (runsEverything ? 4000 : 500); round++) {
      for (const [message, write] of [
        [manifestMessage, (bytes: Buffer) => writeBinaryXml(readXml(bytes), 'utf-16')],
        [tableMessage, convertTable],
      ] as const) {
        const bytes = Buffer.from(message);
        for (let change = random(4); change >= 0; change--) bytes[random(bytes.length)] = random(256);
        try {
          write(bytes.subarray(0, bytes.length - random(3)));
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadablePackage);
        }
      }
    }
  });
});
