import { damaged, type ResourceChunk } from './resource-chunk.ts';

/** Returns the text at an index; null for an unknown index or a damaged text. */
export type StringPool = (index: number) => string | null;

const poolHeaderBytes = 28;
const utf8Flag = 0x100;
/** Limits decoded texts, because texts can overlap in the pool, so a small pool could decode to much more than its size. */
export const maxDecodedBytes = 32 * 1024 * 1024;
/** A longer text counts as damaged. */
export const maxTextBytes = 1024 * 1024;

/**
 * Opens a string pool. Texts are decoded on demand.
 * @throws UnreadablePackage if the pool is too small for its stated number of texts
 * @see `ResStringPool_header` in Android's ResourceTypes.h
 */
export function openStringPool(chunk: ResourceChunk): StringPool {
  const { bytes, start, bodyStart, end } = chunk;
  if (bodyStart - start < poolHeaderBytes) throw damaged();
  // offset 8: strings, 12: styles, 16: flags, 20: start of strings, 24: start of styles
  const count = bytes.readUInt32LE(start + 8);
  const utf8 = (bytes.readUInt32LE(start + 16) & utf8Flag) !== 0;
  const stringsStart = start + bytes.readUInt32LE(start + 20);
  if (bodyStart + count * 4 > end || (count > 0 && stringsStart > end)) throw damaged();
  const known = new Map<number, string | null>();
  let budgetBytes = maxDecodedBytes;

  return (index) => {
    if (index >= count || index < 0) return null;
    const before = known.get(index);
    if (before !== undefined) return before;
    const position = stringsStart + bytes.readUInt32LE(bodyStart + index * 4);
    const text = utf8 ? decodeUtf8(bytes, position, end) : decodeUtf16(bytes, position, end);
    budgetBytes -= text === null ? 1 : text.length + 1;
    if (budgetBytes < 0) throw damaged();
    known.set(index, text);
    return text;
  };
}

/** The length in UTF-16 units (1 or 2 bytes), the length in bytes (1 or 2 bytes), the bytes, a zero byte. */
function decodeUtf8(bytes: Buffer, position: number, end: number): string | null {
  let at = position + (byte(bytes, position) & 0x80 ? 2 : 1);
  if (at + 2 > end) return null;
  const long = (byte(bytes, at) & 0x80) !== 0;
  const stated = long ? ((byte(bytes, at) & 0x7f) << 8) | byte(bytes, at + 1) : byte(bytes, at);
  at += long ? 2 : 1;
  // The length of a text over 0x7fff bytes is truncated to 15 bits, so the text continues to the first zero at a matching length.
  for (let length = stated; at + length < end && length <= maxTextBytes; length += 0x8000) {
    if (byte(bytes, at + length) === 0) return decodeModifiedUtf8(bytes.subarray(at, at + length));
  }
  return null;
}

/** The length in UTF-16 units (2 or 4 bytes), the units, a zero unit. */
function decodeUtf16(bytes: Buffer, position: number, end: number): string | null {
  if (position + 4 > end) return null;
  const first = bytes.readUInt16LE(position);
  const long = (first & 0x8000) !== 0;
  const length = long ? ((first & 0x7fff) << 16) | bytes.readUInt16LE(position + 2) : first;
  const at = position + (long ? 4 : 2);
  const textEnd = at + length * 2;
  if (length * 2 > maxTextBytes || textEnd + 2 > end || bytes.readUInt16LE(textEnd) !== 0) return null;
  return bytes.toString('utf16le', at, textEnd);
}

/** UTF-8, or the output of aapt2, which writes characters outside of the basic plane as two surrogates of three bytes each. */
function decodeModifiedUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  const units: string[] = [];
  let plainStart = 0;
  for (let at = 0; at + 2 < bytes.length; at++) {
    if (byte(bytes, at) !== 0xed || byte(bytes, at + 1) < 0xa0) continue;
    units.push(bytes.toString('utf8', plainStart, at));
    units.push(
      String.fromCharCode(0xd000 | ((byte(bytes, at + 1) & 0x3f) << 6) | (byte(bytes, at + 2) & 0x3f)),
    );
    at += 2;
    plainStart = at + 1;
  }
  units.push(bytes.toString('utf8', plainStart));
  return units.join('');
}

function byte(bytes: Buffer, at: number): number {
  return bytes[at] ?? 0;
}
