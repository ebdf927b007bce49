/**
 * Facts of a native library. Source: "Executable and Linkable Format", System V ABI. Own code, because only tables are read, so that
 * a library of any size needs little memory.
 */
import { maxNameLength } from '../../apk/android-manifest.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { LimitExceeded } from '../gaps.ts';

export interface ElfFacts {
  is64Bit: boolean;
  /** The smallest alignment of the segments that are loaded; null without such a segment. */
  minAlignment: number | null;
  /** Bytes of `.symtab` and its names, which the device does not need. */
  symbolBytes: number;
  debugBytes: number;
  /** Names of the libraries that the linker loads first. */
  needed: string[];
  /** The GNU build ID in hexadecimal, which its file of symbols has too; null if it states none. */
  buildId: string | null;
}

/** Returns exactly `length` bytes at `start`. Rejects with `UnreadablePackage` past the end. */
export type ReadRange = (start: number, length: number) => Promise<Buffer>;

/** Real libraries have a dozen. */
export const maxSegments = 1_000;
/** Entries of the dynamic section; real ones have about forty. */
export const maxDynamicEntries = 2_000;
export const maxNeeded = 200;
/** All names of sections together. */
export const maxSectionNamesBytes = 4 * 1024 * 1024;
const loadedSegment = 1;
const dynamicSegment = 2;
const noteSegment = 4;
/** How much of a library `buildIdOf` looks at: linkers put its note right after the program headers. */
export const elfHeadBytes = 64 * 1024;
/** NT_GNU_BUILD_ID, by the name GNU. Usually a SHA-1. */
const buildIdNote = 3;
export const maxBuildIdBytes = 64;
/** The limit for all segments, which can refer to the same notes. Real libraries have a handful. */
export const maxNotes = 1_000;
const symbolSection = 2;
const neededTag = 1;
const stringTableTag = 5;

interface Segment {
  type: number;
  offset: number;
  address: number;
  fileBytes: number;
  alignment: number;
}

interface Section {
  nameAt: number;
  type: number;
  offset: number;
  bytes: number;
  link: number;
}

/** @throws UnreadablePackage if it is not an ELF file, is truncated, or exceeds a limit */
export async function readElf(read: ReadRange, sizeBytes: number): Promise<ElfFacts> {
  if (sizeBytes < 64) throw damagedElf();
  const header = await read(0, 64);
  const kind = header.readUInt8(4);
  const order = header.readUInt8(5);
  if (header.readUInt32BE(0) !== 0x7f454c46 || (kind !== 1 && kind !== 2) || (order !== 1 && order !== 2))
    throw damagedElf();
  const format: Format = { is64Bit: kind === 2, isLittle: order === 1 };
  const { is64Bit } = format;
  const head = fieldsOf(header, format);
  const segments = await readTable(read, sizeBytes, {
    at: head.word(is64Bit ? 32 : 28),
    entryBytes: head.half(is64Bit ? 54 : 42),
    ownBytes: is64Bit ? 56 : 32,
    count: head.half(is64Bit ? 56 : 44),
    maxCount: maxSegments,
  });
  const loaded = segments.map((bytes) => readSegment(bytes, format));
  const sections = (
    await readTable(read, sizeBytes, {
      at: head.word(is64Bit ? 40 : 32),
      entryBytes: head.half(is64Bit ? 58 : 46),
      ownBytes: is64Bit ? 64 : 40,
      count: head.half(is64Bit ? 60 : 48),
      maxCount: 0xffff,
    })
  ).map((bytes) => readSection(bytes, format));
  const alignments = loaded.filter(({ type }) => type === loadedSegment).map(({ alignment }) => alignment);
  return {
    is64Bit,
    minAlignment: alignments.length === 0 ? null : Math.min(...alignments),
    ...(await measureSections(read, sections, head.half(is64Bit ? 62 : 50))),
    needed: await readNeeded(read, loaded, format, sizeBytes),
    buildId: buildIdOf(await read(0, Math.min(sizeBytes, elfHeadBytes))),
  };
}

export const isElf = (head: Buffer) => head.length >= 64 && head.readUInt32BE(0) === 0x7f454c46;

/** Reads the build ID from the first `elfHeadBytes` of an ELF file. Null if it states none there. */
export function buildIdOf(head: Buffer): string | null {
  const format: Format = { is64Bit: head.readUInt8(4) === 2, isLittle: head.readUInt8(5) === 1 };
  const { is64Bit } = format;
  const { word, half } = fieldsOf(head, format);
  const [tableAt, entryBytes, count] = is64Bit
    ? [word(32), half(54), half(56)]
    : [word(28), half(42), half(44)];
  if (entryBytes !== (is64Bit ? 56 : 32)) return null;
  const left = { notes: maxNotes };
  for (let index = 0; index < Math.min(count, maxSegments); index++) {
    const at = tableAt + index * entryBytes;
    if (at + entryBytes > head.length) return null;
    const { type, offset, fileBytes } = readSegment(head.subarray(at, at + entryBytes), format);
    if (type !== noteSegment || offset + fileBytes > head.length) continue;
    const id = buildIdOfNotes(head.subarray(offset, offset + fileBytes), format, left);
    if (id !== null) return id;
  }
  return null;
}

