/** What an Android package contains: built ones, and real ones against dexdump, readelf, protoc and aapt2. */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AnalysisGap } from '../../../src/packages/analysis/analysis.ts';
import {
  analyzeAndroid,
  maxCodePackages,
  maxDexFiles,
  maxDexTotalBytes,
} from '../../../src/packages/analysis/android/analyze-android.ts';
import { maxReportBytes, readR8Report } from '../../../src/packages/analysis/android/build-reports.ts';
import {
  maxMapBytes,
  maxMappedClasses,
  readClassNames,
} from '../../../src/packages/analysis/android/class-names.ts';
import {
  maxDexBytes,
  maxMembers,
  maxTypeNameBytes,
  readDex,
} from '../../../src/packages/analysis/android/dex.ts';
import { maxNeeded, maxSegments, readElf } from '../../../src/packages/analysis/android/elf.ts';
import {
  dependenciesPath,
  maxDependenciesBytes,
  maxEdges,
  maxLibraries,
  maxVersionFileBytes,
  readDeclaredLibraries,
} from '../../../src/packages/analysis/android/libraries.ts';
import { maxDeepLinks, maxExported } from '../../../src/packages/analysis/android/manifest-security.ts';
import {
  maxInMemoryBytes,
  maxNativeLibraries,
  maxNativeLibraryBytes,
} from '../../../src/packages/analysis/android/native-libraries.ts';
import {
  maxCleartextDomains,
  maxNamedXmlBytes,
  readNetworkSecurity,
} from '../../../src/packages/analysis/android/network-security.ts';
import { maxGaps } from '../../../src/packages/analysis/gaps.ts';
import type { XmlElement } from '../../../src/packages/apk/binary-xml.ts';
import {
  maxVersionControlBytes,
  readPackageCommit,
  readVersionControl,
  versionControlPath,
} from '../../../src/packages/apk/package-commit.ts';
import { isBundle } from '../../../src/packages/bundle/bundle-modules.ts';
import { openRandomAccessFile } from '../../../src/packages/zip/open-file.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import type { ZipArchive, ZipEntry } from '../../../src/packages/zip/zip-archive.ts';
import { buildApk } from '../../support/build-apk.ts';
import type { XmlElementSpec } from '../../support/build-binary-xml.ts';
import { buildBundle } from '../../support/build-bundle.ts';
import { buildDex } from '../../support/build-dex.ts';
import { buildZip } from '../../support/build-zip.ts';
import { fileInMemory } from '../../support/file-in-memory.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { fixturesOfRun, sharedFixturePath, sharedFixturesPresent } from '../../support/shared-fixtures.ts';
import { bundlesOfRun, pathOfBundle } from '../bundle/bundle-fixtures.ts';
import { encode } from '../bundle/bundle-messages.ts';
import { buildElf } from './android-fixtures.ts';

async function analyze(bytes: Buffer) {
  const gaps: AnalysisGap[] = [];
  const archive = await openZip(fileInMemory(bytes));
  return { ...(await analyzeAndroid(archive, isBundle(archive), gaps)), gaps };
}

const inMemory = (bytes: Buffer) => async (start: number, length: number) => {
  if (start + length > bytes.length) throw new RangeError('past the end');
  return bytes.subarray(start, start + length);
};

