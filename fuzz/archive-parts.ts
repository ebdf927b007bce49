/** Archives that the analyzer and the reader of symbol files open, and the messages of app bundles. */
import * as v from 'valibot';
import { packageAnalysis } from '../src/packages/analysis/analysis.ts';
import { analyzeFile } from '../src/packages/analysis/analyze-package.ts';
import { readManifestSecurity } from '../src/packages/analysis/android/manifest-security.ts';
import { readNetworkSecurity } from '../src/packages/analysis/android/network-security.ts';
import { selectsForDevice } from '../src/packages/analysis/bundle-delivery.ts';
import { parseBinaryXml } from '../src/packages/apk/binary-xml.ts';
import { writeBinaryXml } from '../src/packages/bundle/binary-xml-writer.ts';
import { readBundleConfig } from '../src/packages/bundle/bundle-config.ts';
import { readResourceTables } from '../src/packages/bundle/resource-table-message.ts';
import { writeResourceTable } from '../src/packages/bundle/resource-table-writer.ts';
import { readXml } from '../src/packages/bundle/xml-message.ts';
import { readSymbols } from '../src/packages/symbols/read-symbol-file.ts';
import { symbolFileFacts } from '../src/packages/symbols/symbol-file.ts';
import { buildElf } from '../test/packages/analysis/android-fixtures.ts';
import { buildMachO } from '../test/packages/analysis/ios-fixtures.ts';
import { setFiles } from '../test/packages/analysis/split-fixtures.ts';
import { encode, manifestMessage, nested, tableMessage } from '../test/packages/bundle/bundle-messages.ts';
import { buildPng } from '../test/packages/ipa/build-png.ts';
import { elf, fat, machO, mapping, uuid } from '../test/packages/symbol-fixtures.ts';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildBinaryXml } from '../test/support/build-binary-xml.ts';
import { buildDex } from '../test/support/build-dex.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../test/support/build-zip.ts';
import { builtSeeds } from './built-seeds.ts';
import { misstateArchive, misstateEntry } from './misstate-zip.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateContent, mutateText } from './mutate-content.ts';
import { mutateMachO } from './mutate-mach-o.ts';
import { mutateMessage } from './mutate-message.ts';
import { type Part, partOf, realEntries } from './part.ts';
import type { RandomSource } from './random.ts';

/** Archives take longer than their parts. */
const archiveBatch = 200;
const maxAnalysisBytes = 16 * 1024 * 1024;

