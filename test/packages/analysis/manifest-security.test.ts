/** Each security fact of hand-made manifests: present, absent, true, false, or a reference to a resource. */
import { describe, expect, test } from 'vitest';
import type { AnalysisGap } from '../../../src/packages/analysis/analysis.ts';
import { analyzeAndroid } from '../../../src/packages/analysis/android/analyze-android.ts';
import { maxBackupRules } from '../../../src/packages/analysis/android/backup-rules.ts';
import { isBundle } from '../../../src/packages/bundle/bundle-modules.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { type ApkSpec, buildApk } from '../../support/build-apk.ts';
import {
  buildBinaryXml,
  type XmlAttributeSpec,
  type XmlElementSpec,
  type XmlValueSpec,
} from '../../support/build-binary-xml.ts';
import { buildBundle } from '../../support/build-bundle.ts';
import { buildResourceTable } from '../../support/build-resource-table.ts';
import { fileInMemory } from '../../support/file-in-memory.ts';
import { encode, type Field } from '../bundle/bundle-messages.ts';

/** Ids in `android.R.attr`. */
const ids = {
  permission: 0x01010006,
  readPermission: 0x01010007,
  writePermission: 0x01010008,
  enabled: 0x0101000e,
  debuggable: 0x0101000f,
  exported: 0x01010010,
  isGame: 0x010103f4,
  appCategory: 0x01010545,
  testOnly: 0x01010272,
  allowBackup: 0x01010280,
  extractNativeLibs: 0x010104ea,
  fullBackupContent: 0x010104eb,
  usesCleartextTraffic: 0x010104ec,
  dataExtractionRules: 0x0101063e,
};
type Attributes = Partial<Record<keyof typeof ids, XmlValueSpec>>;

const attributesOf = (stated: Attributes): XmlAttributeSpec[] =>
  Object.entries(stated).map(([name, value]) => ({ name, value, resourceId: ids[name as keyof typeof ids] }));

/** Resources of the packages: two truth values, a permission and two files. */
const [isTrue, isFalse] = [{ reference: 0x7f010000 }, { reference: 0x7f010001 }];
const aPermission = { reference: 0x7f020000 };
const [fullBackup, extractionRules] = [{ reference: 0x7f030000 }, { reference: 0x7f030001 }];
const missing = { reference: 0x7f040000 };
const resource = (name: string, value: string | { type: number; data: number }) => ({
  name,
  values: [{ value }],
});
const resourceTable = buildResourceTable([
  {
    types: [
      {
        name: 'bool',
        resources: [
          resource('yes', { type: 0x12, data: 0xffffffff }),
          resource('no', { type: 0x12, data: 0 }),
        ],
      },
      { name: 'string', resources: [resource('permission', 'p.FROM_RESOURCE')] },
      { name: 'xml', resources: [resource('backup', 'res/a.xml'), resource('rules', 'res/b.xml')] },
    ],
  },
]);

async function analyze(bytes: Buffer) {
  const gaps: AnalysisGap[] = [];
  const archive = await openZip(fileInMemory(bytes));
  const { android } = await analyzeAndroid(archive, isBundle(archive), gaps);
  return { ...android, gaps: gaps.filter(({ part }) => part !== 'dex') };
}

const analyzeApk = (application: Attributes, spec: ApkSpec = {}) =>
  analyze(buildApk({ resourceTable, applicationAttributes: attributesOf(application), ...spec }));

describe('a flag of the application', () => {
  const flags = [
    ['debuggable', false],
    ['testOnly', false],
    ['allowBackup', null],
    ['usesCleartextTraffic', null],
    ['extractNativeLibs', null],
  ] as const;

  test.each(flags)('%s is what the manifest or its resource says; %s without it', async (name, absent) => {
    const stated = async (value?: XmlValueSpec) =>
      (await analyzeApk(value === undefined ? {} : { [name]: value })).manifest[name];
    expect(await stated()).toBe(absent);
    expect([await stated(true), await stated(false)]).toEqual([true, false]);
    expect([await stated(isTrue), await stated(isFalse)]).toEqual([true, false]);
    expect(await stated(missing)).toBe(absent);
  });
});