describe('code', () => {
  const dex = buildDex([
    { name: 'com.example.Main', units: 10 },
    { name: 'com.example.Other', units: 5 },
    { name: 'a.b', units: 7, sharesCode: true },
  ]);

  test('is summed by package, and shared code counts once', async () => {
    const { android } = await analyze(buildApk({ extraEntries: [{ name: 'classes2.dex', content: dex }] }));
    expect(android.dex).toEqual([
      {
        mapId: null,
        path: 'classes2.dex',
        methodReferences: 3,
        fieldReferences: 0,
        classes: 3,
        strings: 3,
        bytes: dex.length,
      },
    ]);
    expect(android.codePackages).toEqual([
      { name: 'com.example', codeBytes: 36 + 26, classes: 2 },
      { name: 'a', codeBytes: 0, classes: 1 },
    ]);
    expect(android.renamed).toBe('obfuscated');
  });

  test('has its original packages if the bundle has a map', async () => {
    const { android, gaps } = await analyze(
      buildBundle({
        files: {
          'base/dex/classes.dex': dex,
          'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map': Buffer.from(
            '# comment\norg.real.Thing -> a.b:\n    int x -> y\ncom.example.Main -> com.example.Main:\n',
          ),
        },
      }),
    );
    expect(gaps).toEqual([]);
    expect(android.codePackages.map(({ name }) => name)).toEqual(['com.example', 'org.real']);
    expect(android.renamed).toBe('mapped');
  });

  test('reads the lines of classes wherever chunks end, and skips those over maxMapLineLetters', async () => {
    const map = `a.Long${'x'.repeat(70_000)} -> a:\norg.one.A -> b.c:\n    void run() -> a\norg.two.B -> b.d:`;
    async function* chunks() {
      for (let at = 0; at < map.length; at += 7) yield Buffer.from(map.slice(at, at + 7));
    }
    const { packages } = await readClassNames(chunks());
    expect([...packages]).toEqual([
      ['b.c', 'org.one'],
      ['b.d', 'org.two'],
    ]);
  });

  test.each([
    ['another version', (bytes: Buffer) => bytes.write('dex\n041\0', 'latin1')],
    ['a table past the end', (bytes: Buffer) => bytes.writeUInt32LE(0xffffff, 88)],
    ['the other byte order', (bytes: Buffer) => bytes.writeUInt32LE(0x78563412, 40)],
    [
      'a class whose data is past the end',
      (bytes: Buffer) => bytes.writeUInt32LE(0xfffffff, bytes.readUInt32LE(100) + 24),
    ],
  ])('with %s is a gap', async (_, damage) => {
    const bytes = Buffer.from(dex);
    damage(bytes);
    const { android, gaps } = await analyze(
      buildApk({ extraEntries: [{ name: 'classes2.dex', content: bytes }] }),
    );
    expect(android.dex).toEqual([]);
    expect(gaps).toContainEqual({ part: 'dex', path: 'classes2.dex', reason: 'unreadable' });
  });

  test('refuses classes with more than maxMembers members', () => {
    const bytes = Buffer.concat([dex, Buffer.from([0, 0, 0x80, 0x80, 0x80, 0x01, 0])]);
    bytes.writeUInt32LE(dex.length, bytes.readUInt32LE(100) + 24);
    expect(0x80 << 14).toBeGreaterThan(maxMembers);
    expect(() => readDex(bytes, (name) => name)).toThrow(expect.objectContaining({ reason: 'too_many' }));
  });
});

describe('native libraries', () => {
  test.each([
    [64, false],
    [64, true],
    [32, false],
    [32, true],
  ] as const)('of %i bits are read (big-endian: %s)', async (bits, isBig) => {
    const bytes = buildElf({ bits, isBig, alignment: 4096 });
    expect(await readElf(inMemory(bytes), bytes.length)).toEqual({
      buildId: null,
      is64Bit: bits === 64,
      minAlignment: 4096,
      symbolBytes: 32,
      debugBytes: 100,
      needed: ['libc.so'],
    });
  });

  test('have their digest, and their position only where Android maps them', async () => {
    const library = buildElf();
    const entry = { name: 'lib/arm64-v8a/libx.so', content: library };
    const sha256 = hash('sha256', library);
    const facts = {
      bytes: library.length,
      sha256,
      minAlignment: 16384,
      symbolBytes: 32,
      needed: ['libc.so'],
    };
    const stored = await analyze(buildApk({ extraEntries: [{ ...entry, method: 0 }] }));
    expect(stored.android.nativeLibraries).toEqual([
      expect.objectContaining({ ...facts, abi: 'arm64-v8a', stored: true, zipOffset: expect.any(Number) }),
    ]);
    expect(stored.android.nativeLibraries[0]?.zipOffset).toBeGreaterThan(0);
    const bundle = await analyze(buildBundle({ files: { 'base/lib/arm64-v8a/libx.so': library } }));
    expect(bundle.android.nativeLibraries).toEqual([
      expect.objectContaining({ ...facts, path: 'base/lib/arm64-v8a/libx.so', stored: false, zipOffset: 0 }),
    ]);
    expect(bundle.dependencies.libraries).toContainEqual(
      expect.objectContaining({ ecosystem: 'native', name: 'libx.so', sha256 }),
    );
  });

  test('that are cut off at any byte are a gap or have facts', async () => {
    const bytes = buildElf();
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      await expect(readElf(inMemory(cut), length)).rejects.toThrow();
    }
  });
});