/** A mutated bundle with all metadata, and an APK with a library, code and pictures. */
const rich: readonly (readonly ZipEntrySpec[])[] = [
  [
    ...apkEntries({ label: 'Fuzz', permissions: ['a.b'] }).filter(({ name }) => name !== 'classes.dex'),
    { name: 'classes.dex', content: buildDex([{ name: 'a.b.C', units: 9 }]), method: 8 },
    { name: 'lib/arm64-v8a/liba.so', content: buildElf(), method: 0 },
    { name: 'lib/x86/liba.so', content: buildElf({ bits: 32 }), method: 8 },
    { name: 'res/a.png', content: Buffer.concat([buildPng({ width: 4, height: 4 }), Buffer.alloc(110_000)]) },
    { name: 'assets/key.txt', content: `AKIAABCDEFGHIJKLMNOP ${'ghp_'.padEnd(50, 'a')}`, method: 8 },
    { name: 'META-INF/a.b_c.version', content: '1.2' },
    { name: 'META-INF/maven/a/b/pom.properties', content: 'groupId=a\nartifactId=b\nversion=1\n' },
  ],
  [
    { name: 'BundleConfig.pb', content: encode([1, encode([2, '1.15.6'])]) },
    { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
    { name: 'base/resources.pb', content: tableMessage },
    { name: 'base/dex/classes.dex', content: buildDex([{ name: 'a.b.C', units: 9 }]), method: 8 },
    { name: 'base/lib/arm64-v8a/liba.so', content: buildElf(), method: 8 },
    {
      name: 'BUNDLE-METADATA/com.android.tools.build.libraries/dependencies.pb',
      content: encode([1, encode([1, encode([1, 'a'], [2, 'b'], [5, '1'])])], [2, encode([1, 0], [2, 0])]),
    },
    {
      name: 'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map',
      content: '# compiler: R8\ncom.example.Main -> a.b.C:\n    int a -> b\n',
      method: 8,
    },
    {
      name: 'BUNDLE-METADATA/com.android.tools/r8.json',
      content: '{"options":{"isShrinkingEnabled":true},"stats":{"noObfuscationPercentage":3.37}}',
    },
  ],
];

export async function archiveParts(): Promise<Part[]> {
  const packages = [
    ...builtSeeds()
      .map(({ entries }) => entries)
      .filter(({ length }) => length > 0),
    ...rich,
  ];
  const messageParts = [
    {
      name: 'mapping',
      seeds: [mapping(), Buffer.concat(Array(9).fill(mapping()))],
      mutate: mutateText,
      read: readSymbolBytes,
    },
    {
      name: 'bundle manifest',
      seeds: [manifestMessage, nested(20), ...(await realEntries(/manifest\/AndroidManifest\.xml$/))],
      mutate: mutateMessage,
      read: (bytes: Buffer) => writeBinaryXml(readXml(bytes), 'utf-16'),
    },
    {
      name: 'bundle resources',
      seeds: [tableMessage, ...(await realEntries(/resources\.pb$/))],
      mutate: mutateMessage,
      read: (bytes: Buffer) =>
        writeResourceTable(readResourceTables([bytes], () => true, selectsForDevice())),
    },
    {
      name: 'bundle configuration',
      seeds: [bundleConfig, ...(await realEntries(/BundleConfig\.pb$/))],
      mutate: mutateMessage,
      read: (bytes: Buffer) => readBundleConfig(bytes).isUncompressed('assets/a/b/c.bin'),
    },
    {
      name: 'network security',
      seeds: [networkSecurity, ...(await realEntries(/^res\/xml\/.*\.xml$/))],
      mutate: mutateBytes,
      read: (bytes: Buffer) => readNetworkSecurity(parseBinaryXml(bytes)),
    },
    {
      name: 'security of a manifest',
      seeds: apkEntries({ permissions: ['a.b'], applicationChildren: [activity] })
        .filter(({ name }) => name === 'AndroidManifest.xml')
        .map(({ content = '' }) => Buffer.from(content)),
      mutate: mutateBytes,
      read: (bytes: Buffer) => readManifestSecurity(parseBinaryXml(bytes), (value) => value),
    },
  ].map(partOf);
  return [
    archivePart('split APKs', [setFiles], analyze),
    archivePart('package', packages, analyze),
    archivePart('symbol archive', symbolArchives, readSymbolBytes),
    ...messageParts,
  ];
}

const bundleConfig = encode(
  [1, encode([2, '1.15.6'])],
  [2, encode([1, encode([1, encode([1, 4])])])],
  [3, encode([1, '**.bin'])],
);
const activity = { name: 'activity', children: [{ name: 'intent-filter', children: [] }] };
const networkSecurity = buildBinaryXml({
  name: 'network-security-config',
  children: [{ name: 'domain-config', children: [{ name: 'domain', children: [] }] }],
});
const symbolArchives: readonly (readonly ZipEntrySpec[])[] = [
  [
    { name: 'a.dSYM/Contents/Resources/DWARF/a', content: machO(uuid), method: 8 },
    { name: 'b.dSYM/Contents/Resources/DWARF/b', content: fat(machO(uuid), machO(uuid, 2)), method: 8 },
    { name: 'c.dSYM/Contents/Resources/DWARF/c', content: buildMachO({ symbols: ['_a', '_b'] }), method: 0 },
  ],
  [
    { name: 'arm64-v8a/liba.so.dbg', content: elf('0123456789abcdef'.repeat(2).slice(0, 40)), method: 8 },
    { name: 'x86/libb.so.sym', content: buildElf({ bits: 32 }), method: 0 },
  ],
];

/** Changes a file of the archive, what the archive states about it, or bytes anywhere. */
function archivePart(name: string, seeds: readonly (readonly ZipEntrySpec[])[], read: Part['read']): Part {
  const make = (random: RandomSource) => {
    const entries = random.pick(seeds);
    const kind = random.below(10);
    if (kind === 0) return mutateBytes(buildZip(entries), random, random.chance(0.5));
    if (kind <= 2)
      return buildZip(misstateEntry(entries, random), random.chance(0.5) ? misstateArchive(random) : {});
    const chosen = random.below(entries.length);
    return buildZip(
      entries.map((entry, at) =>
        at === chosen || random.chance(0.05)
          ? { ...entry, content: mutateFile(String(entry.name), Buffer.from(entry.content ?? ''), random) }
          : entry,
      ),
    );
  };
  return { name, make, read, batch: archiveBatch };
}

function mutateFile(name: string, content: Buffer, random: RandomSource): Buffer {
  if (/\.pb$|\/manifest\//.test(name) && random.chance(0.8)) return mutateMessage(content, random);
  if (content.length > 64 && /^(?:ca|fe|cf|ce)f[ea]/.test(content.toString('hex', 0, 2)))
    return mutateMachO(content, random);
  return mutateContent(content, random);
}

async function analyze(bytes: Buffer): Promise<void> {
  const analysis = await analyzeFile(fileInMemory(bytes));
  if (!v.safeParse(packageAnalysis, analysis).success) throw new Error('the server refuses the analysis');
  if (JSON.stringify(analysis).length > maxAnalysisBytes) throw new Error('the analysis is too long');
}

async function readSymbolBytes(bytes: Buffer): Promise<void> {
  const facts = await readSymbols(fileInMemory(bytes));
  if (facts && !v.safeParse(symbolFileFacts, facts).success) throw new Error('the server refuses the facts');
}
