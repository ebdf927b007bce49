/**
 * What a Mach-O file states about itself, based on Apple's `<mach-o/loader.h>`, `<mach-o/nlist.h>` and `<mach-o/fixup-chains.h>`.
 * Streams the file once: only load commands, symbol names and selectors are looked at, each piece by piece.
 */

import type { SequentialBytes } from '../../ipa/asset-catalog/sequential-bytes.ts';
import { checkExecutableSize, readCommandBytes, withExecutable } from '../../ipa/signature/executable.ts';
import {
  fatHeaderBytes,
  type LoadCommand,
  loadCommands,
  type MachOSlice,
  readSlices,
  uuidOf,
} from '../../ipa/signature/mach-o.ts';
import { UnreadablePackage } from '../../package-info.ts';
import type { EntryReader, ZipEntry } from '../../zip/zip-archive.ts';
import { LimitExceeded } from '../gaps.ts';
import {
  type Range,
  readFixupImports,
  readNameOffsets,
  readNamesAt,
  type SymbolLayout,
  splitNames,
} from './mach-o-names.ts';
import { apiName, categoryOfSelector, categoryOfSymbol } from './required-reasons.ts';

export interface MachOFacts {
  sdkVersion: string | null;
  minOs: string | null;
  /** The number of the platform in LC_BUILD_VERSION: 2 is iOS, 7 its simulator. */
  platform: number | null;
  /** Libraries as the file names them: `@rpath/Example.framework/Example`. */
  linked: string[];
  /** Bytes of local symbols and of their names, which `strip` removes. */
  symbolBytes: number;
  debugBytes: number;
  requiredReasonApis: string[];
  uuid: string | null;
  /** The code is encrypted, so that selectors are unknown. */
  encrypted: boolean;
  cpu: string;
  signature: Buffer | null;
  /** What a simulator takes for the entitlements of an app, which the signature does not have there. */
  simulated: { xml: Buffer | null; der: Buffer | null };
}

/** Limits of one file. */
export const machOLimits = {
  linkedLibraries: 1000,
  localSymbols: 2_000_000,
  importedSymbols: 500_000,
  fixupBytes: 64 * 1024 * 1024,
  selectorBytes: 256 * 1024 * 1024,
  symbolTableBytes: 64 * 1024 * 1024,
  signatureBytes: 32 * 1024 * 1024,
  entitlementsBytes: 1024 * 1024,
  /** Names of Swift generics have some thousand bytes. */
  nameBytes: 1024 * 1024,
};
export type MachOLimits = typeof machOLimits;

const command = {
  segment: 0x1,
  symbolTable: 0x2,
  dynamicSymbols: 0xb,
  segment64: 0x19,
  buildVersion: 0x32,
  chainedFixups: 0x80000034,
  codeSignature: 0x1d,
} as const;
const encryptionCommands = [0x21, 0x2c];
/** Xcode has the linker make these of the entitlements of a simulator build. */
const encodingOfSection = new Map<string, 'xml' | 'der'>([
  ['__entitlements', 'xml'],
  ['__ents_der', 'der'],
]);
/** LC_LOAD_DYLIB, weak, reexport, lazy and upward. */
const libraryCommands = [0xc, 0x80000018, 0x8000001f, 0x20, 0x80000023];
/** LC_VERSION_MIN_* of macOS, iOS, tvOS and watchOS, with the number that LC_BUILD_VERSION uses for the platform. */
const platformOfVersionCommand = new Map([
  [0x24, 1],
  [0x25, 2],
  [0x2f, 3],
  [0x30, 4],
]);

interface Layout extends SymbolLayout {
  facts: MachOFacts;
  symbols: { position: number; count: number; strings: Range } | null;
  selectors: Range | null;
  fixups: Range | null;
  signature: Range | null;
  entitlements: { encoding: 'xml' | 'der'; range: Range }[];
}

/**
 * Returns the facts of the slice that current devices run; null if the entry is not Mach-O. Rejects with `UnreadablePackage` above a
 * limit or if the file is damaged.
 */