describe('reports of the build', () => {
  test('state what R8 covered', () => {
    const report = { options: { isShrinkingEnabled: true }, stats: { noObfuscationPercentage: 3.37 } };
    expect(readR8Report(Buffer.from(JSON.stringify(report)))).toEqual({
      obfuscated: 96.63,
      optimized: null,
      shrunk: null,
      minified: true,
    });
    expect(() => readR8Report(Buffer.from('{'))).toThrow('not JSON');
  });

  test('state the revision of the source', () => {
    const text =
      'repositories {\n  system: GIT\n  local_root_path: "$PROJECT_DIR"\n  revision: "ec49ba"\n}\n';
    expect(readVersionControl(Buffer.from(text))).toEqual({
      system: 'GIT',
      revision: 'ec49ba',
      localRoot: '$PROJECT_DIR',
    });
    expect(readVersionControl(Buffer.from('generate_error_reason: NO_SUPPORTED_VCS_FOUND'))).toBeNull();
  });

  test('say the same at the upload, up to maxVersionControlBytes', async () => {
    const commitOf = async (text: string) => {
      const content = Buffer.from(text);
      return readPackageCommit(
        await openZip(fileInMemory(buildZip([{ name: versionControlPath, content }]))),
      );
    };
    const text = 'repositories { revision: "ec49ba" }';
    expect(await commitOf(text)).toBe('ec49ba');
    expect(await commitOf('repositories { revision: "two words" }')).toBeNull();
    expect(await commitOf(text.padEnd(maxVersionControlBytes))).toBe('ec49ba');
    expect(await commitOf(text.padEnd(maxVersionControlBytes + 1))).toBeNull();
  });
});

describe('libraries', () => {
  const library = (group: string, name: string, version: string, digest?: Buffer) =>
    encode(
      [1, encode([1, group], [2, name], [5, version])],
      ...(digest ? [[2, encode([1, digest])] as const] : []),
    );
  const message = encode(
    [1, library('org.one', 'first', '1.0', Buffer.alloc(32, 1))],
    [1, library('org.two', 'second', '2.0')],
    [2, encode([1, 0], [2, Buffer.from([1])])],
    [3, encode([1, 'base'], [2, Buffer.from([0])])],
  );
  const declared = {
    source: 'declared',
    libraries: [
      expect.objectContaining({ group: 'org.one', version: '1.0', sha256: '01'.repeat(32), direct: true }),
      expect.objectContaining({ group: 'org.two', version: '2.0', sha256: null, direct: false }),
    ],
    edges: [[0, 1]],
  };

  test('are those that the build declares, with digests and edges', () => {
    expect(readDeclaredLibraries(message)).toEqual(declared);
    const withLength = Buffer.concat([
      Buffer.from([(message.length & 0x7f) | 0x80, message.length >> 7]),
      message,
    ]);
    expect(readDeclaredLibraries(withLength)).toEqual(declared);
  });

  test('are found by the files that they leave', async () => {
    const file = (name: string, content: string) => ({
      name: `META-INF/${name}`,
      content: Buffer.from(content),
    });
    const { dependencies } = await analyze(
      buildApk({
        extraEntries: [
          file('androidx.core_core-ktx.version', '1.9.0\n'),
          file('androidx.arch.core_core-runtime.version', "task ':arch:core' property 'version'"),
          file('kotlinx_coroutines_android.version', '1.7.1'),
          file('kotlin-stdlib.kotlin_module', ''),
          file('app_release.kotlin_module', ''),
          file(
            'maven/com.squareup.okio/okio/pom.properties',
            'version=2.8.0\ngroupId=com.squareup.okio\nartifactId=okio\n',
          ),
        ],
      }),
    );
    expect(dependencies.source).toBe('evidence');
    expect(dependencies.libraries.map(({ group, name, version }) => `${group}:${name}:${version}`)).toEqual([
      'androidx.arch.core:core-runtime:null',
      'androidx.core:core-ktx:1.9.0',
      'com.squareup.okio:okio:2.8.0',
      'org.jetbrains.kotlin:kotlin-stdlib:null',
      'org.jetbrains.kotlinx:kotlinx-coroutines-android:1.7.1',
    ]);
  });
});

