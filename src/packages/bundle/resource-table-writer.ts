/** Writes resources.arsc from `aapt.pb.ResourceTable` byte for byte like aapt2 (TableFlattener.cpp). */
import { maxResourceTableBytes } from '../apk/read-apk.ts';
import { writeChunk } from './chunk-writer.ts';
import { damagedBundle } from './protobuf.ts';
import { configDifference } from './resource-config-writer.ts';
import {
  type Overlayable,
  type Package,
  type ResourceTableMessage,
  tableTooLarge,
} from './resource-table-message.ts';
import {
  chunkBytesOf,
  type Entry,
  type EntryValue,
  type ResourceType,
  type TypeChunk,
  typeChunkBytes,
  typeSpecBytes,
  writtenBytesOf,
} from './resource-type.ts';
import { valueWords } from './resource-value-writer.ts';
import { type Part, poolPart, words, writeTexts, writeWords } from './string-pool-writer.ts';
import type { StringTable } from './string-table.ts';

const tableType = 0x0002;
const packageType = 0x0200;
const typeType = 0x0201;
const typeSpecType = 0x0202;
const libraryType = 0x0203;
const overlayableType = 0x0204;
const overlayablePolicyType = 0x0205;
const stagedAliasType = 0x0206;
const frameworkId = 0x01;
const appId = 0x7f;
const nameUnits = 128;
const tableHeaderBytes = 12;
const packageHeaderBytes = 288;

/** @throws UnreadablePackage if the table exceeds a limit */
export function writeResourceTable({
  packages,
  dynamicPackages,
  pool,
  configs,
}: ResourceTableMessage): Buffer {
  const configOrder = configs.order();
  const libraries = new Map(dynamicPackages);
  const strings = poolPart(pool.order(configOrder));
  const parts = [strings, ...byId(packages).map((one) => packagePart(one, { libraries, configOrder }))];
  const bytes = tableHeaderBytes + bytesOf(parts);
  if (bytes > maxResourceTableBytes) throw tableTooLarge();
  const table = Buffer.alloc(bytes);
  const start = writeHeader(tableType, tableHeaderBytes, bytes, table, 0);
  writeParts(parts, table, table.writeUInt32LE(packages.length, start));
  return table;
}

const byId = <One extends { id: number }>(list: readonly One[]) =>
  list.toSorted((one, other) => one.id - other.id);

const bytesOf = (parts: readonly Part[]) => parts.reduce((sum, { bytes }) => sum + bytes, 0);
const writeParts = (parts: readonly Part[], out: Buffer, at: number) =>
  parts.reduce((start, part) => part.write(out, start), at);
const bufferPart = (content: Buffer): Part => ({
  bytes: content.length,
  write: (out, at) => at + content.copy(out, at),
});

/** Type 2, header size 2, size 4. Returns the end. */
function writeHeader(type: number, headerBytes: number, bytes: number, out: Buffer, at: number): number {
  return writeWords([type | (headerBytes << 16), bytes], out, at);
}

interface PackageContext {
  /** Names of shared libraries and fused modules, in this package and the previous ones. */
  libraries: Map<number, string>;
  configOrder: Uint16Array;
}

/** Package: id 4, name 256, start of types 4, 4, start of keys 4, 4, offset of ids 4. */
function packagePart({ id, name, types, names, overlayables }: Package, context: PackageContext): Part {
  const shown = byId(types.filter(({ idCount }) => idCount > 0));
  const typePool = bufferPart(writeTexts(typeNamesOf(shown), 'utf-16'));
  names.order(orderOfUse(names.count, shown));
  if (id !== frameworkId && id !== appId) context.libraries.set(id, name);
  const tail = [
    ...writeLibraries(context.libraries),
    ...writeOverlayables(id, shown, overlayables),
    ...writeStagedAliases(id, shown),
  ];
  const parts = [
    typePool,
    poolPart(names),
    ...shown.map((type) => typePart(type, names, context)),
    ...tail.map(bufferPart),
  ];
  const bytes = packageHeaderBytes + bytesOf(parts);
  return {
    bytes,
    write: (out, at) => {
      const idAt = writeHeader(packageType, packageHeaderBytes, bytes, out, at);
      const nameAt = out.writeUInt32LE(id, idAt);
      fixedText(name, nameUnits, true).copy(out, nameAt);
      const starts = [packageHeaderBytes, 0, packageHeaderBytes + typePool.bytes, 0, 0];
      return writeParts(parts, out, writeWords(starts, out, nameAt + 2 * nameUnits));
    },
  };
}

