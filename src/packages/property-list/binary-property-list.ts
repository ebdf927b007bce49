/**
 * Binary property lists (`bplist00`), as CFBinaryPList.c in Apple's CoreFoundation reads them:
 *
 *     header   "bplist" + 2 bytes of version
 *     objects  a marker byte each: kind in the high half, length in the low half (15: an integer object with the length follows)
 *     offsets  position of each object, `offsetBytes` wide
 *     trailer  32 bytes: 5 unused, sort version, offsetBytes, referenceBytes, then count, root, offsets' position as uint64
 */
import {
  newDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
  type PropertyListValue,
} from './property-list-value.ts';

const headerBytes = 8;
const trailerBytes = 32;
/** 2001-01-01T00:00:00Z. Dates are in seconds since then. */
const appleEpochMilliseconds = 978_307_200_000;

interface BinaryReader {
  bytes: Buffer;
  limits: PropertyListLimits;
  objectCount: number;
  offsetsPosition: number;
  offsetBytes: number;
  referenceBytes: number;
  valueCount: number;
  expandedBytes: number;
  /** Text and data by object number, so that shared objects are decoded once. */
  scalars: Map<number, string | Buffer>;
}

/** Throws `Error` with a reason, which `parsePropertyList` converts to `UnreadablePackage`. */
export function parseBinaryPropertyList(bytes: Buffer, limits: PropertyListLimits): PropertyListValue {
  if (bytes.length < headerBytes + trailerBytes) throw new Error('it ends too early');
  const trailer = bytes.subarray(bytes.length - trailerBytes);
  const reader: BinaryReader = {
    bytes: bytes.subarray(0, bytes.length - trailerBytes),
    limits,
    offsetBytes: trailer.readUInt8(6),
    referenceBytes: trailer.readUInt8(7),
    objectCount: Number(trailer.readBigUInt64BE(8)),
    offsetsPosition: Number(trailer.readBigUInt64BE(24)),
    valueCount: 0,
    expandedBytes: 0,
    scalars: new Map(),
  };
  const root = Number(trailer.readBigUInt64BE(16));
  return readObject(reader, root, 0);
}

function readObject(reader: BinaryReader, objectNumber: number, depth: number): PropertyListValue {
  if (depth > reader.limits.maxDepth)
    throw new Error(`it is nested deeper than ${reader.limits.maxDepth} levels`);
  chargeValues(reader, 1);
  const position = positionOf(reader, objectNumber);
  const marker = readUnsigned(reader, position, 1);
  const kind = marker >> 4;
  const low = marker & 0x0f;
  if (kind === 0x0) return readSingleton(low);
  if (kind === 0x1) return readInteger(reader, position + 1, 2 ** low);
  if (kind === 0x2) return readReal(reader, position + 1, 2 ** low);
  if (kind === 0x3) return readDate(reader, position + 1, low);
  if (kind === 0x8) return { UID: readUnsigned(reader, position + 1, low + 1) };
  const { length, start } = readLength(reader, position, low);
  if (kind === 0x4 || kind === 0x5 || kind === 0x6)
    return readScalar(reader, objectNumber, kind, start, length);
  if (kind === 0xa || kind === 0xc) return readArray(reader, start, length, depth);
  if (kind === 0xd) return readDictionary(reader, start, length, depth);
  throw new Error(`object ${objectNumber} is of the unknown kind 0x${kind.toString(16)}`);
}

function positionOf(reader: BinaryReader, objectNumber: number): number {
  if (!(objectNumber < reader.objectCount)) throw new Error(`there is no object ${objectNumber}`);
  const position = readUnsigned(
    reader,
    reader.offsetsPosition + objectNumber * reader.offsetBytes,
    reader.offsetBytes,
  );
  if (position < headerBytes) throw new Error(`object ${objectNumber} is outside the list`);
  return position;
}

function readSingleton(low: number): boolean | null {
  if (low === 0x0) return null;
  if (low === 0x8) return false;
  if (low === 0x9) return true;
  throw new Error('a simple value is of an unknown kind');
}