test('an app is a game if it says so in either way', async () => {
  const isGame = async (stated: Attributes) => (await analyzeApk(stated)).manifest.isGame;
  expect([await isGame({}), await isGame({ appCategory: 1 }), await isGame({ isGame: false })]).toEqual([
    false,
    false,
    false,
  ]);
  expect([await isGame({ appCategory: 0 }), await isGame({ isGame: isTrue })]).toEqual([true, true]);
});

test('a bundle says where the store puts its libraries', async () => {
  const library = { 'base/lib/x86/liba.so': Buffer.from('x') };
  const alignment = async (files: Record<string, Buffer>) =>
    (await analyze(buildBundle({ files: { ...library, ...files } }))).bundleAlignment;
  const config = (...fields: Field[]) => ({ 'BundleConfig.pb': encode([2, encode([2, encode(...fields)])]) });
  expect(await alignment({})).toBe(4096);
  expect(await alignment(config([1, 1]))).toBe(4096);
  expect(await alignment(config([1, 1], [2, 1]))).toBe(4096);
  expect(await alignment(config([1, 1], [2, 2]))).toBe(16_384);
  expect(await alignment(config([1, 1], [2, 3]))).toBe(65_536);
  expect(await alignment(config([2, 2]))).toBeNull();
  expect((await analyze(buildApk())).bundleAlignment).toBeNull();
});

describe('exported components', () => {
  const filter: XmlElementSpec = { name: 'intent-filter' };
  const component = (kind: string, stated: Attributes = {}, children: XmlElementSpec[] = []) => ({
    name: kind,
    attributes: [{ name: 'name', value: '.It' }, ...attributesOf(stated)],
    children,
  });
  const exported = async (element: XmlElementSpec, targetSdk = 36, application: Attributes = {}) =>
    (
      await analyzeApk(application, { minSdk: 9, targetSdk, applicationChildren: [element] })
    ).manifest.exported.map(({ permission }) => permission);

  test.each(['activity', 'activity-alias', 'service', 'receiver', 'provider'])(
    'are a %s that states it, whatever the target is',
    async (kind) => {
      for (const targetSdk of [9, 30, 36]) {
        expect(await exported(component(kind, { exported: true }), targetSdk)).toEqual([null]);
        expect(await exported(component(kind, { exported: isTrue }), targetSdk)).toEqual([null]);
        expect(await exported(component(kind, { exported: false }, [filter]), targetSdk)).toEqual([]);
        expect(await exported(component(kind, { exported: isFalse }, [filter]), targetSdk)).toEqual([]);
      }
    },
  );

  test.each(['activity', 'activity-alias', 'service', 'receiver'])(
    'are a %s with an intent filter, also from API level 31, which refuses to install it',
    async (kind) => {
      for (const targetSdk of [16, 30, 31, 36]) {
        expect(await exported(component(kind, {}, [filter]), targetSdk)).toEqual([null]);
        expect(await exported(component(kind), targetSdk)).toEqual([]);
      }
    },
  );

  test('are a provider by default up to API level 16, and never because of a filter', async () => {
    expect(await exported(component('provider'), 16)).toEqual([null]);
    expect(await exported(component('provider'), 17)).toEqual([]);
    expect(await exported(component('provider', {}, [filter]), 36)).toEqual([]);
  });

  test('include disabled ones, because the app can enable them', async () => {
    for (const enabled of [false, isFalse, true])
      expect(await exported(component('service', { exported: true, enabled }))).toEqual([null]);
    expect(await exported(component('service', { exported: true }), 36, { enabled: false })).toEqual([null]);
  });

  test('have their permission or that of the application, which an alias does not have', async () => {
    const application = { permission: 'p.APP' };
    expect(await exported(component('service', { exported: true }), 36, application)).toEqual(['p.APP']);
    const own = component('service', { exported: true, permission: 'p.OWN' });
    expect(await exported(own, 36, application)).toEqual(['p.OWN']);
    const referring = component('service', { exported: true, permission: aPermission });
    expect(await exported(referring, 36, application)).toEqual(['p.FROM_RESOURCE']);
    expect(await exported(component('activity-alias', { exported: true }), 36, application)).toEqual([null]);
    const empty = component('service', { exported: true, permission: '' });
    expect(await exported(empty, 36)).toEqual([null]);
  });

  test('that are providers are protected only if reading and writing are', async () => {
    const provider = (stated: Attributes, application?: Attributes) =>
      exported(component('provider', { exported: true, ...stated }), 36, application);
    const [read, write] = [{ readPermission: 'p.READ' }, { writePermission: 'p.WRITE' }];
    expect(await provider(read)).toEqual([null]);
    expect(await provider(write)).toEqual([null]);
    expect(await provider({ ...read, ...write })).toEqual(['p.READ, p.WRITE']);
    expect(await provider({ ...read, permission: 'p.ALL' })).toEqual(['p.READ, p.ALL']);
    expect(await provider(write, { permission: 'p.APP' })).toEqual(['p.APP, p.WRITE']);
    expect(await provider({ permission: 'p.ALL' })).toEqual(['p.ALL']);
  });
});

