/** Writes string pools like aapt2: `ResStringPool_header` in Android's ResourceTypes.h, StringPool.cpp. */

/** The strings of a pool, in order. */
export interface PoolStrings {
  isUtf8: boolean;
  count: number;
  /** Size of a string in the pool, in bytes. */
  sizeOf(index: number): number;
  /** Writes the string; returns its end. */
  write(index: number, out: Buffer, at: number): number;
  /** Number of styled strings at the start of the pool. */
  styleCount: number;
  /** Words for the spans of a styled string: name, first and last unit of each. */
  spansOf(index: number): readonly number[];
}

const stringPoolType = 0x0001;
const headerBytes = 28;
const utf8Flag = 0x100;
const endOfSpans = 0xffffffff;
/** Maximum length of a string in a UTF-8 pool. aapt2 replaces longer ones with a constant. */
export const maxUtf8Length = 0x7fff;
export const tooLarge = 'STRING_TOO_LARGE';

/** A part of a file with a size that is known before it is written. */
export interface Part {
  bytes: number;
  /** Writes into zeroed bytes; returns the end. */
  write(out: Buffer, at: number): number;
}

/**
 * Header: type 2, header size 2, size 4, strings 4, styles 4, flags 4, start of strings 4, start of styles 4; then the offsets of strings
 * and of styles.
 */
export function poolPart(strings: PoolStrings): Part {
  const { count, styleCount, isUtf8, sizeOf, spansOf } = strings;
  let textBytes = 0;
  for (let index = 0; index < count; index++) textBytes += sizeOf(index);
  let spanWords = styleCount === 0 ? 0 : 2;
  for (let index = 0; index < styleCount; index++) spanWords += spansOf(index).length + 1;
  const textStart = headerBytes + 4 * (count + styleCount);
  const styleStart = textStart + textBytes + (-textBytes & 3);
  const bytes = styleStart + 4 * spanWords;
  const counts = [count, styleCount, isUtf8 ? utf8Flag : 0];
  const header = [
    stringPoolType | (headerBytes << 16),
    bytes,
    ...counts,
    textStart,
    styleCount && styleStart,
  ];
  const write = (out: Buffer, at: number) => {
    let offsetAt = writeWords(header, out, at);
    let textAt = at + textStart;
    for (let index = 0; index < count; index++) {
      offsetAt = out.writeUInt32LE(textAt - at - textStart, offsetAt);
      textAt = strings.write(index, out, textAt);
    }
    let spanAt = at + styleStart;
    for (let index = 0; index < styleCount; index++) {
      offsetAt = out.writeUInt32LE(spanAt - at - styleStart, offsetAt);
      spanAt = writeWords([...spansOf(index), endOfSpans], out, spanAt);
    }
    if (styleCount > 0) writeWords([endOfSpans, endOfSpans], out, spanAt);
    return at + bytes;
  };
  return { bytes, write };
}

/** Returns a pool with these texts. */
export function writeTexts(texts: readonly string[], encoding: 'utf-8' | 'utf-16'): Buffer {
  const encoded = texts.map(encoding === 'utf-8' ? encodeUtf8 : encodeUtf16);
  const { bytes, write } = poolPart({
    isUtf8: encoding === 'utf-8',
    count: texts.length,
    sizeOf: (index) => encoded[index]?.length ?? 0,
    write: (index, out, at) => at + (encoded[index]?.copy(out, at) ?? 0),
    styleCount: 0,
    spansOf: () => [],
  });
  const pool = Buffer.alloc(bytes);
  write(pool, 0);
  return pool;
}

/** Writes 32-bit words; returns the end. */
export function writeWords(values: readonly number[], out: Buffer, at: number): number {
  let end = at;
  for (const value of values) end = out.writeUInt32LE(value, end);
  return end;
}

export function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  writeWords(values, bytes, 0);
  return bytes;
}

/** Length in UTF-16 units and in bytes, each in one or two bytes; modified UTF-8; NUL. */
function encodeUtf8(text: string): Buffer {
  const bytes = modifiedUtf8(text);
  if (bytes.length > maxUtf8Length || text.length > maxUtf8Length) return encodeUtf8(tooLarge);
  const encoded = Buffer.alloc(utf8ItemBytes(text.length, bytes.length));
  bytes.copy(encoded, writeUtf8Lengths(text.length, bytes.length, encoded, 0));
  return encoded;
}

const lengthBytes = (length: number) => (length > 0x7f ? 2 : 1);

/** Size of a string in a UTF-8 pool, in bytes. */
export const utf8ItemBytes = (units: number, bytes: number) =>
  lengthBytes(units) + lengthBytes(bytes) + bytes + 1;

/** Writes the lengths before a string in a UTF-8 pool; returns the end. */
export const writeUtf8Lengths = (units: number, bytes: number, out: Buffer, at: number) =>
  writeLength(bytes, out, writeLength(units, out, at));

const writeLength = (length: number, out: Buffer, at: number) =>
  length > 0x7f ? out.writeUInt16BE(0x8000 | length, at) : out.writeUInt8(length, at);

/** Encodes characters above U+FFFF as two surrogates of three bytes each. */
function modifiedUtf8(text: string): Buffer {
  if (!/[\ud800-\udfff]/.test(text)) return Buffer.from(text);
  const parts: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) parts.push(unit);
    else if (unit < 0x800) parts.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else parts.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(parts);
}

/** Length in units, in one or two of them; the text; NUL. */
function encodeUtf16(text: string): Buffer {
  const { length } = text;
  const prefix = length > 0x7fff ? [0x8000 | (length >>> 16), length & 0xffff] : [length];
  const bytes = Buffer.alloc(2 * (prefix.length + length + 1));
  for (const [at, unit] of prefix.entries()) bytes.writeUInt16LE(unit, 2 * at);
  bytes.write(text, 2 * prefix.length, 'utf16le');
  return bytes;
}
