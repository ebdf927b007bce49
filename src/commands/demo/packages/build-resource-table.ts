/** Builds Android resource tables (resources.arsc). */
import { buildStringPool, chunk, padded, uint32s } from './build-binary-xml.ts';

export interface ConfigSpec {
  /** Two letters, or three packed into two bytes. */
  language?: string;
  region?: string;
  script?: string;
  variant?: string;
  density?: number;
  sdkVersion?: number;
  /** Includes night mode and television. */
  uiMode?: number;
  screenWidthDp?: number;
  /** Number of bytes of the structure; older tools write fewer. */
  bytes?: number;
}

export type ResourceValueSpec =
  | string
  | { reference: number }
  | { type: number; data: number }
  | { bag: readonly { key: number; type: number; data: number }[]; parent?: number };

export interface ResourceSpec {
  name: string;
  values: readonly { config?: ConfigSpec; value: ResourceValueSpec }[];
}

export interface ResourceTypeSpec {
  name: string;
  resources: readonly ResourceSpec[];
}

export interface ResourcePackageSpec {
  id?: number;
  name?: string;
  types: readonly ResourceTypeSpec[];
  /** Package id at build time and package name: a ResTable_lib_header entry. */
  libraries?: readonly { id: number; name: string }[];
}

export interface ResourceTableOptions {
  utf16?: boolean;
  layout?: 'plain' | 'sparse' | 'offset16' | 'compact';
}

/** Resource ids are `(package << 24) | (type << 16) | entry`: types and resources count from 1 and 0 in the order given. */
export function buildResourceTable(
  packages: readonly ResourcePackageSpec[],
  options: ResourceTableOptions = {},
): Buffer {
  const strings: string[] = [];
  const string = (text: string) => {
    const known = strings.indexOf(text);
    return known >= 0 ? known : strings.push(text) - 1;
  };
  const chunks = packages.map((spec) => buildPackage(spec, options, string));
  const body = Buffer.concat([buildStringPool(strings, options), ...chunks]);
  return chunk(0x0002, uint32s(packages.length), body);
}

function buildPackage(
  spec: ResourcePackageSpec,
  options: ResourceTableOptions,
  string: (text: string) => number,
): Buffer {
  const typeNames = buildStringPool(spec.types.map((type) => type.name));
  const keys = spec.types.flatMap((type) => type.resources.map((resource) => resource.name));
  const keyNames = buildStringPool(keys);
  const head = Buffer.alloc(280);
  head.writeUInt32LE(spec.id ?? 0x7f, 0);
  head.write(spec.name ?? 'test', 4, 'utf16le');
  head.writeUInt32LE(288, 260);
  head.writeUInt32LE(288 + typeNames.length, 268);
  const parts = [typeNames, keyNames];
  for (const [index, type] of spec.types.entries()) {
    parts.push(buildTypeSpec(index + 1, type));
    for (const config of configsOf(type))
      parts.push(buildType(index + 1, type, config, keys, options, string));
  }
  if (spec.libraries) parts.push(buildLibraries(spec.libraries));
  return chunk(0x0200, head, Buffer.concat(parts));
}

function buildTypeSpec(id: number, type: ResourceTypeSpec): Buffer {
  return chunk(0x0202, uint32s(id, type.resources.length), uint32s(...type.resources.map(() => 0)));
}

function configsOf(type: ResourceTypeSpec): ConfigSpec[] {
  const configs = type.resources.flatMap((resource) => resource.values.map((value) => value.config ?? {}));
  return [...new Map(configs.map((config) => [JSON.stringify(config), config])).values()];
}

function buildType(
  id: number,
  type: ResourceTypeSpec,
  config: ConfigSpec,
  keys: readonly string[],
  options: ResourceTableOptions,
  string: (text: string) => number,
): Buffer {
  const same = JSON.stringify(config);
  const entries = type.resources.map((resource) => {
    const found = resource.values.find((value) => JSON.stringify(value.config ?? {}) === same);
    return found ? buildEntry(keys.indexOf(resource.name), found.value, options, string) : null;
  });
  const { offsets, flags, count } = buildOffsets(entries, options.layout ?? 'plain');
  const configBytes = buildConfig(config);
  const head = Buffer.alloc(12);
  head.writeUInt8(id, 0);
  head.writeUInt8(flags, 1);
  head.writeUInt32LE(count, 4);
  head.writeUInt32LE(8 + head.length + configBytes.length + offsets.length, 8);
  const data = Buffer.concat(entries.filter((entry) => entry !== null));
  return chunk(0x0201, Buffer.concat([head, configBytes]), Buffer.concat([offsets, data]));
}