describe('backup', () => {
  const rule = (name: 'include' | 'exclude', domain: string, path?: string): XmlElementSpec => ({
    name,
    attributes: [
      { name: 'domain', value: domain, resourceId: 0 },
      ...(path === undefined ? [] : [{ name: 'path', value: path, resourceId: 0 }]),
    ],
  });
  const legacy: XmlElementSpec = {
    name: 'full-backup-content',
    children: [rule('include', 'file', 'notes/'), rule('exclude', 'file', 'notes/draft')],
  };
  const rules: XmlElementSpec = {
    name: 'data-extraction-rules',
    children: [
      {
        name: 'cloud-backup',
        attributes: [{ name: 'disableIfNoEncryptionCapabilities', value: 'true', resourceId: 0 }],
        children: [rule('exclude', 'sharedpref', 'auth.xml'), rule('exclude', 'database')],
      },
      { name: 'device-transfer', children: [rule('include', 'file', 'notes/')] },
    ],
  };
  const all = { allowed: true, includes: [], excludes: [], needsEncryption: false };
  const none = { ...all, allowed: false };
  const legacyScope = { ...all, includes: ['file notes/'], excludes: ['file notes/draft'] };
  const cloud = { ...all, excludes: ['sharedpref auth.xml', 'database .'], needsEncryption: true };
  const transfer = { ...all, includes: ['file notes/'] };
  const extraEntries = [
    { name: 'res/a.xml', content: buildBinaryXml(legacy), method: 8 },
    { name: 'res/b.xml', content: buildBinaryXml(rules), method: 8 },
  ];
  const backup = async (application: Attributes, targetSdk = 36) =>
    (await analyzeApk(application, { targetSdk, extraEntries })).backup;

  test('has everything without rules; from API level 31, allowBackup is about the cloud only', async () => {
    expect(await backup({})).toEqual({ cloud: all, transfer: all });
    expect(await backup({ allowBackup: isTrue })).toEqual({ cloud: all, transfer: all });
    expect(await backup({ allowBackup: false }, 30)).toEqual({ cloud: none, transfer: none });
    expect(await backup({ allowBackup: false }, 31)).toEqual({ cloud: none, transfer: all });
    expect(await backup({ allowBackup: isFalse }, 31)).toEqual({ cloud: none, transfer: all });
  });

  test('follows the rules for Android 12 by section', async () => {
    expect(await backup({ dataExtractionRules: extractionRules })).toEqual({ cloud, transfer });
    expect(await backup({ dataExtractionRules: 'res/b.xml' }, 30)).toEqual({ cloud, transfer });
    expect(await backup({ dataExtractionRules: extractionRules, fullBackupContent: fullBackup })).toEqual({
      cloud,
      transfer,
    });
    const refused = { dataExtractionRules: extractionRules, allowBackup: false };
    expect(await backup(refused)).toEqual({ cloud: none, transfer });
  });

  test('has everything of a section that the rules leave out', async () => {
    const content = buildBinaryXml({ ...rules, children: rules.children?.slice(0, 1) ?? [] });
    const { backup: found } = await analyzeApk(
      { dataExtractionRules: extractionRules },
      { extraEntries: [{ name: 'res/b.xml', content }] },
    );
    expect(found).toEqual({ cloud, transfer: all });
  });

  test('follows the earlier rules without those, for transfers only below API level 31', async () => {
    expect(await backup({ fullBackupContent: fullBackup }, 30)).toEqual({
      cloud: legacyScope,
      transfer: legacyScope,
    });
    expect(await backup({ fullBackupContent: fullBackup }, 31)).toEqual({
      cloud: legacyScope,
      transfer: all,
    });
    for (const value of [true, isTrue])
      expect(await backup({ fullBackupContent: value }, 30)).toEqual({ cloud: all, transfer: all });
    for (const value of [false, isFalse])
      expect(await backup({ fullBackupContent: value }, 30)).toEqual({ cloud: none, transfer: none });
  });

  test('is unknown without its file, and the rest of the manifest is not', async () => {
    for (const application of [
      { dataExtractionRules: missing },
      { dataExtractionRules: extractionRules },
      { fullBackupContent: fullBackup },
    ]) {
      const found = await analyzeApk({ ...application, debuggable: true });
      expect([found.backup, found.manifest.debuggable]).toEqual([null, true]);
      expect(found.gaps).toEqual([
        { part: 'resources', path: expect.toSatisfy(() => true), reason: 'unreadable' },
      ]);
    }
  });

  test('has at most maxBackupRules rules', async () => {
    const children = Array.from({ length: maxBackupRules + 1 }, (_, index) =>
      rule('exclude', 'file', `${index}`),
    );
    const content = buildBinaryXml({ name: 'full-backup-content', children });
    const { backup: found } = await analyzeApk(
      { fullBackupContent: fullBackup },
      { extraEntries: [{ name: 'res/a.xml', content }] },
    );
    expect(found?.cloud.excludes).toHaveLength(maxBackupRules);
  });

  test('is read from the messages of an app bundle', async () => {
    const plain = (name: string, value: string) => encode([2, name], [3, value]);
    const element = (name: string, attributes: Buffer[], children: Buffer[] = []): Buffer =>
      encode([
        1,
        encode(
          [3, name],
          ...attributes.map((one): Field => [4, one]),
          ...children.map((one): Field => [5, one]),
        ),
      ]);
    const excluded = element('exclude', [plain('domain', 'sharedpref'), plain('path', 'auth.xml')]);
    const content = element(
      'data-extraction-rules',
      [],
      [element('cloud-backup', [plain('disableIfNoEncryptionCapabilities', 'true')], [excluded])],
    );
    const found = await analyze(bundleWithRules(content));
    expect(found.gaps).toEqual([]);
    expect(found.backup).toEqual({
      cloud: { ...all, excludes: ['sharedpref auth.xml'], needsEncryption: true },
      transfer: all,
    });
  });

  /** A bundle whose manifest names `res/xml/rules.xml`, a resource of the table. */
  function bundleWithRules(content: Buffer): Buffer {
    const file = encode([5, encode([1, 'res/xml/rules.xml'], [2, 3])]);
    const table = encode([
      2,
      encode(
        [1, encode([1, 0x7f])],
        [2, 'com.example.bundle'],
        [
          3,
          encode(
            [1, encode([1, 1])],
            [2, 'xml'],
            [
              3,
              encode(
                [1, encode([1, 0])],
                [2, 'rules'],
                [6, encode([1, Buffer.alloc(0)], [2, encode([4, file])])],
              ),
            ],
          ),
        ],
      ),
    ]);
    return buildBundle({
      table,
      referring: [['dataExtractionRules', ids.dataExtractionRules, 0x7f010000]],
      files: { 'base/res/xml/rules.xml': content },
    });
  }
});