/** Types without a name get a number as their name. */
function typeNamesOf(types: readonly ResourceType[]): string[] {
  const typeNames: string[] = [];
  let nextId = 1;
  for (const { id, name } of types) {
    for (; nextId < id; nextId++) typeNames.push(`?${nextId}`);
    nextId = id + 1;
    typeNames.push(name);
  }
  return typeNames;
}

/** Returns the names of entries in the order of their first use. */
function orderOfUse(count: number, types: readonly ResourceType[]): Uint32Array<ArrayBuffer> {
  const isUsed = new Uint8Array(count);
  const order = new Uint32Array(count);
  let used = 0;
  for (const type of types) {
    for (let id = 0; id < type.idCount; id++) {
      const name = type.nameOf(id);
      if (name === null || isUsed[name]) continue;
      isUsed[name] = 1;
      order[used++] = name;
    }
  }
  return order;
}

/** Encodes UTF-16 of a fixed length. `ends`: whether the last unit must be zero. */
function fixedText(text: string, units: number, ends: boolean): Buffer {
  const bytes = Buffer.alloc(2 * units);
  bytes.write(text.slice(0, ends ? units - 1 : units), 'utf16le');
  return bytes;
}

/** Writes the specification of a type with the masks of its entries, and then its entries for each configuration. */
function typePart(type: ResourceType, names: StringTable, { configOrder }: PackageContext): Part {
  const write = (out: Buffer, at: number) => {
    const { id, idCount } = type;
    const specBytes = typeSpecBytes + 4 * idCount;
    const idAt = writeHeader(typeSpecType, typeSpecBytes, specBytes, out, at);
    const masksAt = writeWords([id, idCount], out, idAt);
    const { open, end } = openChunks(type, configOrder, out, masksAt + 4 * idCount);
    for (const entry of type.entries()) {
      out.writeUInt32LE(maskOf(entry), masksAt + 4 * entry.id);
      const key = names.placeOf(type.nameOf(entry.id) ?? 0);
      for (const { config, value, isWeak } of entry.values) {
        const chunk = open.get(config.index);
        if (!chunk) throw damagedBundle();
        out.writeUInt32LE(chunk.at - chunk.start, chunk.offsetsAt + 4 * entry.id);
        const flags = (entry.isPublic ? 2 : 0) | (isWeak ? 4 : 0);
        chunk.at = writeEntry({ key, value, flags }, out, chunk.at);
      }
    }
    return end;
  };
  return { bytes: writtenBytesOf(type), write };
}

/** The position at which entries of a configuration are written. */
interface OpenChunk {
  offsetsAt: number;
  start: number;
  at: number;
}

/** Writes everything except the entries. */
function openChunks(type: ResourceType, configOrder: Uint16Array, out: Buffer, at: number) {
  const placeOf = ({ config }: TypeChunk) => configOrder[config.index] ?? 0;
  const open = new Map<number, OpenChunk>();
  let end = at;
  for (const chunk of [...type.chunks.values()].sort((one, other) => placeOf(one) - placeOf(other))) {
    const offsetsAt = writeTypeHeader(type, chunk, out, end);
    const start = offsetsAt + 4 * type.idCount;
    out.fill(0xff, offsetsAt, start);
    open.set(chunk.config.index, { offsetsAt, start, at: start });
    end = start + chunk.entryBytes;
  }
  return { open, end };
}

