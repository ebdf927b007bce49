/** Writes resources.arsc from `aapt.pb.ResourceTable` byte for byte like aapt2 (TableFlattener.cpp). */
import { writeChunk } from './chunk-writer.ts';
import { damagedBundle } from './protobuf.ts';
import { type ConfigBytes, configDifference } from './resource-config-writer.ts';
import type {
  Entry,
  EntryValue,
  Overlayable,
  Package,
  ResourceTableMessage,
  Type,
} from './resource-table-message.ts';
import { writeValue } from './resource-value-writer.ts';
import { createStringPool, type PoolString, type StringPoolWriter, words } from './string-pool-writer.ts';

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
const packageHeaderBytes = 288;
/** Offsets that all types of a table have together; limits what entry ids without entries cost. */
export const maxOffsets = 20_000_000;

/** @throws UnreadablePackage when the table exceeds a limit */
export function writeResourceTable({ packages, dynamicPackages, pool }: ResourceTableMessage): Buffer {
  pool.sort();
  const strings = pool.write('utf-8');
  const context = { libraries: new Map(dynamicPackages), budget: { offsets: maxOffsets } };
  const bodies = byId(packages).map((one) => writePackage(one, context));
  return writeChunk(tableType, words([packages.length]), Buffer.concat([strings, ...bodies]));
}

const byId = <One extends { id: number }>(list: readonly One[]) =>
  list.toSorted((one, other) => one.id - other.id);

interface PackageContext {
  /** Names of shared libraries and fused modules, of this package and those before it. */
  libraries: Map<number, string>;
  budget: { offsets: number };
}

/** Package: id 4, name 256, start of types 4, 4, start of keys 4, 4, offset of ids 4. */
function writePackage({ id, name, types, overlayables }: Package, context: PackageContext): Buffer {
  const keys = createStringPool();
  const shown = byId(types)
    .filter((type) => type.entries.length > 0)
    .map((type) => ({ ...type, entries: byId(type.entries) }));
  const typeNames = createStringPool();
  const bodies: Buffer[] = [];
  let nextId = 1;
  for (const type of shown) {
    for (; nextId < type.id; nextId++) typeNames.place(named(`?${nextId}`));
    nextId = type.id + 1;
    typeNames.place(named(type.name));
    bodies.push(writeType(type, keys, context.budget));
  }
  const typePool = typeNames.write('utf-16');
  const keyPool = keys.write('utf-8');
  const starts = words([packageHeaderBytes, 0, packageHeaderBytes + typePool.length, 0, 0]);
  const header = Buffer.concat([words([id]), fixedText(name, nameUnits, true), starts]);
  if (id !== frameworkId && id !== appId) context.libraries.set(id, name);
  const tail = [...writeLibraries(context.libraries), ...writeOverlayables(id, shown, overlayables)];
  const aliases = writeStagedAliases(id, shown);
  return writeChunk(packageType, header, Buffer.concat([typePool, keyPool, ...bodies, ...tail, ...aliases]));
}

const named = (text: string): PoolString => ({ text, priority: 0, configKey: '', index: -1 });

/** UTF-16 of a fixed length; `ends`: the last unit is zero. */
function fixedText(text: string, units: number, ends: boolean): Buffer {
  const bytes = Buffer.alloc(2 * units);
  bytes.write(text.slice(0, ends ? units - 1 : units), 'utf16le');
  return bytes;
}

/** The specification of a type, then its entries for each configuration. */
function writeType(type: Type, keys: StringPoolWriter, budget: { offsets: number }): Buffer {
  const count = (type.entries.at(-1)?.id ?? -1) + 1;
  const masks = Buffer.alloc(4 * count);
  const byConfig = new Map<string, { config: ConfigBytes; entries: Written[] }>();
  for (const entry of type.entries) {
    const key = keys.add(entry.name);
    masks.writeUInt32LE(maskOf(entry, masks.readUInt32LE(4 * entry.id)), 4 * entry.id);
    for (const { config, value, isWeak } of entry.values) {
      let same = byConfig.get(config.key);
      if (!same) {
        same = { config, entries: [] };
        byConfig.set(config.key, same);
      }
      same.entries.push({ id: entry.id, key, value, flags: (entry.isPublic ? 2 : 0) | (isWeak ? 4 : 0) });
    }
  }
  budget.offsets -= count * (byConfig.size + 1);
  if (budget.offsets < 0) throw damagedBundle();
  keys.index();
  const spec = writeChunk(
    typeSpecType,
    Buffer.concat([Buffer.from([type.id, 0, 0, 0]), words([count])]),
    masks,
  );
  const chunks = [...byConfig.entries()]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { config, entries }]) => writeEntries(type.id, count, config, entries));
  return Buffer.concat([spec, ...chunks]);
}

interface Written {
  id: number;
  key: PoolString;
  value: EntryValue;
  flags: number;
}

function maskOf({ isPublic, isStaged, values }: Entry, before: number): number {
  let mask = before | (isPublic ? 0x40000000 : 0) | (isStaged ? 0x20000000 : 0);
  const [first, ...others] = values;
  // Two configurations differ in a field only if one of them differs from the first.
  if (first) for (const { config } of others) mask |= configDifference(first.config, config);
  return mask >>> 0;
}

/** ResTable_type: id 1, flags 1, 2, entries 4, start of entries 4, configuration 64; offsets; entries. */
function writeEntries(
  typeId: number,
  count: number,
  config: ConfigBytes,
  entries: readonly Written[],
): Buffer {
  const offsets = Buffer.alloc(4 * count, 0xff);
  const parts: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    offsets.writeUInt32LE(offset, 4 * entry.id);
    const bytes = writeEntry(entry);
    parts.push(bytes);
    offset += bytes.length;
  }
  const start = 8 + 12 + config.bytes.length + offsets.length;
  const header = Buffer.concat([Buffer.from([typeId, 0, 0, 0]), words([count, start]), config.bytes]);
  return writeChunk(typeType, header, Buffer.concat([offsets, ...parts]));
}

/** ResTable_entry: size 2, flags 2, key 4; then a value, or parent 4, count 4 and pairs of name and value. */
function writeEntry({ key, value, flags }: Written): Buffer {
  const isMap = 'items' in value;
  const head = Buffer.alloc(8);
  head.writeUInt16LE(isMap ? 16 : 8, 0);
  head.writeUInt16LE(flags | (isMap ? 1 : 0), 2);
  head.writeUInt32LE(key.index, 4);
  if (!isMap) return Buffer.concat([head, writeValue(value)]);
  const { parent, items } = value;
  const pairs = items.flatMap(([name, one]) => [words([name]), writeValue(one)]);
  return Buffer.concat([head, words([parent, items.length]), ...pairs]);
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

/** By the name of the overlayable, then by policies: the ids of its resources. */
function writeOverlayables(
  packageId: number,
  types: readonly Type[],
  overlayables: readonly Overlayable[],
): Buffer[] {
  const found = new Map<number, Map<number, number[]>>();
  for (const type of types) {
    for (const { id, overlayable } of type.entries) {
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

function writeStagedAliases(packageId: number, types: readonly Type[]): Buffer[] {
  const aliases = types.flatMap((type) =>
    type.entries.flatMap(({ id, stagedId }): [number, number][] =>
      stagedId === null ? [] : [[stagedId, identifierOf(packageId, type.id, id)]],
    ),
  );
  if (aliases.length === 0) return [];
  const sorted = aliases.sort(([one], [other]) => one - other).flat();
  return [writeChunk(stagedAliasType, words([aliases.length]), words(sorted))];
}
