/** Numbers the strings of a resource table. They stay in their message, because large tables have hundreds of thousands. */
import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { type BytesPart, damagedBundle } from './protobuf.ts';
import {
  maxUtf8Length,
  type PoolStrings,
  tooLarge,
  utf8ItemBytes,
  writeUtf8Lengths,
} from './string-pool-writer.ts';

/** Longer texts are compared with a native call. */
const shortBytes = 32;

/** As `PoolStrings`, it contains the strings in order. */
export interface StringTable extends PoolStrings {
  /**
   * Returns the index of the string with this text and priority, adding it if necessary.
   * @param config index of the configuration, for a new string
   * @throws UnreadablePackage if a new text is not UTF-8
   */
  add(text: BytesPart, priority?: number, config?: number): number;
  /** Sorts the strings by priority, configuration and the bytes of the text. */
  sort(configOrder: Uint16Array): void;
  /** Sets the order of the strings. */
  order(indexes: Uint32Array<ArrayBuffer>): void;
  /** Returns the position of a string in the order. */
  placeOf(index: number): number;
  /** Returns the string at a position in the order. */
  at(place: number): number;
}

/** Words per string: start, end, hash, and other properties. */
const stringWords = 4;
/** The last word contains the configuration, and above it the priority and the number of the buffer. */
const [priorityShift, sourceShift] = [14, 16];

/** @param isShared whether strings with equal texts are the same string; otherwise only those at the same position are */
export function createStringTable(isShared = true): StringTable {
  // It must not be predictable which strings share a slot.
  const seed = randomInt(2 ** 32);
  const sources: Buffer[] = [];
  let count = 0;
  let strings = new Uint32Array(64 * stringWords);
  /** A hash table of indexes plus one. */
  let slots = new Uint32Array(128);
  let placed = new Uint32Array(0);
  let places = new Uint32Array(0);

  const wordOf = (index: number, at: number) => strings[stringWords * index + at] ?? 0;
  const partOf = (index: number): BytesPart => ({
    bytes: sources[wordOf(index, 3) >>> sourceShift] ?? noBytes,
    start: wordOf(index, 0),
    end: wordOf(index, 1),
  });
  const sourceOf = (bytes: Buffer) => {
    const known = sources.lastIndexOf(bytes);
    return known === -1 ? sources.push(bytes) - 1 : known;
  };
  const isSame = (index: number, text: BytesPart, hash: number, priority: number) => {
    if (wordOf(index, 2) !== hash || ((wordOf(index, 3) >>> priorityShift) & 1) !== priority) return false;
    const known = partOf(index);
    if (isShared) return compareParts(known, text) === 0;
    return known.start === text.start && known.bytes === text.bytes;
  };
  /** Returns the slot of a string, or a free one. */
  const findSlot = (hash: number, isHere: (index: number) => boolean) => {
    let slot = hash & (slots.length - 1);
    for (; slots[slot]; slot = (slot + 1) & (slots.length - 1)) if (isHere((slots[slot] ?? 0) - 1)) break;
    return slot;
  };
  const grow = () => {
    strings = new Uint32Array(strings.buffer.transfer(2 * strings.byteLength));
    slots = new Uint32Array(2 * slots.length);
    for (let index = 0; index < count; index++) slots[findSlot(wordOf(index, 2), () => false)] = index + 1;
  };
  const order = (indexes: Uint32Array<ArrayBuffer>) => {
    placed = indexes;
    places = new Uint32Array(count);
    for (let place = 0; place < count; place++) places[placed[place] ?? 0] = place;
  };

  return {
    isUtf8: true,
    styleCount: 0,
    spansOf: () => [],
    get count() {
      return count;
    },
    add: (text, priority = 0, config = 0) => {
      const hash = isShared ? hashOf(text, seed) : Math.imul(text.start, multiplier) >>> 0;
      const slot = findSlot(hash, (index) => isSame(index, text, hash, priority));
      const known = slots[slot] ?? 0;
      if (known !== 0) return known - 1;
      const { bytes, start, end } = text;
      if (!isUtf8(bytes.subarray(start, end))) throw damagedBundle();
      const rest = (sourceOf(bytes) << sourceShift) | (priority << priorityShift) | config;
      strings.set([start, end, hash, rest], stringWords * count);
      const index = count++;
      slots[slot] = count;
      if (2 * count === slots.length) grow();
      return index;
    },
    sort: (configOrder) => {
      const configMask = 2 ** priorityShift - 1;
      const keys = new Float64Array(count);
      for (let index = 0; index < count; index++) {
        const rest = wordOf(index, 3);
        const priority = (rest >>> priorityShift) & 1;
        const group = (priority << priorityShift) | (configOrder[rest & configMask] ?? 0);
        keys[index] = group * 2 ** 32 + firstBytes(partOf(index));
      }
      const compare = (one: number, other: number) =>
        (keys[one] ?? 0) - (keys[other] ?? 0) || compareParts(partOf(one), partOf(other));
      order(Uint32Array.from(keys.keys()).sort(compare));
    },
    order,
    placeOf: (index) => places[index] ?? 0,
    at: (place) => placed[place] ?? 0,
    sizeOf: (place) => sizeOfText(partOf(placed[place] ?? 0)),
    write: (place, out, at) => writeText(partOf(placed[place] ?? 0), out, at),
  };
}