describe('a manifest', () => {
  const id = {
    exported: 0x01010010,
    permission: 0x01010006,
    readPermission: 0x01010007,
    scheme: 0x01010027,
    host: 0x01010028,
  };
  const attribute = (name: keyof typeof id, value: string | boolean) => ({
    name,
    value,
    resourceId: id[name],
  });
  const named = (
    name: string,
    element: string,
    attributes: XmlElementSpec['attributes'] = [],
    children: XmlElementSpec[] = [],
  ) => ({
    name: element,
    attributes: [{ name: 'name', value: name }, ...(attributes ?? [])],
    children,
  });
  const view = (data: XmlElementSpec[]) => ({
    name: 'intent-filter',
    children: [named('android.intent.action.VIEW', 'action'), ...data],
  });
  const children = [
    named(
      '.Main',
      'activity',
      [],
      [
        view([
          { name: 'data', attributes: [attribute('scheme', 'https'), attribute('host', 'example.com')] },
        ]),
      ],
    ),
    named('Hidden', 'activity', [attribute('exported', false)], [view([])]),
    named('org.other.Service', 'service', [attribute('exported', true), attribute('permission', 'p.BIND')]),
    named('.Quiet', 'receiver'),
    named('.Data', 'provider', [attribute('readPermission', 'p.READ')]),
  ];

  test('exports what it states or implies, by the rules of the platform', async () => {
    const { android } = await analyze(buildApk({ targetSdk: 35, applicationChildren: children }));
    expect(android.manifest.exported).toEqual([
      { kind: 'activity', name: 'com.example.test.Main', permission: null },
      { kind: 'service', name: 'org.other.Service', permission: 'p.BIND' },
    ]);
    expect(android.manifest.deepLinks).toEqual(['https://example.com']);
    const old = await analyze(buildApk({ minSdk: 9, targetSdk: 16, applicationChildren: children }));
    // Reading is protected, but writing is not.
    expect(old.android.manifest.exported).toContainEqual({
      kind: 'provider',
      name: 'com.example.test.Data',
      permission: null,
    });
  });

  test('that is damaged is a gap, and the rest is analyzed', async () => {
    const { android, gaps } = await analyze(
      buildApk({
        manifest: Buffer.from('no manifest'),
        extraEntries: [{ name: 'classes3.dex', content: buildDex([{ name: 'a.B', units: 1 }]) }],
      }),
    );
    expect(android.dex).toHaveLength(1);
    expect(gaps).toContainEqual({ part: 'manifest', path: null, reason: 'unreadable' });
  });
});

