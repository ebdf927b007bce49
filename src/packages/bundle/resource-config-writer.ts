/** Writes `aapt.pb.Configuration` as `ResTable_config` of Android's ResourceTypes.h, with the order and masks of aapt2. */
import { damagedBundle, messageType, type ProtobufMessage } from './protobuf.ts';

/** Numbers of the message's fields. */
const field = {
  mcc: 1,
  mnc: 2,
  locale: 3,
  layoutDirection: 4,
  screenWidth: 5,
  screenHeight: 6,
  screenWidthDp: 7,
  screenHeightDp: 8,
  smallestScreenWidthDp: 9,
  screenLayoutSize: 10,
  screenLayoutLong: 11,
  screenRound: 12,
  wideColorGamut: 13,
  hdr: 14,
  orientation: 15,
  uiModeType: 16,
  uiModeNight: 17,
  density: 18,
  touchscreen: 19,
  keysHidden: 20,
  keyboard: 21,
  navHidden: 22,
  navigation: 23,
  sdkVersion: 24,
  /** Only selects values while the bundle is built. An entry that still has two values for one configuration is refused. */
  product: 25,
  grammaticalGender: 26,
} as const;
export const configType = messageType('Configuration', Object.values(field));

const configBytes = 64;
const language = { start: 8, script: 36, variant: 40, numbering: 52 } as const;

export interface ConfigBytes {
  /** `ResTable_config`, 64 bytes. */
  bytes: Buffer;
  /** Compares in the order of `ResTable_config::compare`; each character is a byte. */
  key: string;
}

/** Null for the default configuration. */
export function writeConfig(message: ProtobufMessage | null): ConfigBytes {
  const bytes = Buffer.alloc(configBytes);
  bytes.writeUInt32LE(configBytes, 0);
  if (message) fill(bytes, message);
  return { bytes, key: keyOf(bytes) };
}

function fill(bytes: Buffer, message: ProtobufMessage): void {
  /** A value that does not fit would turn into another configuration. */
  const upTo = (max: number, name: number) => {
    const value = message.number(name);
    if (value > max) throw damagedBundle();
    return value;
  };
  /** Maps an enum value by its number. */
  const mapped = (name: number, values: readonly number[]) => values[upTo(values.length - 1, name)] ?? 0;
  const short = (name: number, at: number) => bytes.writeUInt16LE(upTo(0xffff, name), at);
  const byte = (value: number, at: number) => bytes.writeUInt8(value, at);
  short(field.mcc, 4);
  short(field.mnc, 6);
  writeLocale(bytes, message.text(field.locale));
  byte(upTo(3, field.orientation), 12);
  byte(upTo(3, field.touchscreen), 13);
  short(field.density, 14);
  byte(upTo(3, field.keyboard), 16);
  byte(upTo(4, field.navigation), 17);
  byte(upTo(3, field.keysHidden) | (upTo(2, field.navHidden) << 2), 18);
  byte(upTo(3, field.grammaticalGender), 19);
  short(field.screenWidth, 20);
  short(field.screenHeight, 22);
  short(field.sdkVersion, 24);
  const long = mapped(field.screenLayoutLong, [0, 0x20, 0x10]);
  const direction = mapped(field.layoutDirection, [0, 0x40, 0x80]);
  byte(upTo(4, field.screenLayoutSize) | long | direction, 28);
  byte(upTo(7, field.uiModeType) | mapped(field.uiModeNight, [0, 0x20, 0x10]), 29);
  short(field.smallestScreenWidthDp, 30);
  short(field.screenWidthDp, 32);
  short(field.screenHeightDp, 34);
  byte(mapped(field.screenRound, [0, 2, 1]), 48);
  byte(mapped(field.wideColorGamut, [0, 2, 1]) | mapped(field.hdr, [0, 8, 4]), 49);
}

