/** Reads `aapt.pb.ResourceTable`, whose strings go to the pool of the table in the order of the message. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { damagedBundle, messageType, type ProtobufMessage, readProtobuf } from './protobuf.ts';
import { type ConfigBytes, configType, writeConfig } from './resource-config-writer.ts';
import {
  fileType,
  integerType,
  itemType,
  type ResourceValue,
  readValue,
  referenceType,
} from './resource-value-writer.ts';
import { createStringPool, type StringPoolWriter } from './string-pool-writer.ts';

const tableType = messageType('ResourceTable', [1], [2, 3, 4, 5]);
const packageType = messageType('Package', [1, 2], [3]);
const typeType = messageType('Type', [1, 2], [3]);
/** The last repeats values of feature flags that are off, which are not in an APK. */
const entryType = messageType('Entry', [1, 2, 3, 4, 5, 7], [6, 8]);
const idType = messageType('EntryId', [1]);
const visibilityType = messageType('Visibility', [1, 2, 3, 4]);
const overlayableType = messageType('Overlayable', [1, 2, 3]);
const overlayableItemType = messageType('OverlayableItem', [1, 2, 4], [3]);
const stagedIdType = messageType('StagedId', [1, 2]);
const dynamicPackageType = messageType('DynamicRefTable', [1, 2]);
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

/** Only the compiler needs their entries. */
const compilerTypes = new Set(['styleable', 'macro']);

/** An identifier has 16 bits for its entry. */
export const maxEntryId = 0xffff;

export interface ResourceTableMessage {
  /** In the order of the messages. */
  packages: Package[];
  /** Names of shared libraries and features that references use, by id. */
  dynamicPackages: Map<number, string>;
  /** The values. */
  pool: StringPoolWriter;
  /** The default configuration. */
  config: ConfigBytes;
  /** Locales of all values, in the order of the messages. */
  locales: Set<string>;
  /** Of all values that are files. */
  filePaths: Set<string>;
  /** Of XML files that are messages, too. */
  xmlPaths: Set<string>;
}

export interface Entry {
  id: number;
  name: string;
  isPublic: boolean;
  isStaged: boolean;
  stagedId: number | null;
  overlayable: { index: number; policies: number } | null;
  values: { config: ConfigBytes; value: EntryValue; isWeak: boolean }[];
}
export type EntryValue = ResourceValue | { parent: number; items: [name: number, value: ResourceValue][] };
export interface Type {
  id: number;
  name: string;
  entries: Entry[];
}
export interface Overlayable {
  name: string;
  actor: string;
}
export interface Package {
  id: number;
  name: string;
  types: Type[];
  /** Those of its table. */
  overlayables: readonly Overlayable[];
}

/**
 * Reads the tables of several modules as one, in which the packages are ordered by id, as in bundletool's `ResourceTableMerger`.
 *
 * @throws UnreadablePackage when a message is damaged, or something is there twice
 */
export function readResourceTables(messages: readonly Buffer[]): ResourceTableMessage {
  const tables = messages.map((message) => readProtobuf(message, tableType));
  const read = tables.flatMap((table) => {
    const overlayables = table
      .messages(3, overlayableType)
      .map((one) => ({ name: one.text(1), actor: one.text(3) }));
    return table
      .messages(2, packageType)
      .map((one) => ({ message: one, id: idOf(one.message(1, idType), 0xff), overlayables }));
  });
  if (messages.length > 1) read.sort((one, other) => one.id - other.id);
  if (hasTwice(read)) throw new UnreadablePackage(say('bundle-package-twice'));
  const context = createContext();
  const { readConfig: _, ...rest } = context;
  const packages = read.map(({ message, id, overlayables }) => {
    const types = message.messages(3, typeType).map((type) => readType(type, context));
    if (hasTwice(types.filter(({ entries }) => entries.length > 0))) throw damagedBundle();
    return { id, name: message.text(2), types, overlayables };
  });
  const dynamicPackages = new Map(
    tables.flatMap((table) =>
      table
        .messages(5, dynamicPackageType)
        .map((one): [number, string] => [idOf(one.message(1, idType), 0xff), one.text(2)]),
    ),
  );
  return { packages, dynamicPackages, ...rest };
}

/** The later one would hide the other. */
const hasTwice = (list: readonly { id: number }[]) => new Set(list.map(({ id }) => id)).size < list.length;

function readType(message: ProtobufMessage, context: Context): Type {
  const name = message.text(2);
  const messages = compilerTypes.has(name) ? [] : message.messages(3, entryType);
  const entries = messages.map((entry) => readEntry(entry, context));
  if (hasTwice(entries)) throw damagedBundle();
  return { id: idOf(message.message(1, idType), 0xff), name, entries };
}

interface Context extends Omit<ResourceTableMessage, 'packages' | 'dynamicPackages'> {
  readConfig(message: Buffer): ConfigBytes;
}

/** A table has few different configurations. */
function createContext(): Context {
  const known = new Map<string, ConfigBytes>();
  const locales = new Set<string>();
  const readConfig = (bytes: Buffer) => {
    const key = bytes.toString('latin1');
    let config = known.get(key);
    if (!config) {
      const message = readProtobuf(bytes, configType);
      config = writeConfig(message);
      locales.add(message.text(localeField));
      known.set(key, config);
    }
    return config;
  };
  const config = writeConfig(null);
  const pool = createStringPool(config.key);
  return { pool, config, locales, filePaths: new Set(), xmlPaths: new Set(), readConfig };
}

function idOf(message: ProtobufMessage | null, max: number): number {
  const id = message?.number(1) ?? 0;
  if (id > max) throw damagedBundle();
  return id;
}

