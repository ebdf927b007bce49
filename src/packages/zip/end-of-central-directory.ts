import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { RandomAccessFile } from './zip-archive.ts';

export interface EndOfCentralDirectory {
  directoryPosition: number;
  directoryBytes: number;
  entryCount: number;
  /** Whether counts and sizes come from zip64 records, which do not wrap. */
  zip64: boolean;
  endRecordPosition: number;
  /** Position of the first of the end records: the zip64 record if there is one, otherwise the end record. */
  firstEndRecordPosition: number;
}

const endRecordBytes = 22;
const zip64LocatorSignature = 0x07064b50;
const zip64LocatorBytes = 20;
const zip64EndSignature = 0x06064b50;
const zip64EndBytes = 56;
const maxCommentBytes = 0xffff;

/**
 * Reads the end record of a zip file, with the position of the central directory. Like apksig, uses the last record with a
 * comment that ends exactly at the end of the file; Android's libziparchive also allows no bytes after the comment.
 * @throws UnreadablePackage if there is none, the archive spans several disks, or the directory is not before the record
 * @see PKWARE APPNOTE 6.3.10, 4.3.14 to 4.3.16
 */
export async function readEndOfCentralDirectory(file: RandomAccessFile): Promise<EndOfCentralDirectory> {
  const tailBytes = Math.min(file.sizeBytes, zip64LocatorBytes + endRecordBytes + maxCommentBytes);
  const tail = await file.read(file.sizeBytes - tailBytes, tailBytes);
  const start = findEndRecord(tail);
  const endRecordPosition = file.sizeBytes - tailBytes + start;

  // offset 4: this disk, 6: disk of the directory, 8: entries on this disk, 10: entries, 12: bytes, 16: position, 20: comment
  const disk = tail.readUInt16LE(start + 4);
  const directoryDisk = tail.readUInt16LE(start + 6);
  const entriesHere = tail.readUInt16LE(start + 8);
  const entryCount = tail.readUInt16LE(start + 10);
  const directoryBytes = tail.readUInt32LE(start + 12);
  const directoryPosition = tail.readUInt32LE(start + 16);
  const wantsZip64 =
    entryCount === 0xffff || directoryBytes === 0xffffffff || directoryPosition === 0xffffffff;

  const locator = wantsZip64 ? start - zip64LocatorBytes : -1;
  const end =
    locator >= 0 && tail.readUInt32LE(locator) === zip64LocatorSignature
      ? await readZip64(file, tail.subarray(locator, start), endRecordPosition)
      : {
          directoryPosition,
          directoryBytes,
          entryCount,
          zip64: false,
          endRecordPosition,
          firstEndRecordPosition: endRecordPosition,
        };
  if (!end.zip64 && (disk !== 0 || directoryDisk !== 0 || entriesHere !== entryCount)) throw multiDisk();
  if (end.directoryPosition + end.directoryBytes > end.firstEndRecordPosition) {
    throw new UnreadablePackage('the zip archive is damaged: its directory is truncated');
  }
  return end;
}

function findEndRecord(tail: Buffer): number {
  let found = false;
  for (let start = tail.length - endRecordBytes; start >= 0; start--) {
    start = tail.lastIndexOf('PK\x05\x06', start, 'latin1');
    if (start < 0) break;
    found = true;
    if (start + endRecordBytes + tail.readUInt16LE(start + 20) === tail.length) return start;
  }
  throw new UnreadablePackage(
    found ? 'the zip archive is damaged: it does not end at its end record' : say('archive-truncated'),
  );
}

/** @see APPNOTE 4.3.14 and 4.3.15 */
async function readZip64(
  file: RandomAccessFile,
  locator: Buffer,
  endRecordPosition: number,
): Promise<EndOfCentralDirectory> {
  const position = readSafeUInt64(locator, 8);
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw multiDisk();
  if (position + zip64EndBytes > endRecordPosition - zip64LocatorBytes) throw damagedZip64();
  const record = await file.read(position, zip64EndBytes);
  if (record.readUInt32LE(0) !== zip64EndSignature) throw damagedZip64();
  // offset 16: this disk, 20: disk of the directory, 24: entries on this disk, 32: entries, 40: bytes, 48: position
  const entryCount = readSafeUInt64(record, 32);
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) throw multiDisk();
  if (readSafeUInt64(record, 24) !== entryCount) throw multiDisk();
  return {
    directoryPosition: readSafeUInt64(record, 48),
    directoryBytes: readSafeUInt64(record, 40),
    entryCount,
    zip64: true,
    endRecordPosition,
    firstEndRecordPosition: position,
  };
}

/** Reads an unsigned 64-bit integer as a number. Rejects values beyond the safe range. */
export function readSafeUInt64(bytes: Buffer, offset: number): number {
  const value = bytes.readUInt32LE(offset + 4) * 0x1_0000_0000 + bytes.readUInt32LE(offset);
  if (!Number.isSafeInteger(value)) throw damagedZip64();
  return value;
}

const multiDisk = () => new UnreadablePackage(say('archive-split'));
const damagedZip64 = () => new UnreadablePackage('the zip archive is damaged: its zip64 records are invalid');
