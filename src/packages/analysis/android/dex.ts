/**
 * Counts what a DEX file contains, and its code by package. Source: source.android.com, "Dalvik executable format".
 * Own code, because the file is read in place within limits, without a tree of its classes.
 */
import { UnreadablePackage } from '../../package-info.ts';
import { LimitExceeded } from '../gaps.ts';

/** A file has at most 65,536 methods that it can call; the largest real ones have about 15 megabytes. */
export const maxDexBytes = 24 * 1024 * 1024;
/** Fields and methods of all classes. Several classes can refer to the same data, so that the file's size is no limit. */
export const maxMembers = 2_000_000;
/** Names of types have a few hundred characters. */
export const maxTypeNameBytes = 1_000;
/** The string in which R8 describes itself is shorter. */
export const maxMarkerBytes = 2_000;
const headerBytes = 0x70;
const classBytes = 32;
const codeHeaderBytes = 16;
const littleEndian = 0x12345678;

export interface DexFacts {
  methodReferences: number;
  fieldReferences: number;
  classes: number;
  strings: number;
  /** By package, with the names that `packageOf` returns. */
  packages: Map<string, PackageCode>;
  /** Classes whose own name has one or two letters, as an obfuscator gives them. */
  shortNames: number;
  /** The id of the mapping that R8 wrote with it; null if R8 did not make it, or wrote none. */
  mapId: string | null;
}

export interface PackageCode {
  codeBytes: number;
  classes: number;
}

/** Returns the package of a class, given its name as in the file, such as `a.b.C`. */
export type PackageOf = (className: string) => string;

/**
 * Code that several methods share counts once, for the first class that refers to it.
 * @throws UnreadablePackage if it is not a DEX file of one of the versions 035 to 040, is truncated, or exceeds a limit
 */
export function readDex(
  bytes: Buffer,
  packageOf: PackageOf,
  maxPackages = Number.POSITIVE_INFINITY,
): DexFacts {
  const version = bytes.length < headerBytes ? null : /^dex\n(0\d\d)\0$/.exec(bytes.toString('latin1', 0, 8));
  // Since 041, a file can hold several, whose tables are elsewhere.
  if (!version || Number(version[1]) > 40 || bytes.readUInt32LE(40) !== littleEndian) throw damagedDex();
  const count = (at: number, size: number) => {
    const found = bytes.readUInt32LE(at);
    if (bytes.readUInt32LE(at + 4) + found * size > bytes.length) throw damagedDex();
    return found;
  };
  const facts: DexFacts = {
    strings: count(56, 4),
    methodReferences: count(88, 8),
    fieldReferences: count(80, 8),
    classes: count(96, classBytes),
    packages: new Map(),
    shortNames: 0,
    mapId: readMapId(bytes),
  };
  const types = { count: count(64, 4), at: bytes.readUInt32LE(68) };
  const strings = { count: facts.strings, at: bytes.readUInt32LE(60) };
  const classesAt = bytes.readUInt32LE(100);
  const reader = new CodeReader(bytes);
  for (let index = 0; index < facts.classes; index++) {
    const at = classesAt + index * classBytes;
    const name = readTypeName(bytes, types, strings, bytes.readUInt32LE(at));
    if (/(?:^|\.)[a-z][a-z0-9]?$/.test(name)) facts.shortNames++;
    const packageName = packageOf(name);
    const known = facts.packages.get(packageName) ?? { codeBytes: 0, classes: 0 };
    known.classes++;
    known.codeBytes += reader.readClass(bytes.readUInt32LE(at + 24));
    facts.packages.set(packageName, known);
    if (facts.packages.size > maxPackages) throw new LimitExceeded('too_many');
  }
  return facts;
}

/** R8 adds a string that describes itself: `~~R8{"compilation-mode":"release","pg-map-id":"7fd82e2","version":"8.8.27"}`. */
function readMapId(bytes: Buffer): string | null {
  // Strings are sorted, so that the one of R8 is after those of the libraries.
  const start = bytes.lastIndexOf('~~R8{');
  if (start === -1) return null;
  const text = bytes.toString('latin1', start, start + maxMarkerBytes);
  return /^[^\0]*?"pg-map-id":"([\w.-]{1,128})"/.exec(text)?.[1]?.toLowerCase() ?? null;
}

const damagedDex = () => new UnreadablePackage('the code is not a DEX file, or is damaged');

interface Table {
  count: number;
  at: number;
}

/** A type is an index of a string, such as `La/b/C;`; a string is its length in LEB128, its bytes and a zero. */
function readTypeName(bytes: Buffer, types: Table, strings: Table, type: number): string {
  if (type >= types.count) throw damagedDex();
  const index = bytes.readUInt32LE(types.at + type * 4);
  if (index >= strings.count) throw damagedDex();
  let start = bytes.readUInt32LE(strings.at + index * 4);
  while (bytes.readUInt8(start++) >= 0x80);
  const end = bytes.subarray(start, start + maxTypeNameBytes).indexOf(0);
  if (end < 2) throw damagedDex();
  return bytes.toString('utf8', start + 1, start + end - 1).replaceAll('/', '.');
}

/** Sums the code of classes. */
class CodeReader {
  private readonly bytes: Buffer;
  /** A bit for each position, because there can be millions of methods. */
  private readonly counted: Uint8Array;
  private membersLeft = maxMembers;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.counted = new Uint8Array(Math.ceil(bytes.length / 8));
  }

  /** class_data_item: four counts, then the fields of two numbers each, then the methods of three, the last of which locates code. */
  readClass(position: number): number {
    if (position === 0) return 0;
    this.at = position;
    const fields = this.readNumber() + this.readNumber();
    const methods = this.readNumber() + this.readNumber();
    this.membersLeft -= fields + methods;
    if (this.membersLeft < 0) throw new LimitExceeded('too_many');
    for (let index = 0; index < fields; index++) {
      this.readNumber();
      this.readNumber();
    }
    let sum = 0;
    for (let index = 0; index < methods; index++) {
      this.readNumber();
      this.readNumber();
      sum += this.codeBytes(this.readNumber());
    }
    return sum;
  }

  /** code_item: registers 2, ins 2, outs 2, tries 2, debug info 4, instructions 4 in units of two bytes, then 8 for each try. */
  private codeBytes(position: number): number {
    const bits = this.counted[position >>> 3] ?? 0;
    const bit = 1 << (position & 7);
    if (position === 0 || (bits & bit) !== 0) return 0;
    this.counted[position >>> 3] = bits | bit;
    const tries = this.bytes.readUInt16LE(position + 6);
    const size = codeHeaderBytes + this.bytes.readUInt32LE(position + 12) * 2 + tries * 8;
    if (position + size > this.bytes.length) throw damagedDex();
    return size;
  }

  /** Unsigned LEB128 of at most five bytes. */
  private readNumber(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes.readUInt8(this.at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw damagedDex();
  }
}