describe('limits', () => {
  const entry = (name: string) => ({ name, content: Buffer.from('x'), method: 8 });
  const dexPath = 'classes2.dex';
  const mapPath = 'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map';

  test.each([
    ['maxDexBytes', dexPath, maxDexBytes, 'dex'],
    ['maxDexTotalBytes', dexPath, maxDexTotalBytes, 'dex'],
    ['maxMapBytes', mapPath, maxMapBytes, 'metadata'],
    ['maxReportBytes', 'BUNDLE-METADATA/com.android.tools/r8.json', maxReportBytes, 'metadata'],
    ['maxDependenciesBytes', dependenciesPath, maxDependenciesBytes, 'metadata'],
    ['maxVersionFileBytes', 'META-INF/androidx.core_core.version', maxVersionFileBytes, 'metadata'],
    ['maxNativeLibraryBytes', 'lib/x86/libx.so', maxNativeLibraryBytes, 'native'],
  ] as const)('leaves out a file over %s', async (_, name, limit, part) => {
    const archive = await openZip(fileInMemory(buildApk({ extraEntries: [entry(name)] })));
    const enlarge = (one: ZipEntry) => (one.name === name ? { ...one, uncompressedBytes: limit + 1 } : one);
    const found = archive.find(name);
    const gaps: AnalysisGap[] = [];
    await analyzeAndroid(
      {
        ...archive,
        entries: archive.entries.map(enlarge),
        find: (path) => (path === name && found ? enlarge(found) : archive.find(path)),
      },
      false,
      gaps,
    );
    expect(gaps).toContainEqual({ part, path: name, reason: 'too_large' });
  });

  test('of files: maxDexFiles, maxNativeLibraries and maxGaps', async () => {
    const many = (count: number, name: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({
        name: name(index),
        content: buildDex([{ name: 'a.B', units: 1 }]),
      }));
    const { android, gaps } = await analyze(
      buildApk({
        extraEntries: [
          ...many(maxDexFiles + 1, (index) => `classes${index + 2}.dex`),
          ...many(maxNativeLibraries + 1, (index) => `lib/x86/lib${index}.so`),
        ],
      }),
    );
    expect(android.dex).toHaveLength(maxDexFiles);
    expect(android.nativeLibraries).toHaveLength(maxNativeLibraries);
    expect(gaps).toHaveLength(maxGaps);
    expect(gaps).toContainEqual({ part: 'dex', path: `classes${maxDexFiles + 2}.dex`, reason: 'too_many' });
  });

  test('of a name: maxTypeNameBytes', () => {
    const dex = buildDex([{ name: 'a.B', units: 1 }]);
    const at = dex.length;
    const bytes = Buffer.concat([dex, Buffer.alloc(maxTypeNameBytes + 2, 'a'), Buffer.alloc(1)]);
    bytes.writeUInt32LE(at, 0x70);
    expect(() => readDex(bytes, (name) => name)).toThrow('not a DEX file');
  });

  test('of a map: maxMappedClasses', async () => {
    async function* chunks() {
      for (let block = 0; block <= maxMappedClasses / 10_000; block++)
        yield Buffer.from(Array.from({ length: 10_000 }, (_, line) => `p.C -> ${block}.${line}:\n`).join(''));
    }
    await expect(readClassNames(chunks())).rejects.toMatchObject({ reason: 'too_many' });
  });

  test('of a library: maxSegments and maxNeeded', async () => {
    const bytes = buildElf();
    bytes.writeUInt16LE(maxSegments + 1, 56);
    await expect(readElf(inMemory(bytes), bytes.length)).rejects.toMatchObject({ reason: 'too_many' });
    const many = buildElf({ needs: maxNeeded + 1 });
    expect((await readElf(inMemory(many), many.length)).needed).toHaveLength(maxNeeded);
  });

  test.each([0, 8])('a library over maxInMemoryBytes has the same facts (method %i)', async (method) => {
    const content = Buffer.concat([buildElf(), Buffer.alloc(maxInMemoryBytes)]);
    const { android, gaps } = await analyze(
      buildApk({ extraEntries: [{ name: 'lib/x86_64/libx.so', content, method }] }),
    );
    expect(gaps.filter(({ part }) => part === 'native')).toEqual([]);
    expect(android.nativeLibraries).toEqual([
      expect.objectContaining({ minAlignment: 16384, symbolBytes: 32, debugBytes: 100, needed: ['libc.so'] }),
    ]);
  });

  test('of declared libraries: maxLibraries and maxEdges', () => {
    const library = encode([1, encode([1, encode([1, 'g'], [2, 'a'])])]);
    const many = Buffer.concat(Array.from({ length: maxLibraries + 1 }, () => library));
    expect(() => readDeclaredLibraries(many)).toThrow(expect.objectContaining({ reason: 'too_many' }));
    const edges = encode([2, encode([1, 0], [2, Buffer.alloc(maxEdges + 1)])]);
    expect(() => readDeclaredLibraries(Buffer.concat([library, edges]))).toThrow(
      expect.objectContaining({ reason: 'too_many' }),
    );
  });

  test('of a manifest: maxExported and maxDeepLinks', async () => {
    const text = (name: string, resourceId: number, value: string) => ({ name, value, resourceId });
    const data = Array.from({ length: 30 }, (_, index) => ({
      name: 'data',
      attributes: [text('scheme', 0x01010027, `s${index}`), text('host', 0x01010028, `h${index}`)],
    }));
    const view = { name: 'action', attributes: [{ name: 'name', value: 'android.intent.action.VIEW' }] };
    const applicationChildren = Array.from({ length: maxExported + 1 }, (_, index) => ({
      name: 'activity',
      attributes: [{ name: 'name', value: `.A${index}` }],
      children: [{ name: 'intent-filter', children: index === 0 ? [view, ...data] : [] }],
    }));
    const { manifest } = (await analyze(buildApk({ applicationChildren }))).android;
    expect(manifest.exported).toHaveLength(maxExported);
    expect(manifest.deepLinks).toHaveLength(maxDeepLinks);
  });
});

