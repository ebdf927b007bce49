/**
 * Encodes LZFSE blocks with finite state entropy. Works backward through the decoder's table: the state before a symbol is the
 * one whose range of next states contains the state after it.
 */
import {
  buildDecoder,
  type EntropyEntry,
  type ValueRange,
} from '../../../src/packages/ipa/asset-catalog/finite-state-entropy.ts';
import { uint32s } from './build-asset-catalog.ts';

export interface Triplet {
  literals: Buffer;
  matchBytes: number;
  /** 0: as before. */
  distance: number;
}

const lengthBits = [...Array(16).fill(0), 2, 3, 5, 8];
const matchBits = [...Array(16).fill(0), 3, 5, 8, 11];
const distanceBits = Array.from({ length: 64 }, (_, symbol) => symbol >> 2);

/** A whole stream of one block. The number of literals is padded to a multiple of four. */
export function encodeLzfse(triplets: Triplet[]): Buffer {
  const all = Buffer.concat(triplets.map(({ literals }) => literals));
  const literals = Buffer.concat([all, Buffer.alloc((4 - (all.length % 4)) % 4)]);
  const lengths = createCoder(
    triplets.map((one) => one.literals.length),
    ranges(lengthBits),
    64,
  );
  const matches = createCoder(
    triplets.map((one) => one.matchBytes),
    ranges(matchBits),
    64,
  );
  const distances = createCoder(
    triplets.map((one) => one.distance),
    ranges(distanceBits),
    256,
  );
  const literalValues = Array.from({ length: 256 }, (_, base) => ({ base, extraBits: 0 }));
  const literalCoder = createCoder([...literals], literalValues, 1024);

  const literalStates = [0, 0, 0, 0];
  const literalStream = createStream();
  for (let index = literals.length - 1; index >= 0; index--) {
    literalStates[index % 4] = literalCoder.encode(
      literals[index] ?? 0,
      literalStates[index % 4] ?? 0,
      literalStream,
    );
  }
  let [lengthState, matchState, distanceState] = [0, 0, 0];
  const tripletStream = createStream();
  for (const one of triplets.toReversed()) {
    distanceState = distances.encode(one.distance, distanceState, tripletStream);
    matchState = matches.encode(one.matchBytes, matchState, tripletStream);
    lengthState = lengths.encode(one.literals.length, lengthState, tripletStream);
  }
  const literalPayload = literalStream.finish();
  const tripletPayload = tripletStream.finish();
  const frequencies = createStream();
  for (const coder of [lengths, matches, distances, literalCoder])
    for (const one of coder.frequencies) writeFrequency(one, frequencies);
  const table = frequencies.finish().bytes;
  const fields = [
    pack(
      [literals.length, 20],
      [literalPayload.bytes.length, 20],
      [triplets.length, 20],
      [7 - literalPayload.padding, 3],
    ),
    pack(
      ...literalStates.map((state): [number, number] => [state, 10]),
      [tripletPayload.bytes.length, 20],
      [7 - tripletPayload.padding, 3],
    ),
    pack([32 + table.length, 32], [lengthState, 10], [matchState, 10], [distanceState, 10]),
  ];
  const rawBytes = triplets.reduce((sum, one) => sum + one.literals.length + one.matchBytes, 0);
  const head = [Buffer.from('bvx2'), uint32s(rawBytes), ...fields, table];
  return Buffer.concat([...head, literalPayload.bytes, tripletPayload.bytes, Buffer.from('bvx$')]);
}

interface Stream {
  push(value: number, bits: number): void;
  finish(): { bytes: Buffer; padding: number };
}

function createStream(): Stream {
  const bits: number[] = [];
  return {
    push(value, count) {
      for (let bit = 0; bit < count; bit++) bits.push((value >>> bit) & 1);
    },
    finish() {
      const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
      for (const [index, bit] of bits.entries())
        bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
      return { bytes, padding: bytes.length * 8 - bits.length };
    },
  };
}

interface Coder {
  frequencies: number[];
  /** Returns the state from which the decoder reads `value` and reaches `after`. */
  encode(value: number, after: number, stream: Stream): number;
}

function createCoder(values: number[], symbols: ValueRange[], stateCount: number): Coder {
  const symbolOf = (value: number) => symbols.findLastIndex(({ base }) => base <= value);
  const used = [...new Set(values.map(symbolOf))];
  const share = Math.floor(stateCount / Math.max(1, used.length));
  const frequencies = symbols.map((_, symbol) => (used.includes(symbol) ? share : 0));
  const [first] = used;
  if (first !== undefined) frequencies[first] = share + stateCount - share * used.length;
  const entries: EntropyEntry[] = buildDecoder(frequencies, stateCount, symbols);
  return {
    frequencies,
    encode(value, after, stream) {
      const symbol = symbolOf(value);
      const { base, extraBits } = symbols[symbol] ?? { base: 0, extraBits: 0 };
      const state = entries.findIndex(
        (entry) =>
          entry.base === base && after >= entry.nextState && after < entry.nextState + 2 ** entry.stateBits,
      );
      const entry = entries[state];
      if (!entry) throw new Error('no state leads there');
      stream.push(value - base, extraBits);
      stream.push(after - entry.nextState, entry.stateBits);
      return state;
    },
  };
}

function ranges(extraBits: number[]): ValueRange[] {
  let base = 0;
  return extraBits.map((bits) => {
    const range = { base, extraBits: bits };
    base += 2 ** bits;
    return range;
  });
}

function writeFrequency(value: number, stream: Stream): void {
  if (value < 2) stream.push(value << 1, 2);
  else if (value < 4) stream.push(1 | ((value - 2) << 2), 3);
  else if (value < 8) stream.push(3 | ((value - 4) << 3), 5);
  else if (value < 24) stream.push(7 | ((value - 8) << 4), 8);
  else stream.push(15 | ((value - 24) << 4), 14);
}

function pack(...fields: [number, number][]): Buffer {
  let word = 0n;
  let shift = 0n;
  for (const [value, width] of fields) {
    word |= BigInt(value) << shift;
    shift += BigInt(width);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(word);
  return bytes;
}