/** 1, 2 and 4 bytes are unsigned, 8 are signed, and 16 are a signed 128-bit number. */
function readInteger(reader: BinaryReader, position: number, length: number): number | bigint {
  if (length <= 4) return readUnsigned(reader, position, length);
  if (length !== 8 && length !== 16) throw new Error(`an integer has ${length} bytes`);
  const bytes = slice(reader, position, length);
  const high = bytes.readBigInt64BE(0);
  const value = length === 8 ? high : (high << 64n) | bytes.readBigUInt64BE(8);
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

function readReal(reader: BinaryReader, position: number, length: number): number {
  if (length === 4) return slice(reader, position, 4).readFloatBE(0);
  if (length === 8) return slice(reader, position, 8).readDoubleBE(0);
  throw new Error(`a real number has ${length} bytes`);
}

function readDate(reader: BinaryReader, position: number, low: number): Date {
  if (low !== 3) throw new Error('a date does not have 8 bytes');
  const date = new Date(appleEpochMilliseconds + slice(reader, position, 8).readDoubleBE(0) * 1000);
  if (Number.isNaN(date.getTime())) throw new Error('a date is out of range');
  return date;
}

function readLength(reader: BinaryReader, position: number, low: number): { length: number; start: number } {
  if (low !== 0x0f) return { length: low, start: position + 1 };
  const marker = readUnsigned(reader, position + 1, 1);
  const lengthBytes = 2 ** (marker & 0x0f);
  if (marker >> 4 !== 0x1 || lengthBytes > 8) throw new Error('a length is not an integer');
  return { length: readUnsigned(reader, position + 2, lengthBytes), start: position + 2 + lengthBytes };
}

function readScalar(
  reader: BinaryReader,
  objectNumber: number,
  kind: number,
  start: number,
  length: number,
): string | Buffer {
  chargeBytes(reader, length);
  const known = reader.scalars.get(objectNumber);
  if (known !== undefined) return known;
  const bytes = slice(reader, start, kind === 0x6 ? length * 2 : length);
  const value =
    kind === 0x4 ? Buffer.from(bytes) : kind === 0x5 ? bytes.toString('utf8') : decodeUtf16(bytes);
  reader.scalars.set(objectNumber, value);
  return value;
}

function decodeUtf16(bigEndian: Buffer): string {
  return Buffer.from(bigEndian).swap16().toString('utf16le');
}

function readArray(reader: BinaryReader, start: number, length: number, depth: number): PropertyListValue[] {
  if (length > reader.limits.maxValues) throw new Error('an array is too long');
  const values: PropertyListValue[] = [];
  for (let index = 0; index < length; index++) {
    const reference = readUnsigned(reader, start + index * reader.referenceBytes, reader.referenceBytes);
    values.push(readObject(reader, reference, depth + 1));
  }
  return values;
}

function readDictionary(
  reader: BinaryReader,
  start: number,
  length: number,
  depth: number,
): PropertyListDictionary {
  if (length > reader.limits.maxValues) throw new Error('a dictionary is too long');
  const { referenceBytes } = reader;
  const dictionary = newDictionary();
  for (let index = 0; index < length; index++) {
    const key = readObject(
      reader,
      readUnsigned(reader, start + index * referenceBytes, referenceBytes),
      depth + 1,
    );
    if (typeof key !== 'string') throw new Error('a key is not text');
    const valueReference = readUnsigned(reader, start + (length + index) * referenceBytes, referenceBytes);
    dictionary[key] = readObject(reader, valueReference, depth + 1);
  }
  return dictionary;
}

function chargeValues(reader: BinaryReader, count: number): void {
  reader.valueCount += count;
  if (reader.valueCount > reader.limits.maxValues)
    throw new Error(`it has more than ${reader.limits.maxValues} values`);
}

function chargeBytes(reader: BinaryReader, bytes: number): void {
  reader.expandedBytes += bytes;
  const { maxExpandedBytes } = reader.limits;
  if (reader.expandedBytes > maxExpandedBytes)
    throw new Error(`it expands to more than ${maxExpandedBytes} bytes`);
}

function readUnsigned(reader: BinaryReader, position: number, length: number): number {
  if (length < 1 || length > 8) throw new Error(`a number has ${length} bytes`);
  const bytes = slice(reader, position, length);
  if (length <= 6) return bytes.readUIntBE(0, length);
  return bytes.readUIntBE(0, length - 4) * 2 ** 32 + bytes.readUInt32BE(length - 4);
}

function slice(reader: BinaryReader, position: number, length: number): Buffer {
  if (!(position >= 0 && position + length <= reader.bytes.length)) throw new Error('it ends too early');
  return reader.bytes.subarray(position, position + length);
}