export async function readMachOFacts(
  archive: EntryReader,
  entry: ZipEntry,
  limits: MachOLimits = machOLimits,
): Promise<MachOFacts | null> {
  checkExecutableSize(entry);
  try {
    return await withExecutable(archive, entry, async (bytes) => {
      const head = await bytes.readUpTo(0, fatHeaderBytes);
      const slices = readSlices(head, entry.uncompressedBytes);
      const slice = slices?.findLast(({ is64Bit }) => is64Bit) ?? slices?.at(-1);
      return slice ? await readSlice(bytes, head, slice, limits) : null;
    });
  } catch (error) {
    if (error instanceof UnreadablePackage) throw error;
    throw new UnreadablePackage('the executable is malformed', { cause: error });
  }
}

async function readSlice(
  bytes: SequentialBytes,
  head: Buffer,
  slice: MachOSlice,
  limits: MachOLimits,
): Promise<MachOFacts> {
  const commands = await readCommandBytes(bytes, head, slice);
  const layout = readLayout(commands, slice, limits);
  const { facts } = layout;
  facts.uuid = uuidOf(commands);
  const found = new Set<string>();
  const findSymbol = (name: string) => {
    if (categoryOfSymbol.has(name)) found.add(apiName(name));
  };
  const findSelector = (name: string) => {
    if (categoryOfSelector.has(name)) found.add(name);
  };
  const steps: { range: Range; maxBytes: number; run: () => Promise<void> }[] = [];
  const pipe = (range: Range, consume: (piece: Buffer) => void) =>
    bytes.pipe(slice.position + range.position, range.bytes, consume);
  const { selectors, fixups, symbols, signature, entitlements } = layout;
  if (selectors && !facts.encrypted) {
    const run = async () => {
      const names = splitNames(findSelector);
      await pipe(selectors, names.push);
      names.end();
    };
    steps.push({ range: selectors, maxBytes: limits.selectorBytes, run });
  }
  if (fixups)
    steps.push({
      range: fixups,
      maxBytes: limits.fixupBytes,
      run: () => readFixupImports(pipe, fixups, findSymbol),
    });
  if (symbols) {
    const entryBytes = layout.is64Bit ? 16 : 12;
    const range = { position: symbols.position, bytes: symbols.count * entryBytes };
    const run = async () => {
      const offsets = await readNameOffsets(pipe, range, layout);
      facts.symbolBytes = layout.local.count * entryBytes;
      const names = readNamesAt(offsets, limits.nameBytes, (name, length, isImported) => {
        if (isImported) findSymbol(name);
        else facts.symbolBytes += length + 1;
      });
      await pipe(symbols.strings, names.push);
    };
    steps.push({ range, maxBytes: limits.symbolTableBytes, run });
  }
  if (signature) {
    const run = async () => {
      facts.signature = await bytes.read(slice.position + signature.position, signature.bytes);
    };
    steps.push({ range: signature, maxBytes: limits.signatureBytes, run });
  }
  for (const { encoding, range } of entitlements) {
    const run = async () => {
      facts.simulated[encoding] = await bytes.read(slice.position + range.position, range.bytes);
    };
    steps.push({ range, maxBytes: limits.entitlementsBytes, run });
  }
  for (const { range, maxBytes, run } of steps.sort((a, b) => a.range.position - b.range.position)) {
    if (range.bytes > maxBytes) throw new LimitExceeded('too_large');
    if (range.bytes > 0) await run();
  }
  facts.requiredReasonApis = [...found].sort();
  return facts;
}