const noBytes = Buffer.alloc(0);
const multiplier = 0x9e3779b1;

/** FNV-1a with its upper bits mixed into the lower ones, which select the slot. */
function hashOf({ bytes, start, end }: BytesPart, seed: number): number {
  let hash = seed | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), multiplier);
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Returns the first four bytes, which suffice to order most strings. */
function firstBytes({ bytes, start, end }: BytesPart): number {
  let number = 0;
  for (let at = start; at < start + 4; at++) number = number * 256 + (at < end ? (bytes[at] ?? 0) : 0);
  return number;
}

function compareParts(one: BytesPart, other: BytesPart): number {
  const length = Math.min(one.end - one.start, other.end - other.start);
  const short = Math.min(length, shortBytes);
  for (let at = 0; at < short; at++) {
    const difference = (one.bytes[one.start + at] ?? 0) - (other.bytes[other.start + at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (length === short) return one.end - one.start - (other.end - other.start);
  return one.bytes.compare(other.bytes, other.start + short, other.end, one.start + short, one.end);
}

/** Returns lengths in modified UTF-8, where characters above U+FFFF are two surrogates of three bytes each. */
function lengthsOf({ bytes, start, end }: BytesPart): { units: number; bytes: number } {
  let [units, pairs] = [0, 0];
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) units++;
    if (byte >= 0xf0) pairs++;
  }
  return { units: units + pairs, bytes: end - start + 2 * pairs };
}

function sizeOfText(text: BytesPart): number {
  const { units, bytes } = lengthsOf(text);
  return bytes > maxUtf8Length
    ? utf8ItemBytes(tooLarge.length, tooLarge.length)
    : utf8ItemBytes(units, bytes);
}

function writeText(text: BytesPart, out: Buffer, at: number): number {
  const { units, bytes } = lengthsOf(text);
  if (bytes > maxUtf8Length) {
    const start = writeUtf8Lengths(tooLarge.length, tooLarge.length, out, at);
    return start + out.write(tooLarge, start) + 1;
  }
  const start = writeUtf8Lengths(units, bytes, out, at);
  if (bytes === text.end - text.start) text.bytes.copy(out, start, text.start, text.end);
  else writeModifiedUtf8(text, out, start);
  return start + bytes + 1;
}

function writeModifiedUtf8({ bytes, start, end }: BytesPart, out: Buffer, to: number): void {
  let target = to;
  for (let at = start; at < end; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0xf0) {
      out[target++] = byte;
      at++;
      continue;
    }
    const character = bytes.toString('utf8', at, at + 4);
    for (const unit of [character.charCodeAt(0), character.charCodeAt(1)])
      for (const part of [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)])
        out[target++] = part;
    at += 4;
  }
}
