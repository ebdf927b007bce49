/** Writes string pools like aapt2: `ResStringPool_header` in Android's ResourceTypes.h, StringPool.cpp. */

/** A string of a pool; its index is known when the pool is complete. */
export interface PoolString {
  text: string;
  /** Orders strings before their configuration and text do. */
  priority: number;
  /** Of the first use; see `ConfigBytes`. */
  configKey: string;
  index: number;
}

export interface StyleSpan {
  tag: string;
  first: number;
  last: number;
}

interface Style extends PoolString {
  spans: readonly { tag: PoolString; first: number; last: number }[];
}

const stringPoolType = 0x0001;
const headerBytes = 28;
const utf8Flag = 0x100;
const endOfSpans = 0xffffffff;
/** The longest string of a UTF-8 pool; aapt2 replaces longer ones by a constant. */
export const maxUtf8Length = 0x7fff;
const tooLarge = 'STRING_TOO_LARGE';
/** The priority of everything but file paths. */
export const normalPriority = 0x7fffffff;

export interface StringPoolWriter {
  /** One entry for each pair of text and priority. */
  add(text: string, priority?: number, configKey?: string): PoolString;
  /** Styled strings are never shared. */
  addStyled(text: string, spans: readonly StyleSpan[], configKey: string): PoolString;
  /** Appends a string as it is. */
  place(string: PoolString): void;
  /** By priority, configuration and the bytes of the text, as the pool of values is ordered. */
  sort(): void;
  /** Sets the indexes of what the pool contains so far. */
  index(): void;
  /** Also sets the indexes. */
  write(encoding: 'utf-8' | 'utf-16'): Buffer;
}

export function createStringPool(defaultConfigKey = ''): StringPoolWriter {
  const known = new Map<string, PoolString>();
  const strings: PoolString[] = [];
  const styles: Style[] = [];
  const pool: StringPoolWriter = {
    add: (text, priority = normalPriority, configKey = defaultConfigKey) => {
      const key = `${priority} ${text}`;
      const present = known.get(key);
      if (present) return present;
      const added = { text, priority, configKey, index: -1 };
      known.set(key, added);
      strings.push(added);
      return added;
    },
    addStyled: (text, spans, configKey) => {
      const tagged = spans.map(({ tag, first, last }) => ({ tag: pool.add(tag), first, last }));
      const style = { text, priority: normalPriority, configKey, index: -1, spans: tagged };
      styles.push(style);
      return style;
    },
    place: (string) => strings.push(string),
    sort: () => {
      for (const list of [styles, strings]) sortStrings(list);
    },
    index: () => {
      for (const [index, one] of [...styles, ...strings].entries()) one.index = index;
    },
    write: (encoding) => {
      pool.index();
      return writePool([...styles, ...strings], styles, encoding);
    },
  };
  return pool;
}

function sortStrings(list: PoolString[]): void {
  const bytes = new Map(list.map((one) => [one, Buffer.from(one.text)]));
  list.sort(
    (one, other) =>
      one.priority - other.priority ||
      (one.configKey < other.configKey ? -1 : one.configKey > other.configKey ? 1 : 0) ||
      Buffer.compare(bytes.get(one) ?? Buffer.alloc(0), bytes.get(other) ?? Buffer.alloc(0)),
  );
}

/** Header: type 2, header size 2, size 4, strings 4, styles 4, flags 4, start of strings 4, start of styles 4. */
function writePool(
  all: readonly PoolString[],
  styles: readonly Style[],
  encoding: 'utf-8' | 'utf-16',
): Buffer {
  const isUtf8 = encoding === 'utf-8';
  const texts = all.map(({ text }) => (isUtf8 ? encodeUtf8(text) : encodeUtf16(text)));
  const data = padded(Buffer.concat(texts));
  const spans = styles.map(writeSpans);
  const spanData = styles.length === 0 ? [] : [...spans, words([endOfSpans, endOfSpans])];
  const offsets = words([...offsetsOf(texts), ...offsetsOf(spans)]);
  const start = headerBytes + offsets.length;
  const styleBytes = Buffer.concat(spanData);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16LE(stringPoolType, 0);
  header.writeUInt16LE(headerBytes, 2);
  header.writeUInt32LE(start + data.length + styleBytes.length, 4);
  header.writeUInt32LE(all.length, 8);
  header.writeUInt32LE(styles.length, 12);
  header.writeUInt32LE(isUtf8 ? utf8Flag : 0, 16);
  header.writeUInt32LE(start, 20);
  header.writeUInt32LE(styles.length > 0 ? start + data.length : 0, 24);
  return Buffer.concat([header, offsets, data, styleBytes]);
}

const writeSpans = ({ spans }: Style) =>
  words([...spans.flatMap(({ tag, first, last }) => [tag.index, first, last]), endOfSpans]);

function offsetsOf(parts: readonly Buffer[]): number[] {
  let offset = 0;
  return parts.map(({ length }) => {
    const start = offset;
    offset += length;
    return start;
  });
}

export function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, 4 * at);
  return bytes;
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);

/** Length in UTF-16 units and in bytes, each in one or two bytes; modified UTF-8; NUL. */
function encodeUtf8(text: string): Buffer {
  const bytes = modifiedUtf8(text);
  if (bytes.length > maxUtf8Length || text.length > maxUtf8Length) return encodeUtf8(tooLarge);
  return Buffer.concat([
    Buffer.from([...shortLength(text.length), ...shortLength(bytes.length)]),
    bytes,
    nul,
  ]);
}

const nul = Buffer.alloc(1);
const shortLength = (length: number) => (length > 0x7f ? [0x80 | (length >> 8), length & 0xff] : [length]);

/** Characters above U+FFFF are two surrogates of three bytes each. */
function modifiedUtf8(text: string): Buffer {
  if (!/[\ud800-\udfff]/.test(text)) return Buffer.from(text);
  const parts: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) parts.push(unit);
    else if (unit < 0x800) parts.push(0xc0 | (unit >> 6), 0x80 | (unit & 0x3f));
    else parts.push(0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f));
  }
  return Buffer.from(parts);
}

/** Length in units, in one or two of them; the text; NUL. */
function encodeUtf16(text: string): Buffer {
  const { length } = text;
  const prefix = length > 0x7fff ? [0x8000 | (length >>> 16), length & 0xffff] : [length];
  const bytes = Buffer.alloc(2 * (prefix.length + length + 1));
  for (const [at, unit] of prefix.entries()) bytes.writeUInt16LE(unit, 2 * at);
  bytes.write(text, 2 * prefix.length, 'utf16le');
  return bytes;
}