function readLayout(commands: Buffer, slice: MachOSlice, limits: MachOLimits): Layout {
  const layout: Layout = {
    facts: {
      sdkVersion: null,
      minOs: null,
      platform: null,
      linked: [],
      symbolBytes: 0,
      debugBytes: 0,
      requiredReasonApis: [],
      uuid: null,
      encrypted: false,
      cpu: slice.cpu,
      signature: null,
      simulated: { xml: null, der: null },
    },
    is64Bit: slice.is64Bit,
    isLittleEndian: commands[0] !== 0xfe,
    symbols: null,
    local: { first: 0, count: 0 },
    imported: { first: 0, count: 0 },
    selectors: null,
    fixups: null,
    signature: null,
    entitlements: [],
  };
  for (const one of loadCommands(commands)) readCommand(layout, one);
  if (layout.facts.linked.length > limits.linkedLibraries) throw new LimitExceeded('too_many');
  const { symbols, local, imported } = layout;
  for (const range of [local, imported])
    if (symbols && range.first + range.count > symbols.count)
      throw new Error('its symbol table is malformed');
  if (local.count > limits.localSymbols || imported.count > limits.importedSymbols)
    throw new LimitExceeded('too_many');
  return layout;
}

function readCommand(layout: Layout, { type, content, word }: LoadCommand): void {
  const { facts } = layout;
  const require = (bytes: number) => {
    if (content.length < bytes) throw new Error('a load command is malformed');
  };
  const platform = platformOfVersionCommand.get(type);
  if (type === command.buildVersion) {
    require(20);
    Object.assign(facts, {
      platform: word(8),
      minOs: versionText(word(12)),
      sdkVersion: versionText(word(16)),
    });
  } else if (platform !== undefined) {
    require(16);
    Object.assign(facts, { platform, minOs: versionText(word(8)), sdkVersion: versionText(word(12)) });
  } else if (libraryCommands.includes(type)) {
    require(24);
    facts.linked.push(textAt(content, word(8)));
  } else if (type === command.symbolTable) {
    require(24);
    layout.symbols = { position: word(8), count: word(12), strings: { position: word(16), bytes: word(20) } };
  } else if (type === command.dynamicSymbols) {
    require(32);
    layout.local = { first: word(8), count: word(12) };
    layout.imported = { first: word(24), count: word(28) };
  } else if (type === command.segment || type === command.segment64) {
    readSegment(layout, content, type === command.segment64, word);
  } else if (type === command.chainedFixups) {
    require(16);
    layout.fixups = { position: word(8), bytes: word(12) };
  } else if (type === command.codeSignature) {
    require(16);
    layout.signature = { position: word(8), bytes: word(12) };
  } else if (encryptionCommands.includes(type)) {
    require(20);
    facts.encrypted ||= word(16) !== 0;
  }
}

/** The sections follow the header of the segment; only those of `__TEXT` are of interest. */
function readSegment(layout: Layout, content: Buffer, isWide: boolean, word: LoadCommand['word']): void {
  const headerBytes = isWide ? 72 : 56;
  const sectionBytes = isWide ? 80 : 68;
  if (content.length < headerBytes) throw new Error('a segment is malformed');
  const name = textAt(content, 8, 16);
  if (name === '__DWARF') layout.facts.debugBytes += word(isWide ? 48 : 36);
  if (name !== '__TEXT') return;
  const count = word(isWide ? 64 : 48);
  if (headerBytes + count * sectionBytes > content.length) throw new Error('a segment is malformed');
  for (let index = 0; index < count; index++) {
    const at = headerBytes + index * sectionBytes;
    const section = textAt(content, at, 16);
    const range = { position: word(at + (isWide ? 48 : 40)), bytes: word(at + (isWide ? 40 : 36)) };
    const encoding = encodingOfSection.get(section);
    if (section === '__objc_methname') layout.selectors = range;
    else if (encoding) layout.entitlements.push({ encoding, range });
  }
}

/** 16 bits of major version, 8 of minor, 8 of patch, which is left out if it is 0. */
function versionText(version: number): string | null {
  if (version === 0) return null;
  const patch = version & 0xff;
  return `${version >>> 16}.${(version >>> 8) & 0xff}${patch === 0 ? '' : `.${patch}`}`;
}

function textAt(content: Buffer, position: number, maxBytes = 1024): string {
  const bytes = content.subarray(position, position + maxBytes);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
}
