/** Reads `aapt.pb.Entry`: a resource, with a value for each configuration. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { bitsOf, damagedBundle, messageType, type ProtobufMessage } from './protobuf.ts';
import { type Entry, type EntryValue, maxEntryId } from './resource-type.ts';
import {
  fileType,
  integerType,
  itemType,
  type ResourceValue,
  readValue,
  referenceType,
} from './resource-value-writer.ts';
import type { TableConfig, TableConfigs } from './table-configs.ts';
import type { ValuePool } from './value-pool.ts';

/** Field 8 repeats values of feature flags that are off, which are not included in an APK. */
export const entryType = messageType('Entry', [1, 2, 3, 4, 5, 7], [6, 8]);
const idType = messageType('EntryId', [1]);
const visibilityType = messageType('Visibility', [1, 2, 3, 4]);
const overlayableItemType = messageType('OverlayableItem', [1, 2, 4], [3]);
const stagedIdType = messageType('StagedId', [1, 2]);
const configValueType = messageType('ConfigValue', [1, 2]);
const valueType = messageType('Value', [1, 2, 3, 4, 5]);
const compoundType = messageType('CompoundValue', [1, 2, 3, 4, 5, 6]);
const attributeType = messageType('Attribute', [1, 2, 3], [4]);
const symbolType = messageType('Symbol', [1, 2, 3, 4, 5]);
const styleType = messageType('Style', [1, 2], [3]);
const styleEntryType = messageType('Style.Entry', [1, 2, 3, 4]);
const arrayType = messageType('Array', [], [1]);
const elementType = messageType('Array.Element', [1, 2, 3]);
const pluralType = messageType('Plural', [], [1]);
const pluralEntryType = messageType('Plural.Entry', [1, 2, 3, 4]);

/** In one style, array or attribute; real ones have some thousand. */
export const maxItems = 250_000;

/** The parts of a table to which its values refer. */
export interface TableValues {
  pool: ValuePool;
  configs: TableConfigs;
  files: TableFiles;
  selects: SelectConfigs | null;
}

/** Returns those of an entry's configurations that a device needs. */
export type SelectConfigs = (configs: readonly TableConfig[]) => ReadonlySet<TableConfig>;
/** By the type of the entry; null for all. */
export type SelectsFor = (typeName: string) => SelectConfigs | null;

export interface TableFiles {
  exists(path: string): boolean;
  /** Paths of all values that are files. */
  paths: Set<string>;
  /** Paths of XML files that are also messages. */
  xmlPaths: Set<string>;
}

/** Returns the number in a message that is an identifier. */
export function idOf(message: ProtobufMessage | null, max: number): number {
  const id = message?.number(1) ?? 0;
  if (id > max) throw damagedBundle();
  return id;
}

/**
 * Adds the texts to the pool, and collects the files.
 * @throws UnreadablePackage if the entry is damaged, or a file does not exist
 */
export function readEntry(message: ProtobufMessage, table: TableValues): Entry {
  const visibility = message.message(3, visibilityType);
  const overlayable = message.message(5, overlayableItemType);
  return {
    id: idOf(message.message(1, idType), maxEntryId),
    name: message.part(2),
    isPublic: visibility?.number(1) === 2,
    isStaged: visibility?.number(4) === 1,
    stagedId: message.message(7, stagedIdType)?.number(2) ?? null,
    overlayable: overlayable && {
      index: overlayable.number(4),
      policies: policiesOf(overlayable.numbers(3)),
    },
    values: readValues(message, table),
  };
}

function readValues(message: ProtobufMessage, table: TableValues): Entry['values'] {
  const { configs, selects } = table;
  const configOf = (one: ProtobufMessage) => configs.read(one.part(1));
  const selected = selects?.(Array.from(message.messages(6, configValueType), configOf));
  const values: Entry['values'] = [];
  for (const one of message.messages(6, configValueType)) {
    const config = configOf(one);
    if (selected && !selected.has(config)) continue;
    const value = one.message(2, valueType);
    if (!value) throw damagedBundle();
    values.push({ config, value: readEntryValue(value, table, config.index), isWeak: value.number(3) === 1 });
  }
  return values;
}

/** Converts policies 1 to 9 to flags; 0 means none. */
function policiesOf(policies: Iterable<number>): number {
  let flags = 0;
  for (const policy of policies) {
    if (policy > 9) throw damagedBundle();
    if (policy > 0) flags |= 1 << (policy - 1);
  }
  return flags;
}