describe('a network security configuration', () => {
  const leaf = (name: string, children: readonly XmlElement[] = [], text?: string): XmlElement => ({
    namespace: null,
    name,
    attributes: [],
    children: [...children],
    ...(text === undefined ? {} : { text }),
  });
  const plain = (element: XmlElement, name: string, text: string): XmlElement => ({
    ...element,
    attributes: [{ namespace: null, name, resourceId: 0, value: { kind: 'string', text } }],
  });
  const permitted = (name: string, value: string, children: readonly XmlElement[]) =>
    plain(leaf(name, children), 'cleartextTrafficPermitted', value);

  test('inherits what it does not state, up to maxCleartextDomains', () => {
    const inner = leaf('domain-config', [leaf('domain', [], ' inner.example ')]);
    const refused = permitted('domain-config', 'false', [leaf('domain', [], 'no.example')]);
    const user = leaf('trust-anchors', [plain(leaf('certificates'), 'src', 'user')]);
    const root = leaf('network-security-config', [
      permitted('base-config', 'false', [user]),
      permitted('domain-config', 'true', [leaf('domain', [], 'a.example'), inner, refused]),
    ]);
    expect(readNetworkSecurity(root)).toEqual({
      cleartextDomains: ['a.example', 'inner.example'],
      cleartextByDefault: false,
      userCertificates: true,
    });
    const many = Array.from({ length: maxCleartextDomains + 1 }, (_, index) =>
      leaf('domain', [], `${index}.example`),
    );
    const found = readNetworkSecurity(
      leaf('network-security-config', [permitted('domain-config', 'true', many)]),
    );
    expect(found.cleartextDomains).toHaveLength(maxCleartextDomains);
  });

  test('over maxNamedXmlBytes is a gap', async () => {
    const path = 'res/xml/net.xml';
    const content = Buffer.alloc(maxNamedXmlBytes + 1);
    const attribute = { name: 'networkSecurityConfig', value: path, resourceId: 0x01010527 };
    const { gaps } = await analyze(
      buildApk({ applicationAttributes: [attribute], extraEntries: [{ name: path, content }] }),
    );
    expect(gaps).toContainEqual({ part: 'manifest', path, reason: 'too_large' });
  });
});

