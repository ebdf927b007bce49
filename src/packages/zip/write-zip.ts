/**
 * Writes the entries of an APK. Own code, because libraries do not align the data of entries, and the signature is between the
 * entries and the directory.
 * @see PKWARE APPNOTE 6.3.10, 4.3.7, 4.3.12 and 4.3.16
 */

/** The maximum without zip64 records, which Android does not read. */
export const maxApkEntries = 65_535;
export const maxApkBytes = 0xffff_ffff;
/** 1981-01-01, 01:01:02, as in other tools with reproducible output. */
const [dosTime, dosDate] = [0x0821, 0x0221];
const utf8Flag = 0x0800;
/** apksig's extra field: the alignment, then zeros. */
const alignmentField = 0xd935;

export interface WrittenEntry {
  name: string;
  method: 'stored' | 'deflated';
  crc32: number;
  compressedBytes: number;
  uncompressedBytes: number;
  /** Alignment of the data; 1 for none. */
  alignment: number;
}

/** Returns the bytes before the data of an entry at `position`: the local header. */
export function writeLocalHeader(entry: WrittenEntry, position: number): Buffer {
  const name = Buffer.from(entry.name);
  const extra = alignmentExtra(position + 30 + name.length, entry.alignment);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, entry, name, extra);
  return Buffer.concat([header, name, extra]);
}

export function writeDirectoryEntry(entry: WrittenEntry, position: number): Buffer {
  const name = Buffer.from(entry.name);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  writeCommon(header, 6, entry, name, Buffer.alloc(0));
  header.writeUInt32LE(position, 42);
  return Buffer.concat([header, name]);
}

export function writeEndOfDirectory(entries: number, directoryBytes: number, position: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(position, 16);
  return end;
}

/** Version 2, flags 2, method 2, time 2, date 2, CRC 4, sizes 4 and 4, lengths of name and extra field 2 and 2. */
function writeCommon(header: Buffer, at: number, entry: WrittenEntry, name: Buffer, extra: Buffer): void {
  const isAscii = name.every((byte) => byte < 0x80);
  header.writeUInt16LE(20, at);
  header.writeUInt16LE(isAscii ? 0 : utf8Flag, at + 2);
  header.writeUInt16LE(entry.method === 'deflated' ? 8 : 0, at + 4);
  header.writeUInt16LE(dosTime, at + 6);
  header.writeUInt16LE(dosDate, at + 8);
  header.writeUInt32LE(entry.crc32, at + 10);
  header.writeUInt32LE(entry.compressedBytes, at + 14);
  header.writeUInt32LE(entry.uncompressedBytes, at + 18);
  header.writeUInt16LE(name.length, at + 22);
  header.writeUInt16LE(extra.length, at + 24);
}

function alignmentExtra(position: number, alignment: number): Buffer {
  if (alignment === 1) return Buffer.alloc(0);
  const head = 6;
  const padding = (alignment - ((position + head) % alignment)) % alignment;
  const extra = Buffer.alloc(head + padding);
  extra.writeUInt16LE(alignmentField, 0);
  extra.writeUInt16LE(2 + padding, 2);
  extra.writeUInt16LE(alignment, 4);
  return extra;
}
