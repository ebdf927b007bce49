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
import { UnreadablePackage } from '../src/packages/package-info.ts';
import { parsePropertyList } from '../src/packages/property-list/property-list.ts';
import { openZip } from '../src/packages/zip/open-zip.ts';
import type { ZipEntry } from '../src/packages/zip/zip-archive.ts';
import { buildElf } from '../test/packages/analysis/android-fixtures.ts';
import { encode } from '../test/packages/bundle/bundle-messages.ts';
import { apkEntries } from '../test/support/build-apk.ts';
import { buildDex } from '../test/support/build-dex.ts';
import { writePropertyList } from '../test/support/build-ipa.ts';
import { fileInMemory } from '../test/support/build-zip.ts';
import { sharedFixturePath, sharedFixturesPresent } from '../test/support/shared-fixtures.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateText } from './mutate-content.ts';
import { mutateMessage } from './mutate-message.ts';
import { createRandom, type RandomSource } from './random.ts';
import { randomCatalog } from './random-picture.ts';

interface Part {
  name: string;
  seeds: readonly Buffer[];
  mutate: (seed: Buffer, random: RandomSource) => Buffer;
  read: (bytes: Buffer) => unknown;
}

/** Larger content is left out, so that each mutation is fast. */
const maxSeedBytes = 200_000;
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

const asEntry = (bytes: Buffer) =>
  ({ name: 'a', uncompressedBytes: bytes.length, compressedBytes: bytes.length }) as ZipEntry;

async function analyzerParts(): Promise<Part[]> {
  const random = createRandom(1);
  const content = (name: string) =>
    apkEntries({ permissions: ['a.b'], label: { '': 'Fuzz', ja: 'ファズ' } })
      .filter((entry) => String(entry.name) === name)
      .map((entry) => Buffer.from(entry.content ?? ''));
  const list = { a: ['b', 1, true, { c: Buffer.alloc(9) }], d: { e: 'f', g: [] } };
  const parts: Part[] = [
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
      seeds: [readFileSync(library)],
      mutate: mutateHeader(2_500),
      read: (bytes) =>
        readMachOFacts({ read: async () => bytes, stream: () => Readable.from([bytes]) }, asEntry(bytes)),
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
  return parts.filter(({ seeds }) => seeds.length > 0);
}

async function realEntries(name: RegExp): Promise<Buffer[]> {
  if (!sharedFixturesPresent) return [];
  const found: Buffer[] = [];
  const files = [
    'apk/ContactManager.apk',
    'apk/sample.apk',
    'aab/real/google__bundletool__1b551bd9.aab',
    'aab/real/asavan__mastermind__91dc0b84.aab',
    'aab/real/HaruoNakachi__CordovaSample__260f1aa2.aab',
  ];
  for (const file of files) {
    const archive = await openZip(fileInMemory(readFileSync(sharedFixturePath(file))));
    for (const entry of archive.entries) {
      if (name.test(entry.name) && entry.uncompressedBytes <= maxSeedBytes && found.length < 6)
        found.push(Buffer.from(await archive.read(entry, maxSeedBytes)));
    }
  }
  return found;
}

export interface PartBatch {
  /** Counts the batches: decides the part, and with `seed` the mutations. */
  batch: number;
  seed: number;
}

export interface BatchOutcome {
  part: string;
  mutations: number;
  /** How many were read without an error. */
  read: number;
  /** A description, and the content that caused it. */
  findings: { text: string; bytes: Buffer }[];
  slowestMilliseconds: number;
  residentBytes: number;
}

const mutationsOfBatch = 500;
const mutationsOfLargeSeeds = 50;
const maxPartMilliseconds = 2_000;

let parts: Promise<Part[]> | undefined;

/** Damaged content may be refused with `UnreadablePackage`, or by a read past its end; the analyzer lists either as a gap. */
export async function takeBatch({ batch, seed }: PartBatch): Promise<BatchOutcome> {
  parts ??= analyzerParts();
  const all = await parts;
  const part = all[batch % all.length] as Part;
  const outcome: BatchOutcome = {
    part: part.name,
    mutations: 0,
    read: 0,
    findings: [],
    slowestMilliseconds: 0,
    residentBytes: 0,
  };
  const isLarge = part.seeds.some(({ length }) => length > maxSeedBytes);
  const count = isLarge ? mutationsOfLargeSeeds : mutationsOfBatch;
  for (let index = 0; index < count; index++) {
    const random = createRandom(seed * 1_000_003 + batch * mutationsOfBatch + index);
    const bytes = part.mutate(random.pick(part.seeds), random);
    const before = process.cpuUsage();
    const text = await problemOf(part, bytes);
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1_000;
    outcome.mutations++;
    outcome.slowestMilliseconds = Math.max(outcome.slowestMilliseconds, milliseconds);
    if (text === null) outcome.read++;
    else if (text !== '') outcome.findings.push({ text: `${part.name} threw ${text}`, bytes });
    if (milliseconds > maxPartMilliseconds)
      outcome.findings.push({ text: `${part.name} took ${Math.round(milliseconds)} ms`, bytes });
  }
  outcome.residentBytes = process.memoryUsage.rss();
  return outcome;
}

/** Null if it was read, empty if it was refused. */
async function problemOf({ read }: Part, bytes: Buffer): Promise<string | null> {
  try {
    await read(bytes);
    return null;
  } catch (error) {
    if (error instanceof UnreadablePackage || error instanceof RangeError) return '';
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