/** Writes a BCP 47 tag: language, script, region, variant, and the numbering system as the extension `-u-nu-`. */
function writeLocale(bytes: Buffer, tag: string): void {
  if (tag === '') return;
  const [name = '', ...parts] = tag.split('-');
  writeCode(bytes, language.start, name.toLowerCase(), 'a');
  for (const [at, part] of parts.entries()) {
    if (part === 'u') {
      if (parts[at + 1] === 'nu') writeText(bytes, language.numbering + 1, parts[at + 2] ?? '', 8);
      return;
    }
    if (/^[A-Za-z]{4}$/.test(part)) writeText(bytes, language.script, titleCase(part), 4);
    else if (/^[A-Za-z]{2}$/.test(part)) writeText(bytes, language.start + 2, part.toUpperCase(), 2);
    else if (/^\d{3}$/.test(part)) writeCode(bytes, language.start + 2, part, '0');
    else writeText(bytes, language.variant, part.toLowerCase(), 8);
  }
}

const titleCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
const writeText = (bytes: Buffer, at: number, text: string, maxBytes: number) =>
  bytes.write(text.slice(0, maxBytes), at, 'latin1');

/** Writes two letters as they are, and three letters or digits with five bits each, marked by the highest bit. */
function writeCode(bytes: Buffer, at: number, code: string, base: string): void {
  if (code.length === 2) {
    bytes.write(code, at, 'latin1');
    return;
  }
  const [first = 0, second = 0, third = 0] = [0, 1, 2].map(
    (index) => (code.charCodeAt(index) - base.charCodeAt(0)) & 0x7f,
  );
  bytes[at] = 0x80 | ((third << 2) & 0x7f) | (second >> 3);
  bytes[at + 1] = ((second << 5) | first) & 0xff;
}

/** Concatenates the fields of `ResTable_config::compare` in its order, numbers with the highest byte first. */
function keyOf(bytes: Buffer): string {
  const number = (at: number, length: number) => bytes.subarray(at, at + length).toReversed();
  const parts = [
    number(4, 4),
    number(8, 4),
    bytes.subarray(36, 40),
    bytes.subarray(40, 48),
    bytes.subarray(53, 61),
    number(19, 1),
    number(12, 4),
    number(16, 3),
    number(20, 4),
    number(24, 4),
    bytes.subarray(28, 29),
    bytes.subarray(48, 49),
    bytes.subarray(49, 50),
    bytes.subarray(29, 30),
    number(30, 2),
    number(32, 4),
  ];
  return parts.map((part) => Buffer.from(part).toString('latin1')).join('');
}

/** Where a difference between two configurations sets a bit (`ResTable_config::diff`): position, bits of the byte, flag. */
const differences: readonly (readonly [at: number, mask: number, flag: number])[] = [
  ...[4, 5].map((at) => [at, 0xff, 0x0001] as const),
  ...[6, 7].map((at) => [at, 0xff, 0x0002] as const),
  ...[8, 9, 10, 11, ...rangeOf(36, 48), ...rangeOf(53, 61)].map((at) => [at, 0xff, 0x0004] as const),
  [13, 0xff, 0x0008],
  [18, 0x0f, 0x0010],
  [16, 0xff, 0x0020],
  [17, 0xff, 0x0040],
  [12, 0xff, 0x0080],
  ...[14, 15].map((at) => [at, 0xff, 0x0100] as const),
  ...[...rangeOf(20, 24), ...rangeOf(32, 36)].map((at) => [at, 0xff, 0x0200] as const),
  ...rangeOf(24, 28).map((at) => [at, 0xff, 0x0400] as const),
  [28, 0x3f, 0x0800],
  [29, 0xff, 0x1000],
  ...[30, 31].map((at) => [at, 0xff, 0x2000] as const),
  [28, 0xc0, 0x4000],
  [48, 0x03, 0x8000],
  [49, 0xff, 0x10000],
  [19, 0xff, 0x20000],
];

function rangeOf(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

/** Returns the differences between two configurations, as flags of `ResTable_typeSpec`. */
export function configDifference(one: ConfigBytes, other: ConfigBytes): number {
  let flags = 0;
  for (const [at, mask, flag] of differences) {
    if ((((one.bytes[at] ?? 0) ^ (other.bytes[at] ?? 0)) & mask) !== 0) flags |= flag;
  }
  return flags;
}