/** The field in `Item`, and the type of files that are messages. */
const [fileField, protoXml] = [5, 3];
const valueFields = { item: 4, compound: 5 } as const;
const valueBits = bitsOf(Object.values(valueFields));
const compound = { attribute: 1, style: 2, styleable: 3, array: 4, plural: 5, macro: 6 } as const;
const compoundBits = bitsOf(Object.values(compound));

function readEntryValue(message: ProtobufMessage, table: TableValues, config: number): EntryValue {
  if (message.which(valueBits) === valueFields.item) {
    const item = message.read(message.part(valueFields.item), itemType);
    const file = item.message(fileField, fileType);
    if (file) addFile(file, table.files);
    return readValue(item, table.pool, config);
  }
  const value = message.message(valueFields.compound, compoundType);
  if (!value) throw damagedBundle();
  const read: ReadItem = (holder, field) => {
    const found = holder.message(field, itemType);
    if (!found) throw damagedBundle();
    return readValue(found, table.pool, config);
  };
  const kind = value.which(compoundBits);
  switch (kind) {
    case compound.attribute:
      return { parent: 0, items: attributeItems(value.read(value.part(kind), attributeType)) };
    case compound.style:
      return readStyle(value.read(value.part(kind), styleType), read);
    case compound.array: {
      const elements = value.read(value.part(kind), arrayType).messages(1, elementType);
      return { parent: 0, items: readItems(elements, (one, at) => [0x01000001 + at, read(one, 3)]) };
    }
    case compound.plural:
      return { parent: 0, items: pluralItems(value.read(value.part(kind), pluralType), read) };
    default:
      throw damagedBundle();
  }
}

function addFile(file: ProtobufMessage, { exists, paths, xmlPaths }: TableFiles): void {
  const kind = file.number(2);
  if (kind > protoXml) throw damagedBundle();
  const path = file.text(1);
  if (!exists(path)) throw new UnreadablePackage(say('bundle-resource-missing', { name: path }));
  paths.add(path);
  if (kind === protoXml) xmlPaths.add(path);
}

type ReadItem = (holder: ProtobufMessage, field: number) => ResourceValue;
type Item = [name: number, value: ResourceValue];

function readItems(
  messages: Iterable<ProtobufMessage>,
  read: (message: ProtobufMessage, at: number) => Item,
): Item[] {
  const items: Item[] = [];
  for (const one of messages) {
    if (items.length === maxItems) throw damagedBundle();
    items.push(read(one, items.length));
  }
  return items;
}

function readStyle(style: ProtobufMessage, read: ReadItem): EntryValue {
  const items = readItems(style.messages(3, styleEntryType), (one) => [
    one.message(3, referenceType)?.number(2) ?? 0,
    read(one, 4),
  ]);
  return {
    parent: style.message(1, referenceType)?.number(2) ?? 0,
    items: items.sort(([one], [other]) => styleOrder(one) - styleOrder(other)),
  };
}

/** ResTable_map: type, minimum and maximum unless they are unlimited, then the symbols. */
function attributeItems(attribute: ProtobufMessage): Item[] {
  const integer = (data: number): ResourceValue => ({ type: integerType, data });
  const [minimum, maximum] = [attribute.number(2), attribute.number(3)];
  const symbols = readItems(attribute.messages(4, symbolType), (symbol) => {
    const type = (symbol.number(5) || integerType) & 0xff;
    return [symbol.message(3, referenceType)?.number(2) ?? 0, { type, data: symbol.number(4) }];
  });
  return [
    [0x01000000, integer(attribute.number(1))],
    ...(minimum === 0x80000000 ? [] : [[0x01000001, integer(minimum)] as Item]),
    ...(maximum === 0x7fffffff ? [] : [[0x01000002, integer(maximum)] as Item]),
    ...symbols,
  ];
}

/** Sorts attributes of dynamic libraries, which have package 0, after those of the framework. */
const styleOrder = (id: number) => (id >>> 24 === 0 ? 0x01ffffff + (id & 0xffffff) / 2 ** 25 : id);

/** Names for the quantities zero, one, two, few, many and other. */
const pluralNames = [5, 6, 7, 8, 9, 4];

function pluralItems(plural: ProtobufMessage, read: ReadItem): Item[] {
  const values = new Map<number, ResourceValue>();
  for (const one of plural.messages(1, pluralEntryType)) {
    const arity = one.number(3);
    if (values.has(arity) || arity >= pluralNames.length) throw damagedBundle();
    values.set(arity, read(one, 4));
  }
  return pluralNames.flatMap((name, arity): Item[] => {
    const value = values.get(arity);
    return value ? [[0x01000000 + name, value]] : [];
  });
}