const usable = (tool: string, ...args: string[]) =>
  runsEverything && spawnSync(tool, args).error === undefined;
const folder = mkdtempSync(join(tmpdir(), 'slipway-android-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** About the file with this content: what a tool prints about it. */
function ask(tool: string, args: readonly string[], content: Buffer): string {
  const path = join(folder, 'content');
  writeFileSync(path, content);
  return execFileSync(tool, [...args, path], {
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** The sizes in a DEX file. The instructions between them are ten times as much text. */
const dump = (dex: Buffer) =>
  ask(
    'sh',
    [
      '-c',
      `dexdump -f -d "$0" | LC_ALL=C grep -aE '^[a-z_]+_size +:|^ {6}(code +-|insns size|catches)|[|][[]'`,
    ],
    dex,
  );

describe.skipIf(!sharedFixturesPresent)('real packages (needs ../shared/fixtures)', () => {
  const paths = [
    ...fixturesOfRun()
      .filter(({ path, verdict }) => path.startsWith('apk/') && verdict !== 'reject')
      .map(({ path }) => sharedFixturePath(path)),
    ...bundlesOfRun().map(pathOfBundle),
  ];

  async function withArchive<T>(
    path: string,
    use: (archive: ZipArchive, gaps: AnalysisGap[]) => Promise<T>,
  ): Promise<T> {
    const file = await openRandomAccessFile(path);
    try {
      return await use(await openZip(file), []);
    } finally {
      await file.close();
    }
  }

  test.each(paths)('%s agrees with the tools', { timeout: 120_000 }, async (path) => {
    await withArchive(path, async (archive, gaps) => {
      const { android, dependencies } = await analyzeAndroid(archive, isBundle(archive), gaps);
      const fake = (name: string | null) => name?.endsWith('/fake.so') || path.includes('/synthetic/');
      expect(gaps.filter((gap) => !fake(gap.path))).toEqual([]);
      const contentOf = async (name: string) => {
        const entry = archive.find(name);
        if (!entry) throw new Error(`${name} is missing`);
        return archive.read(entry, 256 * 1024 * 1024);
      };
      if (usable('dexdump', '-h')) {
        let total = 0;
        for (const one of android.dex) {
          const text = dump(await contentOf(one.path));
          const count = (name: string) => Number(new RegExp(`^${name}_size +: (\\d+)`, 'm').exec(text)?.[1]);
          expect([one.methodReferences, one.fieldReferences, one.classes, one.strings]).toEqual(
            ['method_ids', 'field_ids', 'class_defs', 'string_ids'].map(count),
          );
          total += codeBytesOf(text);
        }
        if (android.codePackages.length < maxCodePackages)
          expect(android.codePackages.reduce((sum, { codeBytes }) => sum + codeBytes, 0)).toBe(total);
      }
      if (usable('readelf', '-v')) {
        for (const one of android.nativeLibraries.filter(({ path: name }) => !fake(name))) {
          const text = ask('readelf', ['-lSdW'], await contentOf(one.path));
          const alignments = [...text.matchAll(/^ +LOAD .* (0x[0-9a-f]+)$/gm)].map(([, align]) =>
            Number(align),
          );
          if (one.minAlignment !== null) expect(one.minAlignment).toBe(Math.min(...alignments));
          const needed = [...text.matchAll(/\(NEEDED\) +Shared library: \[(.*)\]/g)].map(([, name]) => name);
          expect(one.needed).toEqual(needed);
          expect(one.symbolBytes > 0).toBe(/ \.symtab /.test(text));
        }
      }
      if (usable('protoc', '--version') && dependencies.source === 'declared') {
        const content = await contentOf('BUNDLE-METADATA/com.android.tools.build.libraries/dependencies.pb');
        const input = content[0] === 0x0a ? content : content.subarray(2);
        writeFileSync(join(folder, 'dependencies.proto'), dependenciesProto);
        const args = [`--proto_path=${folder}`, '--decode=AppDependencies', 'dependencies.proto'];
        const text = execFileSync('protoc', args, { input, encoding: 'utf8' });
        const declared = dependencies.libraries.filter(({ ecosystem }) => ecosystem === 'maven');
        const values = (name: string) =>
          [...text.matchAll(new RegExp(`^ +${name}: "(.*)"$`, 'gm'))].map(([, value]) => value);
        expect(declared.map(({ group }) => group)).toEqual(values('group'));
        expect(declared.map(({ name }) => name)).toEqual(values('artifact'));
        expect(declared.map(({ version }) => version)).toEqual(values('version'));
        expect(declared.filter(({ sha256 }) => sha256)).toHaveLength(values('sha256').length);
        const edges = text
          .split(/^library_dependencies /m)
          .slice(1)
          .map((one) => one.split(/^\w/m)[0]);
        expect(dependencies.edges).toHaveLength(edges.join('').match(/^ +to: /gm)?.length ?? 0);
      }
      if (usable('aapt2', 'version') && !isBundle(archive)) {
        const tree = spawnSync('aapt2', ['dump', 'xmltree', '--file', 'AndroidManifest.xml', path], {
          encoding: 'utf8',
        });
        if (tree.status === 0) expect(android.manifest.exported).toHaveLength(exportedIn(tree.stdout));
      }
    });
  });
});

const dependenciesProto = `syntax = "proto3";
message Maven { string group = 1; string artifact = 2; string version = 5; }
message Digests { bytes sha256 = 1; }
message Library { Maven maven = 1; Digests digests = 2; }
message Edges { int32 from = 1; repeated int32 to = 2; }
message AppDependencies { repeated Library library = 1; repeated Edges library_dependencies = 2; }
`;

const components = new Set(['activity', 'activity-alias', 'service', 'receiver', 'provider']);

/** Counts the exported components of a tree that aapt2 prints. */
function exportedIn(tree: string): number {
  const targetSdk = Number(
    /(?:target|min)SdkVersion\(0x010102(?:70|0c)\)=(\d+)(?![\s\S]*targetSdkVersion)/.exec(tree)?.[1] ?? 1,
  );
  const open: { name: string; depth: number }[] = [];
  const found: { name: string; stated: string | null; hasFilter: boolean }[] = [];
  for (const line of tree.split('\n')) {
    const [, indent = '', name] = /^( *)E: ([\w-]+)/.exec(line) ?? [];
    if (name !== undefined) {
      while ((open.at(-1)?.depth ?? -1) >= indent.length) open.pop();
      const parent = open.at(-1)?.name;
      if (parent === 'application' && components.has(name))
        found.push({ name, stated: null, hasFilter: false });
      const last = found.at(-1);
      if (last && name === 'intent-filter' && parent === last.name) last.hasFilter = true;
      open.push({ name, depth: indent.length });
    }
    const stated = /:exported\(0x01010010\)=(\w+)/.exec(line)?.[1];
    const last = found.at(-1);
    if (stated !== undefined && last) last.stated = stated;
  }
  return found.filter(({ name, stated, hasFilter }) => {
    if (stated !== null) return stated !== 'false' && stated !== '0';
    return name === 'provider' ? targetSdk < 17 : hasFilter;
  }).length;
}

/** Sums the code that dexdump disassembles, each once by its position. */
function codeBytesOf(text: string): number {
  const sizes = new Map<string, number>();
  const parts = text.split(/^ {6}code +-$/m).slice(1);
  for (const part of parts) {
    const units = Number(/^ {6}insns size +: (\d+)/m.exec(part)?.[1]);
    const at = /^([0-9a-f]+):[^|]*\|\[/m.exec(part)?.[1] ?? String(sizes.size);
    const tries = Number(/^ {6}catches +: (\d+)/m.exec(part)?.[1] ?? 0);
    sizes.set(at, 16 + units * 2 + tries * 8);
  }
  return [...sizes.values()].reduce((sum, one) => sum + one, 0);
}
