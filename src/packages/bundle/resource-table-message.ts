/** Reads `aapt.pb.ResourceTable`, whose strings go to the pool of the table in the order of the message. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { damagedBundle, type ProtobufMessage, readProtobuf } from './protobuf.ts';
import { type ConfigBytes, writeConfig } from './resource-config-writer.ts';
import { integerType, type ResourceValue, readValue } from './resource-value-writer.ts';
import { createStringPool, type StringPoolWriter } from './string-pool-writer.ts';

/** An identifier has 16 bits for its entry. */
export const maxEntryId = 0xffff;

export interface ResourceTableMessage {
  /** In the order of the messages. */
  packages: Package[];
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
export interface Package {
  id: number;
  name: string;
  types: Type[];
  /** Those of its table. */
  overlayables: readonly ProtobufMessage[];
}

/**
 * Reads the tables of several modules as one, in which the packages are ordered by id, as in bundletool's `ResourceTableMerger`.
 *
 * @throws UnreadablePackage when a message is damaged, or two tables have the same package
 */
export function readResourceTables(messages: readonly Buffer[]): ResourceTableMessage {
  const read = messages.map(readProtobuf).flatMap((table) => {
    const overlayables = table.messages(3);
    return table.messages(2).map((one) => ({ message: one, id: idOf(one.message(1), 0xff), overlayables }));
  });
  if (messages.length > 1) {
    read.sort((one, other) => one.id - other.id);
    const twice = read.find(({ id }, at) => id === read[at + 1]?.id);
    if (twice) throw new UnreadablePackage(say('bundle-package-twice'));
  }
  const context = createContext();
  const { readConfig: _, ...rest } = context;
  const packages = read.map(({ message, id, overlayables }) => ({
    id,
    name: message.text(2),
    types: message.messages(3).map((type) => ({
      id: idOf(type.message(1), 0xff),
      name: type.text(2),
      entries: type.messages(3).map((entry) => readEntry(entry, context)),
    })),
    overlayables,
  }));
  return { packages, ...rest };
}

interface Context extends Omit<ResourceTableMessage, 'packages'> {
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
      const message = readProtobuf(bytes);
      config = writeConfig(message);
      locales.add(message.text(localeField));
      known.set(key, config);
    }
    return config;
  };
  const config = writeConfig(readProtobuf(Buffer.alloc(0)));
  const pool = createStringPool(config.key);
  return { pool, config, locales, filePaths: new Set(), xmlPaths: new Set(), readConfig };
}

function idOf(message: ProtobufMessage | null, max: number): number {
  const id = message?.number(1) ?? 0;
  if (id > max) throw damagedBundle();
  return id;
}

function readEntry(message: ProtobufMessage, context: Context): Entry {
  const visibility = message.message(3);
  const overlayable = message.message(5);
  return {
    id: idOf(message.message(1), maxEntryId),
    name: message.text(2),
    isPublic: visibility?.number(1) === 2,
    isStaged: visibility?.number(4) === 1,
    stagedId: message.message(7)?.number(2) ?? null,
    overlayable: overlayable && {
      index: overlayable.number(4),
      policies: policiesOf(overlayable.numbers(3)),
    },
    values: message.messages(6).flatMap((one) => {
      const config = context.readConfig(one.bytes(1));
      const value = one.message(2);
      const read = value && readEntryValue(value, context, config.key);
      return value && read ? [{ config, value: read, isWeak: value.number(3) === 1 }] : [];
    }),
  };
}

/** Policies 1 to 9 as flags. */
const policiesOf = (policies: readonly number[]) =>
  policies.reduce((flags, policy) => (policy >= 1 && policy <= 9 ? flags | (1 << (policy - 1)) : flags), 0);

/** In `Item`, and the type of files that are messages. */
const [fileField, protoXml] = [5, 3];
/** In `Configuration`. */
const localeField = 3;
const compound = { attribute: 1, style: 2, styleable: 3, array: 4, plural: 5, macro: 6 } as const;

/** Null: styleables and macros, which only the compiler needs. */
function readEntryValue(message: ProtobufMessage, context: Context, configKey: string): EntryValue | null {
  const { pool } = context;
  const item = message.message(4);
  const file = item?.message(fileField);
  if (file) {
    context.filePaths.add(file.text(1));
    if (file.number(2) === protoXml) context.xmlPaths.add(file.text(1));
  }
  if (item) return readValue(item, pool, configKey);
  const value = message.message(5);
  const kind = value?.which(...Object.values(compound)) ?? null;
  const content = kind === null ? null : value?.message(kind);
  if (!content) throw damagedBundle();
  const read = (holder: ProtobufMessage, field: number) => {
    const found = holder.message(field);
    if (!found) throw damagedBundle();
    return readValue(found, pool, configKey);
  };
  switch (kind) {
    case compound.attribute:
      return { parent: 0, items: attributeItems(content) };
    case compound.style: {
      const items = content
        .messages(3)
        .map((one): [number, ResourceValue] => [one.message(3)?.number(2) ?? 0, read(one, 4)]);
      return {
        parent: content.message(1)?.number(2) ?? 0,
        items: items.sort(([one], [other]) => styleOrder(one) - styleOrder(other)),
      };
    }
    case compound.array:
      return { parent: 0, items: content.messages(1).map((one, at) => [0x01000001 + at, read(one, 3)]) };
    case compound.plural:
      return { parent: 0, items: pluralItems(content, read) };
    default:
      return null;
  }
}

/** ResTable_map: type, minimum and maximum unless they are unlimited, then the symbols. */
function attributeItems(attribute: ProtobufMessage): [number, ResourceValue][] {
  const integer = (data: number): ResourceValue => ({ type: integerType, data });
  const [minimum, maximum] = [attribute.number(2), attribute.number(3)];
  return [
    [0x01000000, integer(attribute.number(1))],
    ...(minimum === 0x80000000 ? [] : [[0x01000001, integer(minimum)] as [number, ResourceValue]]),
    ...(maximum === 0x7fffffff ? [] : [[0x01000002, integer(maximum)] as [number, ResourceValue]]),
    ...attribute.messages(4).map((symbol): [number, ResourceValue] => {
      const type = (symbol.number(5) || integerType) & 0xff;
      return [symbol.message(3)?.number(2) ?? 0, { type, data: symbol.number(4) }];
    }),
  ];
}

/** Attributes of dynamic libraries, whose package is 0, follow those of the framework. */
const styleOrder = (id: number) => (id >>> 24 === 0 ? 0x01ffffff + (id & 0xffffff) / 2 ** 25 : id);

/** Of the arities zero, one, two, few, many and other. */
const pluralNames = [5, 6, 7, 8, 9, 4];

function pluralItems(
  plural: ProtobufMessage,
  read: (holder: ProtobufMessage, field: number) => ResourceValue,
): [number, ResourceValue][] {
  const values = new Map(plural.messages(1).map((one) => [one.number(3), read(one, 4)]));
  return pluralNames.flatMap((name, arity): [number, ResourceValue][] => {
    const value = values.get(arity);
    return value ? [[0x01000000 + name, value]] : [];
  });
}