/** A note: length of its name 4, of its content 4, type 4, both padded to 4 bytes. */
function buildIdOfNotes(notes: Buffer, format: Format, left: { notes: number }): string | null {
  const { integer } = fieldsOf(notes, format);
  for (let at = 0; at + 12 <= notes.length && left.notes-- > 0; ) {
    const [nameBytes, contentBytes, type] = [integer(at), integer(at + 4), integer(at + 8)];
    const contentAt = at + 12 + padded(nameBytes);
    const end = contentAt + contentBytes;
    if (end > notes.length) return null;
    if (type === buildIdNote && notes.toString('latin1', at + 12, at + 16) === 'GNU\0')
      return contentBytes === 0 || contentBytes > maxBuildIdBytes
        ? null
        : notes.toString('hex', contentAt, end);
    at = contentAt + padded(contentBytes);
  }
  return null;
}

const padded = (bytes: number) => Math.ceil(bytes / 4) * 4;

const damagedElf = () => new UnreadablePackage('the native library is not an ELF file, or is damaged');

interface Format {
  is64Bit: boolean;
  isLittle: boolean;
}

function fieldsOf(bytes: Buffer, { is64Bit, isLittle }: Format) {
  const integer = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const long = (at: number) => {
    const value = isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at);
    // Values above are no positions in a file.
    return Number(value);
  };
  return {
    half: (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    integer,
    word: is64Bit ? long : integer,
  };
}

async function readTable(
  read: ReadRange,
  sizeBytes: number,
  table: { at: number; entryBytes: number; ownBytes: number; count: number; maxCount: number },
): Promise<Buffer[]> {
  if (table.count === 0) return [];
  if (table.count > table.maxCount) throw new LimitExceeded('too_many');
  const length = table.count * table.entryBytes;
  // Like the linkers of the platforms, refuses entries of another size.
  if (table.entryBytes !== table.ownBytes || table.at + length > sizeBytes) throw damagedElf();
  const bytes = await read(table.at, length);
  return Array.from({ length: table.count }, (_, index) =>
    bytes.subarray(index * table.entryBytes, (index + 1) * table.entryBytes),
  );
}

/** Elf64_Phdr: type 4, flags 4, offset 8, address 8, physical 8, file size 8, memory size 8, alignment 8. Elf32_Phdr has the flags late. */
function readSegment(bytes: Buffer, format: Format): Segment {
  const { integer, word } = fieldsOf(bytes, format);
  const [offset, address, fileBytes, alignment] = format.is64Bit ? [8, 16, 32, 48] : [4, 8, 16, 28];
  return {
    type: integer(0),
    offset: word(offset as number),
    address: word(address as number),
    fileBytes: word(fileBytes as number),
    alignment: word(alignment as number),
  };
}

/** Elf64_Shdr: name 4, type 4, flags 8, address 8, offset 8, size 8, link 4. Words have 4 bytes in Elf32_Shdr. */
function readSection(bytes: Buffer, format: Format): Section {
  const { integer, word } = fieldsOf(bytes, format);
  return {
    nameAt: integer(0),
    type: integer(4),
    offset: word(format.is64Bit ? 24 : 16),
    bytes: word(format.is64Bit ? 32 : 20),
    link: integer(format.is64Bit ? 40 : 24),
  };
}

async function measureSections(
  read: ReadRange,
  sections: readonly Section[],
  namesIndex: number,
): Promise<{ symbolBytes: number; debugBytes: number }> {
  const names = sections[namesIndex];
  if (names && names.bytes > maxSectionNamesBytes) throw new LimitExceeded('too_large');
  const text = names ? await read(names.offset, names.bytes) : Buffer.alloc(0);
  let symbolBytes = 0;
  let debugBytes = 0;
  for (const section of sections) {
    if (section.type === symbolSection) symbolBytes += section.bytes + (sections[section.link]?.bytes ?? 0);
    if (/^\.z?debug_/.test(text.toString('latin1', section.nameAt, section.nameAt + 8)))
      debugBytes += section.bytes;
  }
  return { symbolBytes, debugBytes };
}

/** The dynamic section has pairs of a tag and a value; names are positions in a table, whose address another pair has. */
async function readNeeded(
  read: ReadRange,
  segments: readonly Segment[],
  format: Format,
  sizeBytes: number,
): Promise<string[]> {
  const dynamic = segments.find(({ type }) => type === dynamicSegment);
  if (!dynamic) return [];
  const pairBytes = format.is64Bit ? 16 : 8;
  const count = Math.min(Math.floor(dynamic.fileBytes / pairBytes), maxDynamicEntries);
  const bytes = await read(dynamic.offset, count * pairBytes);
  const { word } = fieldsOf(bytes, format);
  const nameAts: number[] = [];
  let address: number | null = null;
  for (let at = 0; at < bytes.length; at += pairBytes) {
    const tag = word(at);
    if (tag === 0) break;
    const value = word(at + pairBytes / 2);
    if (tag === neededTag && nameAts.length < maxNeeded) nameAts.push(value);
    if (tag === stringTableTag) address = value;
  }
  const table = segments.find(
    (one) =>
      one.type === loadedSegment &&
      address !== null &&
      address >= one.address &&
      address < one.address + one.fileBytes,
  );
  if (!table || address === null || nameAts.length === 0) return [];
  const start = table.offset + address - table.address;
  const length = Math.min(Math.max(...nameAts) + maxNameLength + 1, sizeBytes - start);
  // The names of libraries are usually the last of a table that also has the names of symbols.
  if (length < 0 || length > 64 * 1024 * 1024) throw damagedElf();
  const names = await read(start, length);
  return nameAts.map((at) => {
    const end = names.indexOf(0, at);
    return names.toString('utf8', at, Math.min(end === -1 ? at : end, at + maxNameLength));
  });
}