function readEntry(message: ProtobufMessage, context: Context): Entry {
  const name = message.text(2);
  const visibility = message.message(3, visibilityType);
  const overlayable = message.message(5, overlayableItemType);
  const configs = new Set<string>();
  return {
    id: idOf(message.message(1, idType), maxEntryId),
    name,
    isPublic: visibility?.number(1) === 2,
    isStaged: visibility?.number(4) === 1,
    stagedId: message.message(7, stagedIdType)?.number(2) ?? null,
    overlayable: overlayable && {
      index: overlayable.number(4),
      policies: policiesOf(overlayable.numbers(3)),
    },
    values: message.messages(6, configValueType).map((one) => {
      const config = context.readConfig(one.bytes(1));
      if (configs.has(config.key)) throw new UnreadablePackage(say('bundle-value-twice', { name }));
      configs.add(config.key);
      const value = one.message(2, valueType);
      if (!value) throw damagedBundle();
      return { config, value: readEntryValue(value, context, config.key), isWeak: value.number(3) === 1 };
    }),
  };
}

/** Policies 1 to 9 as flags; 0 is none. */
function policiesOf(policies: readonly number[]): number {
  return policies.reduce((flags, policy) => {
    if (policy > 9) throw damagedBundle();
    return policy === 0 ? flags : flags | (1 << (policy - 1));
  }, 0);
}

/** In `Item`, and the type of files that are messages. */
const [fileField, protoXml] = [5, 3];
/** In `Configuration`. */
const localeField = 3;
const compound = { attribute: 1, style: 2, styleable: 3, array: 4, plural: 5, macro: 6 } as const;
const compoundFields = Object.values(compound);

function readEntryValue(message: ProtobufMessage, context: Context, configKey: string): EntryValue {
  const { pool } = context;
  const isItem = message.which(4, 5) === 4;
  const item = isItem ? message.message(4, itemType) : null;
  const file = item?.which(fileField) ? item.message(fileField, fileType) : null;
  if (file) {
    if (file.number(2) > protoXml) throw damagedBundle();
    context.filePaths.add(file.text(1));
    if (file.number(2) === protoXml) context.xmlPaths.add(file.text(1));
  }
  if (item) return readValue(item, pool, configKey);
  const value = message.message(5, compoundType);
  const read = (holder: ProtobufMessage, field: number) => {
    const found = holder.message(field, itemType);
    if (!found) throw damagedBundle();
    return readValue(found, pool, configKey);
  };
  switch (value?.which(...compoundFields)) {
    case compound.attribute:
      return { parent: 0, items: attributeItems(value.message(compound.attribute, attributeType)) };
    case compound.style:
      return readStyle(value.message(compound.style, styleType), read);
    case compound.array: {
      const elements = value.message(compound.array, arrayType)?.messages(1, elementType) ?? [];
      return { parent: 0, items: elements.map((one, at) => [0x01000001 + at, read(one, 3)]) };
    }
    case compound.plural:
      return { parent: 0, items: pluralItems(value.message(compound.plural, pluralType), read) };
    default:
      throw damagedBundle();
  }
}

type ReadItem = (holder: ProtobufMessage, field: number) => ResourceValue;

function readStyle(style: ProtobufMessage | null, read: ReadItem): EntryValue {
  const items = (style?.messages(3, styleEntryType) ?? []).map((one): [number, ResourceValue] => [
    one.message(3, referenceType)?.number(2) ?? 0,
    read(one, 4),
  ]);
  return {
    parent: style?.message(1, referenceType)?.number(2) ?? 0,
    items: items.sort(([one], [other]) => styleOrder(one) - styleOrder(other)),
  };
}

/** ResTable_map: type, minimum and maximum unless they are unlimited, then the symbols. */
function attributeItems(attribute: ProtobufMessage | null): [number, ResourceValue][] {
  if (!attribute) throw damagedBundle();
  const integer = (data: number): ResourceValue => ({ type: integerType, data });
  const [minimum, maximum] = [attribute.number(2), attribute.number(3)];
  return [
    [0x01000000, integer(attribute.number(1))],
    ...(minimum === 0x80000000 ? [] : [[0x01000001, integer(minimum)] as [number, ResourceValue]]),
    ...(maximum === 0x7fffffff ? [] : [[0x01000002, integer(maximum)] as [number, ResourceValue]]),
    ...attribute.messages(4, symbolType).map((symbol): [number, ResourceValue] => {
      const type = (symbol.number(5) || integerType) & 0xff;
      return [symbol.message(3, referenceType)?.number(2) ?? 0, { type, data: symbol.number(4) }];
    }),
  ];
}

/** Attributes of dynamic libraries, whose package is 0, follow those of the framework. */
const styleOrder = (id: number) => (id >>> 24 === 0 ? 0x01ffffff + (id & 0xffffff) / 2 ** 25 : id);

/** Of the arities zero, one, two, few, many and other. */
const pluralNames = [5, 6, 7, 8, 9, 4];

function pluralItems(plural: ProtobufMessage | null, read: ReadItem): [number, ResourceValue][] {
  const values = new Map<number, ResourceValue>();
  for (const one of plural?.messages(1, pluralEntryType) ?? []) {
    const arity = one.number(3);
    if (values.has(arity) || arity >= pluralNames.length) throw damagedBundle();
    values.set(arity, read(one, 4));
  }
  return pluralNames.flatMap((name, arity): [number, ResourceValue][] => {
    const value = values.get(arity);
    return value ? [[0x01000000 + name, value]] : [];
  });
}
