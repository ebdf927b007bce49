/** Readers of single parts of packages, each with content to mutate: much faster than whole packages. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { readR8Report } from '../src/packages/analysis/android/build-reports.ts';
import { packageOfClass, readClassNames } from '../src/packages/analysis/android/class-names.ts';
import { readDex } from '../src/packages/analysis/android/dex.ts';
import { readElf } from '../src/packages/analysis/android/elf.ts';
import { readDeclaredLibraries } from '../src/packages/analysis/android/libraries.ts';
import { readMachOFacts } from '../src/packages/analysis/ios/mach-o-facts.ts';
import { parseBinaryXml } from '../src/packages/apk/binary-xml.ts';
import { readVersionControl } from '../src/packages/apk/package-commit.ts';
import { parseResourceTable } from '../src/packages/apk/resource-table.ts';
import { measureAssetCatalog } from '../src/packages/ipa/asset-catalog/asset-catalog.ts';
import { parsePropertyList } from '../src/packages/property-list/property-list.ts';
import type { ZipEntry } from '../src/packages/zip/zip-archive.ts';
import { buildElf } from '../test/packages/analysis/android-fixtures.ts';
import { buildMachO } from '../test/packages/analysis/ios-fixtures.ts';
import { encode } from '../test/packages/bundle/bundle-messages.ts';
import { buildSlice } from '../test/packages/ipa/build-mach-o.ts';
import { fat } from '../test/packages/symbol-fixtures.ts';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildDex } from '../test/support/build-dex.ts';
import { writePropertyList } from '../test/support/build-ipa.ts';
import { fileInMemory } from '../test/support/build-zip.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateText } from './mutate-content.ts';
import { mutateMachO } from './mutate-mach-o.ts';
import { mutateMessage } from './mutate-message.ts';
import { type Part, type PartSpec, partOf, realEntries } from './part.ts';
import { createRandom, type RandomSource } from './random.ts';
import { randomCatalog } from './random-picture.ts';

const library = new URL('../node_modules/better-sqlite3/prebuilds/darwin-arm64.node', import.meta.url);

/** In addition to bytes anywhere, changes words of the header, which lead to everything else. */
const mutateHeader =
  (headerBytes: number) =>
  (seed: Buffer, random: RandomSource): Buffer =>
    random.chance(0.5)
      ? mutateBytes(seed, random)
      : Buffer.concat([mutateBytes(seed.subarray(0, headerBytes), random), seed.subarray(headerBytes)]);

async function* pieces(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
}

const machO = buildMachO({
  selectors: ['systemUptime', 'viewDidLoad'],
  imports: ['_stat', '_printf'],
  symbols: ['_local', '_fstat', '_statfs'],
  signature: Buffer.alloc(64, 7),
});

const readExecutable = (bytes: Buffer) =>
  readMachOFacts({ read: async () => bytes, stream: () => Readable.from(pieces(bytes)) }, asEntry(bytes));

const asEntry = (bytes: Buffer) =>
  ({ name: 'a', uncompressedBytes: bytes.length, compressedBytes: bytes.length }) as ZipEntry;

export async function analyzerParts(): Promise<Part[]> {
  const random = createRandom(1);
  const content = (name: string) =>
    apkEntries({ permissions: ['a.b'], label: { '': 'Fuzz', ja: 'ファズ' } })
      .filter((entry) => String(entry.name) === name)
      .map((entry) => Buffer.from(entry.content ?? ''));
  const list = { a: ['b', 1, true, { c: Buffer.alloc(9) }], d: { e: 'f', g: [] } };
  const parts: PartSpec[] = [
    {
      name: 'dex',
      seeds: [
        buildDex([
          { name: 'a.b.C', units: 40 },
          { name: 'a.D', units: 4 },
        ]),
        ...(await realEntries(/\.dex$/)),
      ],
      mutate: mutateHeader(112),
      read: (bytes) => readDex(bytes, packageOfClass),
    },
    {
      name: 'ELF',
      seeds: [buildElf(), buildElf({ bits: 32, isBig: true, needs: 3 }), ...(await realEntries(/\.so$/))],
      mutate: mutateHeader(64 + 10 * 56),
      read: (bytes) =>
        readElf(async (start, length) => fileInMemory(bytes).read(start, length), bytes.length),
    },
    {
      name: 'Mach-O',
      seeds: [
        machO,
        fat(machO, machO),
        buildSlice({
          signature: { identifier: 'a.b', identity: null, infoPlist: null, codeResources: null },
        }),
      ],
      mutate: mutateMachO,
      read: readExecutable,
      batch: 2_000,
    },
    {
      name: 'Mach-O of Xcode',
      seeds: [readFileSync(library)],
      mutate: mutateMachO,
      read: readExecutable,
    },
    {
      name: 'dependencies',
      seeds: [
        ...(await realEntries(/dependencies\.pb$/)),
        encode([1, encode([1, encode([1, 'a'], [2, 'b'], [5, '1'])])], [2, encode([1, 0], [2, 0])]),
      ],
      mutate: mutateMessage,
      read: readDeclaredLibraries,
    },
    {
      name: 'manifest',
      seeds: content('AndroidManifest.xml'),
      mutate: mutateHeader(64),
      read: (bytes) => parseBinaryXml(bytes),
    },
    {
      name: 'resource table',
      seeds: content('resources.arsc'),
      mutate: mutateHeader(400),
      read: (bytes) => parseResourceTable(bytes),
    },
    {
      name: 'property list',
      seeds: (['xml', 'binary', 'openstep'] as const).map((form) => writePropertyList(list, form)),
      mutate: (seed, one) => (one.chance(0.5) ? mutateText(seed, one) : mutateBytes(seed, one)),
      read: (bytes) => parsePropertyList(bytes),
    },
    {
      name: 'proguard.map',
      seeds: [
        Buffer.from('# compiler: R8\ncom.example.Main -> a.b:\n    1:2:void run():3:4 -> a\n'.repeat(20)),
      ],
      mutate: mutateText,
      read: (bytes) => readClassNames(pieces(bytes)),
    },
    {
      name: 'asset catalog',
      seeds: [randomCatalog(random)],
      mutate: mutateHeader(600),
      read: measureAssetCatalog,
    },
    {
      name: 'r8.json',
      seeds: [
        Buffer.from('{"options":{"isShrinkingEnabled":true},"stats":{"noObfuscationPercentage":3.37}}'),
      ],
      mutate: mutateText,
      read: readR8Report,
    },
    {
      name: 'version control',
      seeds: [
        Buffer.from('repositories {\n system: GIT\n local_root_path: "$PROJECT_DIR"\n revision: "abc"\n}\n'),
      ],
      mutate: mutateText,
      read: readVersionControl,
    },
  ];
  return parts.map(partOf);
}
