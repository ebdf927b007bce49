import { isUtf8 } from 'node:buffer';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { readSafeUInt64 } from './end-of-central-directory.ts';
import type { ZipEntry } from './zip-archive.ts';

/** A zip entry with the bytes of its name and the start of the next record in the file. */
export interface DirectoryEntry extends ZipEntry {
  readonly nameBytes: Buffer;
  /** Position of the next local header, or of the central directory. The entry's data must end at or before it. */
  endsBefore: number;
}

const headerSignature = 0x02014b50;
const headerBytes = 46;
const localHeaderBytes = 30;
const zip64ExtraId = 0x0001;
/** The maximum path length on the target systems. */
export const maxNameBytes = 4096;

/**
 * Reads every header of a central directory. Decodes names as UTF-8 regardless of flag bit 11, as written by Android and macOS,
 * otherwise as Latin-1. Names are never used as paths, so `../` is safe and allowed, as in Android.
 * @param bytes exactly the directory
 * @param position where the directory starts in the file
 * @throws UnreadablePackage for a truncated header, another disk, data outside of the archive, or overlapping or too many entries
 * @see PKWARE APPNOTE 6.3.10, 4.3.12
 */
export function readCentralDirectory(bytes: Buffer, position: number, maxEntries: number): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  let offset = 0;
  while (offset + headerBytes <= bytes.length && bytes.readUInt32LE(offset) === headerSignature) {
    if (entries.length === maxEntries) {
      throw new UnreadablePackage(say('archive-too-many-entries', { count: maxEntries }));
    }
    const next = offset + headerBytes + variableBytes(bytes, offset);
    if (next > bytes.length) throw damaged('its directory is truncated');
    entries.push(readHeader(bytes, offset, position));
    offset = next;
  }
  boundEntries(entries, position);
  return entries;
}

/** Returns the size of name, extra fields and comment. */
function variableBytes(bytes: Buffer, offset: number): number {
  return bytes.readUInt16LE(offset + 28) + bytes.readUInt16LE(offset + 30) + bytes.readUInt16LE(offset + 32);
}

function readHeader(bytes: Buffer, offset: number, directoryPosition: number): DirectoryEntry {
  // offset 8: flags, 10: method, 16: crc, 20: compressed, 24: uncompressed, 28: name, 30: extra, 32: comment, 34: disk,
  // 38: external attributes, whose upper half is the mode on Unix (Info-ZIP), 42: local
  const nameEnd = offset + headerBytes + bytes.readUInt16LE(offset + 28);
  const nameBytes = bytes.subarray(offset + headerBytes, nameEnd);
  let compressedBytes = bytes.readUInt32LE(offset + 20);
  let uncompressedBytes = bytes.readUInt32LE(offset + 24);
  let localHeaderPosition = bytes.readUInt32LE(offset + 42);
  const disk = bytes.readUInt16LE(offset + 34);
  if (nameBytes.length > maxNameBytes) throw new UnreadablePackage(say('archive-name-too-long'));
  if (
    uncompressedBytes === 0xffffffff ||
    compressedBytes === 0xffffffff ||
    localHeaderPosition === 0xffffffff
  ) {
    const wide = readZip64Extra(bytes.subarray(nameEnd, nameEnd + bytes.readUInt16LE(offset + 30)));
    if (uncompressedBytes === 0xffffffff) uncompressedBytes = wide();
    if (compressedBytes === 0xffffffff) compressedBytes = wide();
    if (localHeaderPosition === 0xffffffff) localHeaderPosition = wide();
  }
  if (disk !== 0 && disk !== 0xffff) throw damaged('an entry is on another disk');
  if (localHeaderPosition + localHeaderBytes + nameBytes.length + compressedBytes > directoryPosition) {
    throw damaged('an entry is out of bounds');
  }
  return {
    name: decodeName(nameBytes),
    hasValidName: isValidName(nameBytes),
    nameBytes,
    method: bytes.readUInt16LE(offset + 10),
    compressedBytes,
    uncompressedBytes,
    crc32: bytes.readUInt32LE(offset + 16),
    flags: bytes.readUInt16LE(offset + 8),
    localHeaderPosition,
    unixMode: bytes.readUInt16LE(offset + 40),
    endsBefore: directoryPosition,
  };
}

/** Returns the 64-bit values of the zip64 extra field in order: APPNOTE 4.5.3. */
function readZip64Extra(extra: Buffer): () => number {
  for (let offset = 0; offset + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(offset + 2);
    if (extra.readUInt16LE(offset) === zip64ExtraId && offset + 4 + size <= extra.length) {
      let at = offset + 4;
      const end = at + size;
      return () => {
        if (at + 8 > end) throw damaged('a zip64 field is truncated');
        at += 8;
        return readSafeUInt64(extra, at - 8);
      };
    }
    offset += 4 + size;
  }
  // If the field is absent, the values are literal: just under 4 GiB.
  return () => 0xffffffff;
}

/** `IsValidEntryName` of Android's libziparchive, which also accepts halves of surrogate pairs. */
function isValidName(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0 || (byte >= 0x80 && byte < 0xc0) || byte >= 0xfe) return false;
    // Each bit below the first is a further byte.
    for (let bits = byte << 1; byte >= 0xc0 && (bits & 0x80) !== 0; bits <<= 1)
      if (((bytes[++at] ?? 0) & 0xc0) !== 0x80) return false;
  }
  return true;
}

function decodeName(bytes: Buffer): string {
  const name = bytes.toString('utf8');
  return name.includes('\ufffd') && !isUtf8(bytes) ? bytes.toString('latin1') : name;
}

/** Sets the end of each entry, and rejects overlapping entries, which David Fifield's zip bombs use. */
function boundEntries(entries: DirectoryEntry[], directoryPosition: number): void {
  const inFileOrder = isAscending(entries)
    ? entries
    : entries.toSorted((a, b) => a.localHeaderPosition - b.localHeaderPosition);
  for (const [index, entry] of inFileOrder.entries()) {
    const end = entry.localHeaderPosition + localHeaderBytes + entry.nameBytes.length + entry.compressedBytes;
    entry.endsBefore = inFileOrder[index + 1]?.localHeaderPosition ?? directoryPosition;
    if (end > entry.endsBefore) throw damaged('its entries overlap');
  }
}

function isAscending(entries: DirectoryEntry[]): boolean {
  let last = -1;
  for (const entry of entries) {
    if (entry.localHeaderPosition < last) return false;
    last = entry.localHeaderPosition;
  }
  return true;
}

const damaged = (what: string) => new UnreadablePackage(say('archive-damaged', { what }));
