/** Builds zip archives, valid by default. Each option makes one detail invalid or unusual. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntrySpec {
  name: string | Buffer;
  content?: Buffer | string;
  /** 0 stored (the default), 8 deflated; any other number is written over stored bytes. */
  method?: number;
  /** Replaces the packed content. */
  packed?: Buffer;
  /** General purpose flags of both headers; 0x0800 (UTF-8) by default. */
  flags?: number;
  /** Puts sizes and CRC into a data descriptor after the data, with zeros in the local header. */
  dataDescriptor?: boolean;
  /** 64-bit sizes in both headers. */
  zip64?: boolean;
  /** False values for the central directory. */
  crc32?: number;
  uncompressedBytes?: number;
  compressedBytes?: number;
  localHeaderPosition?: number;
  disk?: number;
  /** File type and permissions, for example 0o120777 for a symbolic link. */
  unixMode?: number;
  extra?: Buffer;
  comment?: Buffer;
  /** Values in the local header that differ from the directory. */
  local?: {
    name?: string;
    method?: number;
    flags?: number;
    crc32?: number;
    compressedBytes?: number;
    uncompressedBytes?: number;
    extra?: Buffer;
    signature?: number;
  };
}

export interface ZipOptions {
  comment?: Buffer;
  /** Bytes before the archive; positions include them. */
  prefix?: Buffer;
  /** Bytes between the last entry and the central directory, such as an APK Signing Block. */
  beforeDirectory?: Buffer;
  betweenDirectoryAndEnd?: Buffer;
  suffix?: Buffer;
  zip64?: boolean;
  /** False values for the end record. */
  entryCount?: number;
  directoryBytes?: number;
  directoryPosition?: number;
  disk?: number;
}

interface Packed {
  name: Buffer;
  data: Buffer;
  method: number;
  flags: number;
  crc32: number;
  compressedBytes: number;
  uncompressedBytes: number;
}

export function buildZip(specs: readonly ZipEntrySpec[], options: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [options.prefix ?? Buffer.alloc(0)];
  const headers: Buffer[] = [];
  let position = options.prefix?.length ?? 0;
  for (const spec of specs) {
    const packed = pack(spec);
    const local = buildLocal(spec, packed);
    headers.push(buildDirectoryHeader(spec, packed, spec.localHeaderPosition ?? position));
    parts.push(...local);
    for (const part of local) position += part.length;
  }
  const directory = Buffer.concat(headers);
  const beforeDirectory = options.beforeDirectory ?? Buffer.alloc(0);
  const between = options.betweenDirectoryAndEnd ?? Buffer.alloc(0);
  const directoryPosition = position + beforeDirectory.length;
  const end = buildEnd(specs.length, directoryPosition, directory.length, between.length, options);
  return Buffer.concat([
    ...parts,
    beforeDirectory,
    directory,
    between,
    end,
    options.suffix ?? Buffer.alloc(0),
  ]);
}

function pack(spec: ZipEntrySpec): Packed {
  const content = Buffer.from(spec.content ?? '');
  const method = spec.method ?? 0;
  const data = spec.packed ?? (method === 8 ? deflateRawSync(content) : content);
  return {
    name: Buffer.from(spec.name),
    data,
    method,
    flags: (spec.flags ?? 0x0800) | (spec.dataDescriptor ? 0x0008 : 0),
    crc32: spec.crc32 ?? crc32(content),
    compressedBytes: spec.compressedBytes ?? data.length,
    uncompressedBytes: spec.uncompressedBytes ?? content.length,
  };
}

function buildLocal(spec: ZipEntrySpec, packed: Packed): Buffer[] {
  const local = spec.local ?? {};
  const name = local.name === undefined ? packed.name : Buffer.from(local.name);
  const later = spec.dataDescriptor === true;
  const compressed = local.compressedBytes ?? (later ? 0 : packed.compressedBytes);
  const uncompressed = local.uncompressedBytes ?? (later ? 0 : packed.uncompressedBytes);
  const extra = Buffer.concat([
    spec.zip64 ? zip64Extra([uncompressed, compressed]) : Buffer.alloc(0),
    local.extra ?? Buffer.alloc(0),
  ]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(local.signature ?? 0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(local.flags ?? packed.flags, 6);
  header.writeUInt16LE(local.method ?? packed.method, 8);
  header.writeUInt32LE(0x58210000, 10);
  header.writeUInt32LE(local.crc32 ?? (later ? 0 : packed.crc32), 14);
  header.writeUInt32LE(spec.zip64 ? 0xffffffff : compressed, 18);
  header.writeUInt32LE(spec.zip64 ? 0xffffffff : uncompressed, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return [header, name, extra, packed.data, later ? buildDataDescriptor(packed) : Buffer.alloc(0)];
}

function buildDataDescriptor(packed: Packed): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(packed.crc32, 4);
  descriptor.writeUInt32LE(packed.compressedBytes, 8);
  descriptor.writeUInt32LE(packed.uncompressedBytes, 12);
  return descriptor;
}

function buildDirectoryHeader(spec: ZipEntrySpec, packed: Packed, localHeaderPosition: number): Buffer {
  const wide = spec.zip64 === true;
  const extra = Buffer.concat([
    wide
      ? zip64Extra([packed.uncompressedBytes, packed.compressedBytes, localHeaderPosition])
      : Buffer.alloc(0),
    spec.extra ?? Buffer.alloc(0),
  ]);
  const comment = spec.comment ?? Buffer.alloc(0);
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(packed.flags, 8);
  header.writeUInt16LE(packed.method, 10);
  header.writeUInt32LE(0x58210000, 12);
  header.writeUInt32LE(packed.crc32, 16);
  header.writeUInt32LE(wide ? 0xffffffff : packed.compressedBytes, 20);
  header.writeUInt32LE(wide ? 0xffffffff : packed.uncompressedBytes, 24);
  header.writeUInt16LE(packed.name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt16LE(comment.length, 32);
  header.writeUInt16LE(spec.disk ?? 0, 34);
  header.writeUInt16LE(spec.unixMode ?? 0, 40);
  header.writeUInt32LE(wide ? 0xffffffff : localHeaderPosition, 42);
  return Buffer.concat([header, packed.name, extra, comment]);
}

function zip64Extra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return extra;
}

function buildEnd(
  entries: number,
  position: number,
  bytes: number,
  gapBytes: number,
  options: ZipOptions,
): Buffer {
  const comment = options.comment ?? Buffer.alloc(0);
  const count = options.entryCount ?? entries;
  const directoryBytes = options.directoryBytes ?? bytes;
  const directoryPosition = options.directoryPosition ?? position;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(options.disk ?? 0, 4);
  end.writeUInt16LE(options.disk ?? 0, 6);
  end.writeUInt16LE(options.zip64 ? 0xffff : count & 0xffff, 8);
  end.writeUInt16LE(options.zip64 ? 0xffff : count & 0xffff, 10);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : directoryBytes, 12);
  end.writeUInt32LE(options.zip64 ? 0xffffffff : directoryPosition, 16);
  end.writeUInt16LE(comment.length, 20);
  if (!options.zip64) return Buffer.concat([end, comment]);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(directoryBytes), 40);
  record.writeBigUInt64LE(BigInt(directoryPosition), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(position + bytes + gapBytes), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, end, comment]);
}