function buildOffsets(entries: readonly (Buffer | null)[], layout: string) {
  const wide: number[] = [];
  const narrow: number[] = [];
  const sparse: number[] = [];
  let offset = 0;
  for (const [index, entry] of entries.entries()) {
    wide.push(entry ? offset : 0xffffffff);
    narrow.push(entry ? offset / 4 : 0xffff);
    if (entry) sparse.push(index | ((offset / 4) << 16));
    offset += entry?.length ?? 0;
  }
  if (layout === 'sparse') return { offsets: uint32s(...sparse), flags: 0x01, count: sparse.length };
  if (layout === 'offset16') {
    return {
      offsets: padded(Buffer.from(Uint16Array.from(narrow).buffer)),
      flags: 0x02,
      count: entries.length,
    };
  }
  return { offsets: uint32s(...wide), flags: 0, count: entries.length };
}

function buildEntry(
  key: number,
  value: ResourceValueSpec,
  options: ResourceTableOptions,
  string: (text: string) => number,
): Buffer {
  if (typeof value === 'object' && 'bag' in value) {
    const head = Buffer.alloc(16);
    head.writeUInt16LE(16, 0);
    head.writeUInt16LE(1, 2);
    head.writeUInt32LE(key, 4);
    head.writeUInt32LE(value.parent ?? 0, 8);
    head.writeUInt32LE(value.bag.length, 12);
    return Buffer.concat([
      head,
      ...value.bag.map((item) => Buffer.concat([uint32s(item.key), buildValue(item.type, item.data)])),
    ]);
  }
  const { type, data } =
    typeof value === 'string'
      ? { type: 0x03, data: string(value) }
      : 'reference' in value
        ? { type: 0x01, data: value.reference }
        : value;
  const head = Buffer.alloc(8);
  if (options.layout === 'compact') {
    head.writeUInt16LE(key, 0);
    head.writeUInt16LE((type << 8) | 0x08, 2);
    head.writeUInt32LE(data >>> 0, 4);
    return head;
  }
  head.writeUInt16LE(8, 0);
  head.writeUInt32LE(key, 4);
  return Buffer.concat([head, buildValue(type, data)]);
}

function buildValue(type: number, data: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(8, 0);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt32LE(data >>> 0, 4);
  return bytes;
}

/** ResTable_config: 28 bytes in the first platform, 64 now. */
function buildConfig(config: ConfigSpec): Buffer {
  const bytes = Buffer.alloc(64);
  packLanguage(config.language ?? '', 0x61).copy(bytes, 8);
  packLanguage(config.region ?? '', 0x30).copy(bytes, 10);
  bytes.writeUInt16LE(config.density ?? 0, 14);
  bytes.writeUInt16LE(config.sdkVersion ?? 0, 24);
  bytes.writeUInt8(config.uiMode ?? 0, 29);
  bytes.writeUInt16LE(config.screenWidthDp ?? 0, 32);
  bytes.write(config.script ?? '', 36, 4, 'latin1');
  bytes.write(config.variant ?? '', 40, 8, 'latin1');
  const size = config.bytes ?? 64;
  bytes.writeUInt32LE(size, 0);
  return bytes.subarray(0, size);
}

/** Packs three characters into three times five bits: ResTable_config::packLanguageOrRegion. */
function packLanguage(text: string, base: number): Buffer {
  if (text.length < 3) return Buffer.from(text.padEnd(2, '\0'), 'latin1');
  const [a = 0, b = 0, c = 0] = [...text].map((letter) => letter.charCodeAt(0) - base);
  return Buffer.from([0x80 | (c << 2) | (b >> 3), ((b & 0x07) << 5) | a]);
}

function buildLibraries(libraries: readonly { id: number; name: string }[]): Buffer {
  const entries = libraries.map((library) => {
    const bytes = Buffer.alloc(260);
    bytes.writeUInt32LE(library.id, 0);
    bytes.write(library.name, 4, 'utf16le');
    return bytes;
  });
  return chunk(0x0203, uint32s(libraries.length), Buffer.concat(entries));
}