/** ResTable_type: id 1, flags 1, 2, entries 4, start of entries 4, configuration 64. Returns the end. */
function writeTypeHeader({ id, idCount }: ResourceType, chunk: TypeChunk, out: Buffer, at: number): number {
  const idAt = writeHeader(typeType, typeChunkBytes, chunkBytesOf(chunk, idCount), out, at);
  const configAt = writeWords([id, idCount, typeChunkBytes + 4 * idCount], out, idAt);
  return configAt + chunk.config.bytes.copy(out, configAt);
}

function maskOf({ isPublic, isStaged, values }: Entry): number {
  let mask = (isPublic ? 0x40000000 : 0) | (isStaged ? 0x20000000 : 0);
  const [first, ...others] = values;
  // Two configurations can only differ in a field if one of them differs from the first.
  if (first) for (const { config } of others) mask |= configDifference(first.config, config);
  return mask;
}

/** ResTable_entry: size 2, flags 2, key 4; then a value, or parent 4, count 4 and pairs of name and value. Returns the end. */
function writeEntry({ key, value, flags }: Written, out: Buffer, at: number): number {
  if (!('items' in value)) return writeWords([8 | (flags << 16), key, ...valueWords(value)], out, at);
  const { parent, items } = value;
  let end = writeWords([16 | ((flags | 1) << 16), key, parent, items.length], out, at);
  for (const [name, one] of items) end = writeWords([name, ...valueWords(one)], out, end);
  return end;
}

interface Written {
  key: number;
  value: EntryValue;
  flags: number;
}

function writeLibraries(libraries: ReadonlyMap<number, string>): Buffer[] {
  if (libraries.size === 0) return [];
  const lines = [...libraries]
    .sort(([one], [other]) => one - other)
    .map(([id, name]) => Buffer.concat([words([id]), fixedText(name, nameUnits, true)]));
  return [writeChunk(libraryType, words([libraries.size]), Buffer.concat(lines))];
}

const identifierOf = (packageId: number, typeId: number, entryId: number) =>
  ((packageId << 24) | (typeId << 16) | entryId) >>> 0;

/** Writes, by name of the overlayable and then by policies, the ids of its resources. */
function writeOverlayables(
  packageId: number,
  types: readonly ResourceType[],
  overlayables: readonly Overlayable[],
): Buffer[] {
  const found = new Map<number, Map<number, number[]>>();
  for (const type of types) {
    for (const { id, overlayable } of type.marked) {
      if (!overlayable) continue;
      const policies = found.get(overlayable.index) ?? new Map<number, number[]>();
      found.set(overlayable.index, policies);
      const identifiers = policies.get(overlayable.policies) ?? [];
      identifiers.push(identifierOf(packageId, type.id, id));
      policies.set(overlayable.policies, identifiers);
    }
  }
  const lines = [...found].map(([index, policies]) => {
    const overlayable = overlayables[index];
    if (!overlayable) throw damagedBundle();
    return { ...overlayable, policies };
  });
  lines.sort((one, other) => (one.name < other.name ? -1 : 1));
  return lines.map(({ name, actor, policies }) => {
    const parts = [...policies]
      .sort(([one], [other]) => one - other)
      .map(([flags, ids]) =>
        writeChunk(
          overlayablePolicyType,
          words([flags, ids.length]),
          words(ids.sort((one, other) => one - other)),
        ),
      );
    const header = Buffer.concat([fixedText(name, 256, false), fixedText(actor, 256, false)]);
    return writeChunk(overlayableType, header, Buffer.concat(parts));
  });
}

function writeStagedAliases(packageId: number, types: readonly ResourceType[]): Buffer[] {
  const aliases = types.flatMap((type) =>
    byId(type.marked).flatMap(({ id, stagedId }): [number, number][] =>
      stagedId === null ? [] : [[stagedId, identifierOf(packageId, type.id, id)]],
    ),
  );
  if (aliases.length === 0) return [];
  const sorted = aliases.sort(([one], [other]) => one - other).flat();
  return [writeChunk(stagedAliasType, words([aliases.length]), words(sorted))];
}
