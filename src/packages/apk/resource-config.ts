/** The devices that a resource value applies to: `ResTable_config` in Android's ResourceTypes.h. Zero means "any". */
export interface ResourceConfig {
  mcc: number;
  mnc: number;
  /** ISO 639 code as stored in the table; `''` is the default. */
  language: string;
  region: string;
  script: string;
  variant: string;
  orientation: number;
  touchscreen: number;
  /** Dots per inch; 0xfffe for any density, 0xffff for none. */
  density: number;
  keyboard: number;
  navigation: number;
  inputFlags: number;
  grammaticalGender: number;
  screenWidth: number;
  screenHeight: number;
  sdkVersion: number;
  screenLayout: number;
  uiMode: number;
  smallestScreenWidthDp: number;
  screenWidthDp: number;
  screenHeightDp: number;
  screenLayout2: number;
  colorMode: number;
}

export const anyDensity = 0xfffe;

/**
 * Reads a configuration. The first platform wrote 28 bytes, current ones write 64; missing bytes are zero.
 * @param bytes the structure, preceded by its size and limited to the chunk
 */
export function readResourceConfig(bytes: Buffer): ResourceConfig {
  const size = bytes.length < 4 ? 0 : Math.min(bytes.readUInt32LE(0), bytes.length);
  const uint8 = (offset: number) => (offset + 1 <= size ? bytes.readUInt8(offset) : 0);
  const uint16 = (offset: number) => (offset + 2 <= size ? bytes.readUInt16LE(offset) : 0);
  const letters = (offset: number, length: number) =>
    offset + length <= size ? asciiBefore0(bytes.subarray(offset, offset + length)) : '';
  return {
    mcc: uint16(4),
    mnc: uint16(6),
    language: unpackLetters(uint8(8), uint8(9), 0x61),
    region: unpackLetters(uint8(10), uint8(11), 0x30),
    orientation: uint8(12),
    touchscreen: uint8(13),
    density: uint16(14),
    keyboard: uint8(16),
    navigation: uint8(17),
    inputFlags: uint8(18),
    grammaticalGender: uint8(19),
    screenWidth: uint16(20),
    screenHeight: uint16(22),
    sdkVersion: uint16(24),
    screenLayout: uint8(28),
    uiMode: uint8(29),
    smallestScreenWidthDp: uint16(30),
    screenWidthDp: uint16(32),
    screenHeightDp: uint16(34),
    script: letters(36, 4),
    variant: letters(40, 8),
    screenLayout2: uint8(48),
    colorMode: uint8(49),
  };
}

function asciiBefore0(bytes: Buffer): string {
  const zero = bytes.indexOf(0);
  const text = bytes.toString('latin1', 0, zero < 0 ? bytes.length : zero);
  return /^[0-9A-Za-z]*$/.test(text) ? text : '';
}

/** Two plain letters, or three letters of five bits each if the top bit is set: `ResTable_config::unpackLanguageOrRegion`. */
function unpackLetters(first: number, second: number, base: number): string {
  if (first === 0) return '';
  if ((first & 0x80) === 0) return asciiBefore0(Buffer.from([first, second]));
  const three = [second & 0x1f, ((second & 0xe0) >> 5) | ((first & 0x03) << 3), (first & 0x7c) >> 2];
  return asciiBefore0(Buffer.from(three.map((value) => value + base)));
}

/** Renamed ISO 639 codes, because Android tables still use the old ones, and `tl` for Filipino. */
const renamedLanguages: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', tl: 'fil' };

/** Returns the BCP 47 tag of the locale, for example `zh-Hant-TW`; `''` for the default one. */
export function localeTag(config: ResourceConfig): string {
  if (config.language === '') return '';
  const language = config.language.toLowerCase();
  const script = config.script && config.script[0]?.toUpperCase() + config.script.slice(1).toLowerCase();
  return [
    renamedLanguages[language] ?? language,
    script,
    config.region.toUpperCase(),
    config.variant.toLowerCase(),
  ]
    .filter((part) => part !== '')
    .join('-');
}
