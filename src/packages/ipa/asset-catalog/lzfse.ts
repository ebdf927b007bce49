/**
 * Apple's LZFSE compression, based on the open-source `lzfse_internal.h`: a sequence of blocks with magic numbers
 *
 *     bvx-   raw: bytes, then as many bytes
 *     bvxn   LZVN: raw bytes, payload bytes, payload
 *     bvx2   finite state entropy: raw bytes, three packed 64-bit fields, frequencies, literals, triplets
 *     bvx$   the end
 *
 * In bvx2 each triplet is L literals, then a match of M bytes from distance D (0: as before). Both streams are read backwards.
 */
import { createOutput, type DecompressionOutput } from './decompression-output.ts';
import {
  buildDecoder,
  createBackwardBits,
  decodeSymbol,
  type EntropyState,
  type ValueRange,
} from './finite-state-entropy.ts';
import { decompressLzvnInto } from './lzvn.ts';

const fixedHeaderBytes = 32;
export const maxLiteralsPerBlock = 40_000;
export const maxMatchesPerBlock = 10_000;

const states = { length: 64, match: 64, distance: 256, literal: 1024 };
const symbols = { length: 20, match: 20, distance: 64, literal: 256 };

/** Extra bits of each symbol; its base is determined by the previous ones. */
const lengthBits = [...Array(16).fill(0), 2, 3, 5, 8];
const matchBits = [...Array(16).fill(0), 3, 5, 8, 11];
const distanceBits = Array.from({ length: 64 }, (_, symbol) => symbol >> 2);

export function isLzfse(bytes: Buffer): boolean {
  return ['bvx-', 'bvxn', 'bvx2'].includes(bytes.toString('latin1', 0, 4));
}

/** Returns the decompressed bytes and ignores trailing data. Throws `Error` if `bytes` is malformed or exceeds `maxBytes`. */
export function decompressLzfse(bytes: Buffer, maxBytes: number): Buffer {
  const output = createOutput(maxBytes);
  let position = 0;
  for (;;) {
    const magic = bytes.toString('latin1', position, position + 4);
    if (magic === 'bvx$') return output.take();
    if (magic === 'bvx-') position += copyRawBlock(bytes, position, output);
    else if (magic === 'bvxn') position += decompressLzvnBlock(bytes, position, output);
    else if (magic === 'bvx2') position += decompressEntropyBlock(bytes, position, output);
    else throw new Error('LZFSE data has an unknown block');
  }
}

function copyRawBlock(bytes: Buffer, position: number, output: DecompressionOutput): number {
  const length = bytes.readUInt32LE(position + 4);
  output.copy(bytes, position + 8, length);
  return 8 + length;
}

function decompressLzvnBlock(bytes: Buffer, position: number, output: DecompressionOutput): number {
  const expected = output.length + bytes.readUInt32LE(position + 4);
  const end = position + 12 + bytes.readUInt32LE(position + 8);
  decompressLzvnInto(bytes.subarray(position + 12, end), output);
  if (output.length !== expected) throw new Error('LZFSE data has a block with the wrong size');
  return end - position;
}

interface BlockHeader {
  headerBytes: number;
  literalCount: number;
  literalBytes: number;
  literalPadding: number;
  literalStates: number[];
  matchCount: number;
  tripletBytes: number;
  tripletPadding: number;
  lengthState: number;
  matchState: number;
  distanceState: number;
}

