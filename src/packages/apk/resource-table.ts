/**
 * `resources.arsc`, read like `LoadedArsc.cpp` of Android. Own code, because no library reads compact and sparse types as the
 * platform does.
 */
import { damaged, type ResourceChunk, readChunk, readChunks } from './resource-chunk.ts';
import { type ResourceConfig, readResourceConfig } from './resource-config.ts';
import { openStringPool, type StringPool } from './string-pool.ts';
import { type TypedValue, typeValue } from './typed-value.ts';

/** A value of a resource, and the devices that it applies to. */
export interface ResourceVariant {
  config: ResourceConfig;
  /** Null for resources with a bag, such as styles and arrays. */
  value: TypedValue | null;
  bag: ResourceBag | null;
}

export interface ResourceBag {
  /** Id of the parent style; 0 for none. */
  parent: number;
  items: { key: number; value: TypedValue }[];
}

export interface ResourceTable {
  readonly packages: readonly { id: number; name: string }[];
  /** Returns every value of the resource in table order; empty for an unknown id. */
  resolveAll(id: number): readonly ResourceVariant[];
  /** Returns for example `mipmap`; null if the type of the id is unknown. */
  typeName(id: number): string | null;
}

interface TypeChunk {
  chunk: ResourceChunk;
  flags: number;
  entryCount: number;
  entriesStart: number;
}

interface PackageChunk {
  id: number;
  name: string;
  typeIdOffset: number;
  typeNames: StringPool;
  /** By type id in this package. */
  types: Map<number, TypeChunk[]>;
}

const stringPoolType = 0x0001;
const packageType = 0x0200;
const typeType = 0x0201;
const packageHeaderBytes = 284;
const typeHeaderBytes = 20;
const sparseFlag = 0x01;
const offset16Flag = 0x02;
const noEntry = 0xffffffff;
const complexFlag = 0x0001;
const compactFlag = 0x0008;

/** Far more than in real tables (the platform's has about 10,000). Limits memory, because a chunk can have only 20 bytes. */
export const maxTypeChunks = 100_000;
/** More than the number of locales times that of densities. */
export const maxVariants = 2_000;
/** Items in all bags of one resource. */
export const maxBagItems = 20_000;

/**
 * Reads a resource table (resources.arsc): the chunk headers immediately, entries on demand. Supports plain, sparse, 16-bit and
 * compact entries, and type ids with an offset. Like the platform, skips unknown chunks and damaged entries.
 * @throws UnreadablePackage if a chunk is truncated or there are more than `maxTypeChunks` of them
 * @see `ResTable_header` and the following structures in Android's ResourceTypes.h; LoadedArsc.cpp
 */
export function parseResourceTable(bytes: Buffer): ResourceTable {
  const file = readChunk(bytes, 0, bytes.length, 12);
  const packages: PackageChunk[] = [];
  let strings: StringPool | null = null;
  let typeChunksLeft = maxTypeChunks;
  for (const chunk of readChunks(bytes, file.bodyStart, file.end)) {
    if (chunk.type === stringPoolType) strings ??= openStringPool(chunk);
    if (chunk.type !== packageType) continue;
    const opened = openPackage(chunk, typeChunksLeft);
    typeChunksLeft -= opened.typeChunks;
    packages.push(opened.package);
  }
  const known = new Map<number, readonly ResourceVariant[]>();
  const pool = strings ?? (() => null);

  return {
    packages: packages.map(({ id, name }) => ({ id, name })),
    resolveAll(id) {
      const before = known.get(id);
      if (before) return before;
      const variants = findVariants(packages, id, pool);
      known.set(id, variants);
      return variants;
    },
    typeName(id) {
      const found = packagesOf(packages, id)[0];
      return found ? found.typeNames(typeIdIn(found, id) - 1) : null;
    },
  };
}

/** ResTable_package: id 4, name 256, type names 4, last public type 4, key names 4, last public key 4, type id offset 4. */
function openPackage(chunk: ResourceChunk, maxChunks: number): { package: PackageChunk; typeChunks: number } {
  const { bytes, start, bodyStart, end } = chunk;
  if (bodyStart - start < packageHeaderBytes) throw damaged();
  const typeNamesStart = start + bytes.readUInt32LE(start + 268);
  const types = new Map<number, TypeChunk[]>();
  let typeNames: StringPool = () => null;
  let typeChunks = 0;
  for (const inner of readChunks(bytes, bodyStart, end)) {
    if (inner.type === stringPoolType && inner.start === typeNamesStart) typeNames = openStringPool(inner);
    if (inner.type !== typeType) continue;
    if (++typeChunks > maxChunks) throw damaged();
    const opened = openType(inner);
    const before = types.get(opened.id);
    if (before) before.push(opened.type);
    else types.set(opened.id, [opened.type]);
  }
  const id = bytes.readUInt32LE(start + 8);
  const typeIdOffset = bodyStart - start >= packageHeaderBytes + 4 ? bytes.readUInt32LE(start + 284) : 0;
  return {
    package: { id, name: packageName(bytes, start + 12), typeIdOffset, typeNames, types },
    typeChunks,
  };
}

