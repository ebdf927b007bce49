/** The configurations of a resource table, which has few distinct ones. */
import { type BytesPart, damagedBundle, readProtobuf } from './protobuf.ts';
import { type ConfigBytes, configType, writeConfig } from './resource-config-writer.ts';

/** Maximum number of distinct messages. The largest real apps have a few hundred. */
export const maxConfigurations = 10_000;
/** Number of the field in `Configuration`. */
const localeField = 3;

export interface TableConfig extends ConfigBytes {
  index: number;
}

export interface TableConfigs {
  /** Its index is 0. */
  default: TableConfig;
  /** Locales in the messages, in order. */
  locales: ReadonlySet<string>;
  /** @throws UnreadablePackage if the message is damaged, or there are too many */
  read(message: BytesPart): TableConfig;
  /** Returns the position of each configuration in Android's order, by index. */
  order(): Uint16Array;
}

export function createTableConfigs(): TableConfigs {
  const byMessage = new Map<string, TableConfig>();
  const byKey = new Map<string, TableConfig>();
  const locales = new Set<string>();
  const add = (config: ConfigBytes) => {
    const known = byKey.get(config.key) ?? { ...config, index: byKey.size };
    byKey.set(config.key, known);
    return known;
  };
  return {
    default: add(writeConfig(null)),
    locales,
    read: ({ bytes, start, end }) => {
      const id = bytes.toString('latin1', start, end);
      const known = byMessage.get(id);
      if (known) return known;
      if (byMessage.size === maxConfigurations) throw damagedBundle();
      const message = readProtobuf(bytes.subarray(start, end), configType);
      const config = add(writeConfig(message));
      locales.add(message.text(localeField));
      byMessage.set(id, config);
      return config;
    },
    order: () => {
      const sorted = [...byKey.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
      const places = new Uint16Array(sorted.length);
      for (const [place, { index }] of sorted.entries()) places[index] = place;
      return places;
    },
  };
}