function decompressEntropyBlock(bytes: Buffer, position: number, output: DecompressionOutput): number {
  const header = readBlockHeader(bytes, position);
  const literalStart = position + header.headerBytes;
  const tripletStart = literalStart + header.literalBytes;
  const end = tripletStart + header.tripletBytes;
  if (end > bytes.length) throw new Error('LZFSE data ends too early');
  const frequencies = readFrequencies(bytes.subarray(position + fixedHeaderBytes, literalStart));
  const [lengths = [], matches = [], distances = [], literals = []] = frequencies;
  const literalBytes = decodeLiterals(bytes.subarray(literalStart, tripletStart), header, literals);
  const triplets = createBackwardBits(bytes.subarray(tripletStart, end), header.tripletPadding);
  const length = startState(lengths, states.length, valueRanges(lengthBits), header.lengthState);
  const match = startState(matches, states.match, valueRanges(matchBits), header.matchState);
  const distance = startState(distances, states.distance, valueRanges(distanceBits), header.distanceState);
  let literalPosition = 0;
  let lastDistance = 0;
  for (let index = 0; index < header.matchCount; index++) {
    const literalCount = decodeSymbol(length, triplets);
    const matchBytes = decodeSymbol(match, triplets);
    lastDistance = decodeSymbol(distance, triplets) || lastDistance;
    output.copy(literalBytes, literalPosition, literalCount);
    literalPosition += literalCount;
    if (matchBytes > 0) output.repeat(lastDistance, matchBytes);
  }
  return end - position;
}

function startState(
  frequencies: number[],
  stateCount: number,
  values: ValueRange[],
  state: number,
): EntropyState {
  return { entries: buildDecoder(frequencies, stateCount, values), state };
}

function valueRanges(extraBits: number[]): ValueRange[] {
  let base = 0;
  return extraBits.map((bits) => {
    const range = { base, extraBits: bits };
    base += 2 ** bits;
    return range;
  });
}

/** Decodes four literals at a time, each with its own state, from one stream. */
function decodeLiterals(payload: Buffer, header: BlockHeader, frequencies: number[]): Buffer {
  const values = frequencies.map((_, symbol) => ({ base: symbol, extraBits: 0 }));
  const entries = buildDecoder(frequencies, states.literal, values);
  const streams = header.literalStates.map((state) => ({ entries, state }));
  const bits = createBackwardBits(payload, header.literalPadding);
  const literals = Buffer.alloc(header.literalCount);
  for (let index = 0; index < literals.length; index++) {
    const stream = streams[index % streams.length];
    if (stream) literals[index] = decodeSymbol(stream, bits);
  }
  return literals;
}

function readBlockHeader(bytes: Buffer, position: number): BlockHeader {
  if (position + fixedHeaderBytes > bytes.length) throw new Error('LZFSE data ends too early');
  const field = (index: number, shift: number, width: number) =>
    Number((bytes.readBigUInt64LE(position + 8 + index * 8) >> BigInt(shift)) & ((1n << BigInt(width)) - 1n));
  const header: BlockHeader = {
    literalCount: field(0, 0, 20),
    literalBytes: field(0, 20, 20),
    matchCount: field(0, 40, 20),
    literalPadding: 7 - field(0, 60, 3),
    literalStates: [field(1, 0, 10), field(1, 10, 10), field(1, 20, 10), field(1, 30, 10)],
    tripletBytes: field(1, 40, 20),
    tripletPadding: 7 - field(1, 60, 3),
    headerBytes: field(2, 0, 32),
    lengthState: field(2, 32, 10),
    matchState: field(2, 42, 10),
    distanceState: field(2, 52, 10),
  };
  const isSound =
    header.headerBytes >= fixedHeaderBytes &&
    header.literalCount <= maxLiteralsPerBlock &&
    header.matchCount <= maxMatchesPerBlock;
  if (!isSound) throw new Error('LZFSE data has a malformed block');
  return header;
}

/** Reads L, M, D and literal frequencies in a prefix code, lowest bit first. Missing frequencies are zero. */
function readFrequencies(bytes: Buffer): number[][] {
  let position = 0;
  const take = (count: number) => {
    let value = 0;
    for (let bit = 0; bit < count; bit++, position++)
      value |= (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) << bit;
    return value;
  };
  const takeFrequency = () => {
    if (take(1) === 0) return take(1);
    if (take(1) === 0) return 2 + take(1);
    if (take(1) === 0) return 4 + take(2);
    return take(1) === 0 ? 8 + take(4) : 24 + take(10);
  };
  const tables = [symbols.length, symbols.match, symbols.distance, symbols.literal].map((count) =>
    Array.from({ length: count }, () => (bytes.length === 0 ? 0 : takeFrequency())),
  );
  if (position > bytes.length * 8) throw new Error('LZFSE data has malformed frequencies');
  return tables;
}