function packageName(bytes: Buffer, start: number): string {
  return bytes.toString('utf16le', start, start + 256).split('\0', 1)[0] ?? '';
}

/** ResTable_type: id 1, flags 1, zero 2, entries 4, start of entries 4, configuration. */
function openType(chunk: ResourceChunk): { id: number; type: TypeChunk } {
  const { bytes, start, bodyStart, end } = chunk;
  if (bodyStart - start < typeHeaderBytes) throw damaged();
  const flags = bytes.readUInt8(start + 9);
  const entryCount = bytes.readUInt32LE(start + 12);
  const entriesStart = start + bytes.readUInt32LE(start + 16);
  const offsetBytes = flags & offset16Flag ? 2 : 4;
  if (bodyStart + entryCount * offsetBytes > end || entriesStart > end) throw damaged();
  return { id: bytes.readUInt8(start + 8), type: { chunk, flags, entryCount, entriesStart } };
}

/** A package with id 0 is a shared library's own table. */
function packagesOf(packages: readonly PackageChunk[], id: number): PackageChunk[] {
  return packages.filter((candidate) => candidate.id === id >>> 24);
}

function typeIdIn(found: PackageChunk, id: number): number {
  return ((id >>> 16) & 0xff) - found.typeIdOffset;
}

function findVariants(packages: readonly PackageChunk[], id: number, strings: StringPool): ResourceVariant[] {
  const variants: ResourceVariant[] = [];
  let bagItemsLeft = maxBagItems;
  for (const found of packagesOf(packages, id)) {
    for (const type of found.types.get(typeIdIn(found, id)) ?? []) {
      const entry = findEntry(type, id & 0xffff);
      const variant = entry === null ? null : readVariant(type, entry, strings, bagItemsLeft);
      if (variants.length === maxVariants) return variants;
      if (variant) variants.push(variant);
      bagItemsLeft -= variant?.bag?.items.length ?? 0;
    }
  }
  return variants;
}

/** Returns the position of the entry; null if the type chunk does not contain it. */
function findEntry(type: TypeChunk, index: number): number | null {
  const { bytes, bodyStart, end } = type.chunk;
  let offset: number;
  if (type.flags & sparseFlag) offset = findSparse(type, index);
  else if (index >= type.entryCount) return null;
  else if (type.flags & offset16Flag) {
    const narrow = bytes.readUInt16LE(bodyStart + index * 2);
    offset = narrow === 0xffff ? noEntry : narrow * 4;
  } else offset = bytes.readUInt32LE(bodyStart + index * 4);
  const position = type.entriesStart + offset;
  return offset === noEntry || position + 8 > end ? null : position;
}

/** Pairs of index (2 bytes) and offset divided by four (2 bytes), ordered by index. */
function findSparse(type: TypeChunk, index: number): number {
  const { bytes, bodyStart } = type.chunk;
  let low = 0;
  let high = type.entryCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bytes.readUInt16LE(bodyStart + middle * 4) < index) low = middle + 1;
    else high = middle;
  }
  if (low === type.entryCount || bytes.readUInt16LE(bodyStart + low * 4) !== index) return noEntry;
  return bytes.readUInt16LE(bodyStart + low * 4 + 2) * 4;
}

/**
 * ResTable_entry: size 2, flags 2, key 4, then a Res_value or, if complex, parent 4, count 4 and that many of key 4 and
 * Res_value. A compact one: key 2, flags 2 with the value's type in the upper byte, data 4.
 */
function readVariant(
  type: TypeChunk,
  at: number,
  strings: StringPool,
  maxItems: number,
): ResourceVariant | null {
  const { bytes, start, bodyStart, end } = type.chunk;
  const flags = bytes.readUInt16LE(at + 2);
  const config = readResourceConfig(bytes.subarray(start + typeHeaderBytes, bodyStart));
  if (flags & compactFlag) {
    return { config, value: typeValue(flags >> 8, bytes.readUInt32LE(at + 4), strings), bag: null };
  }
  const body = at + bytes.readUInt16LE(at);
  if (flags & complexFlag) return { config, value: null, bag: readBag(type, at, body, strings, maxItems) };
  if (body + 8 > end) return null;
  return { config, value: readValue(bytes, body, strings), bag: null };
}

function readBag(
  type: TypeChunk,
  at: number,
  body: number,
  strings: StringPool,
  maxItems: number,
): ResourceBag {
  const { bytes, end } = type.chunk;
  if (at + 16 > end) return { parent: 0, items: [] };
  const count = Math.min(bytes.readUInt32LE(at + 12), maxItems);
  const items: ResourceBag['items'] = [];
  for (let item = body; items.length < count && item + 12 <= end; item += 12) {
    items.push({ key: bytes.readUInt32LE(item), value: readValue(bytes, item + 4, strings) });
  }
  return { parent: bytes.readUInt32LE(at + 8), items };
}

/** Res_value: size 2, zero 1, type 1, data 4. */
function readValue(bytes: Buffer, at: number, strings: StringPool): TypedValue {
  return typeValue(bytes.readUInt8(at + 3), bytes.readUInt32LE(at + 4), strings);
}
