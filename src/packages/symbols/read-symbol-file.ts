/** Recognizes symbol files by their content. Reads no more of a binary than its headers, so that its size does not matter. */
import { buildIdOf, elfHeadBytes, isElf } from '../analysis/android/elf.ts';
import { readSequentially } from '../ipa/asset-catalog/sequential-bytes.ts';
import { MalformedExecutable, readCommandBytes, withExecutable } from '../ipa/signature/executable.ts';
import { fatHeaderBytes, fileTypeOf, readSlices, uuidOf } from '../ipa/signature/mach-o.ts';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { openRandomAccessFile } from '../zip/open-file.ts';
import { openZip } from '../zip/open-zip.ts';
import type { RandomAccessFile, ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import {
  maxBinaryNameLength,
  maxSymbolBinaries,
  type SymbolBinary,
  type SymbolFileFacts,
} from './symbol-file.ts';

/** A symbol archive has a few files for each framework. */
const zipLimits = { maxEntries: 20_000, maxDirectoryBytes: 8 * 1024 * 1024 };
const dwarfPath = /(?:^|\/)[^/]+\.dSYM\/Contents\/Resources\/DWARF\/([^/]+)$/;
/** As in `native-debug-symbols.zip` of the Android Gradle plugin, and in the `obj` folder of its builds. */
const nativePath = /(?:^|\/)(armeabi-v7a|arm64-v8a|x86|x86_64|riscv64)\/([^/]+\.so(?:\.dbg|\.sym)?)$/;
/** MH_DSYM of `<mach-o/loader.h>`: a file with debug information only. */
const dsymFileType = 0xa;
/** R8 writes about ten lines of comments before the first class. */
export const maxMappingHeadBytes = 64 * 1024;

/**
 * Returns null if the file is of no known kind.
 * @throws UnreadablePackage if it is a damaged archive, or exceeds a limit
 */
export async function readSymbolFile(path: string): Promise<SymbolFileFacts | null> {
  const file = await openRandomAccessFile(path);
  try {
    return await readSymbols(file);
  } finally {
    await file.close();
  }
}

/** Like `readSymbolFile`, for an open file. */
export async function readSymbols(file: RandomAccessFile): Promise<SymbolFileFacts | null> {
  const head = await file.read(0, Math.min(file.sizeBytes, maxMappingHeadBytes));
  return head.toString('latin1', 0, 2) === 'PK' ? readSymbolZip(file) : readMapping(head);
}

async function readSymbolZip(file: RandomAccessFile): Promise<SymbolFileFacts | null> {
  const archive = await openZip(file, zipLimits);
  // `ditto` and Finder add attributes of files as files.
  const entries = archive.entries.filter(({ name }) => !/(?:^|\/)(?:__MACOSX\/|\._)/.test(name));
  const binaries: SymbolBinary[] = [];
  const add = (found: readonly SymbolBinary[]) => {
    binaries.push(...found);
    if (binaries.length > maxSymbolBinaries) throw new UnreadablePackage(say('too-much-metadata'));
  };
  for (const entry of entries) {
    const name = dwarfPath.exec(entry.name)?.[1];
    if (name !== undefined) add(await readDwarf(archive, entry, name));
  }
  if (binaries.length > 0) return { kind: 'dsym', binaries };
  for (const entry of entries) {
    const [, architecture = '', name = ''] = nativePath.exec(entry.name) ?? [];
    if (name !== '') add(await readLibrary(archive, entry, { name, architecture }));
  }
  return binaries.length > 0 ? { kind: 'native', binaries } : null;
}

/** Returns an empty list if the entry is not Mach-O, or not the debug information of a dSYM. */
async function readDwarf(archive: ZipArchive, entry: ZipEntry, name: string): Promise<SymbolBinary[]> {
  try {
    return await withExecutable(archive, entry, async (bytes) => {
      const head = await bytes.readUpTo(0, fatHeaderBytes);
      const found: SymbolBinary[] = [];
      for (const slice of readSlices(head, entry.uncompressedBytes) ?? []) {
        const commands = await readCommandBytes(bytes, head, slice);
        if (fileTypeOf(commands) !== dsymFileType) continue;
        found.push({ name: shortened(name), architecture: slice.cpu, id: uuidOf(commands) });
      }
      return found;
    });
  } catch (error) {
    if (error instanceof MalformedExecutable) return [];
    throw error;
  }
}

/** Returns an empty list if the entry is not ELF. */
async function readLibrary(
  archive: ZipArchive,
  entry: ZipEntry,
  { name, architecture }: { name: string; architecture: string },
): Promise<SymbolBinary[]> {
  const bytes = readSequentially(archive.stream(entry));
  try {
    const head = await bytes.readUpTo(0, elfHeadBytes);
    return isElf(head) ? [{ name: shortened(name), architecture, id: buildIdOf(head) }] : [];
  } finally {
    bytes.close();
  }
}

/** A mapping has lines such as `com.example.Original -> a.b:`. R8 states its id in a comment before them. */
function readMapping(head: Buffer): SymbolFileFacts | null {
  if (head.includes(0)) return null;
  const lines = head.toString('utf8').split(/\r?\n/);
  const isMapping = lines.some((line) => /^[^\s#][^\s]{0,999} -> [^\s:]{1,1000}:\s*$/.test(line));
  if (!isMapping) return null;
  const id = lines.map((line) => /^# pg_map_id: ([\w.-]{1,128})\s*$/.exec(line)?.[1]).find(Boolean);
  return {
    kind: 'mapping',
    binaries: [{ name: 'mapping', architecture: null, id: id?.toLowerCase() ?? null }],
  };
}

const shortened = (name: string) => name.slice(0, maxBinaryNameLength);
