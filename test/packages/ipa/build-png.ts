/** Builds PNG files, standard or in Apple's CgBI format, with any color type, depth, filter and interlacing. */
import { deflateRawSync, deflateSync } from 'node:zlib';
import { type PngChunk, writePng } from '../../../src/packages/ipa/png-chunks.ts';

export interface PngSpec {
  width: number;
  height: number;
  /** 0, 2, 3, 4 or 6; 6 by default. */
  colorType?: number;
  bitDepth?: number;
  interlaced?: boolean;
  cgbi?: boolean;
  /** Last byte of the CgBI chunk: 2 premultiplied, 6 unused alpha. */
  alphaInfo?: number;
  /** Samples of the pixel in a standard PNG. */
  pixel?: (x: number, y: number) => number[];
  /** By line; 0 by default. */
  filter?: (line: number) => number;
  chunks?: PngChunk[];
}

const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

export function buildPng(spec: PngSpec): Buffer {
  const { width, height, colorType = 6, bitDepth = 8, interlaced = false } = spec;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const data = scanlines(spec);
  const cgbi = { type: 'CgBI', data: Buffer.from([0x50, 0x00, 0x20, spec.alphaInfo ?? 2]) };
  return writePng([
    ...(spec.cgbi ? [cgbi] : []),
    { type: 'IHDR', data: header },
    ...(spec.chunks ?? []),
    { type: 'IDAT', data: spec.cgbi ? deflateRawSync(data) : deflateSync(data) },
  ]);
}

function scanlines(spec: PngSpec): Buffer {
  const { width, height, colorType = 6, bitDepth = 8 } = spec;
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colorType] ?? 1;
  const pixel = spec.pixel ?? ((x, y) => [x * 7, y * 5, x + y, 255].slice(0, samples));
  const step = Math.max(1, (samples * bitDepth) / 8);
  const lines: Buffer[] = [];
  for (const [left = 0, top = 0, stepX = 1, stepY = 1] of spec.interlaced ? passes : [[0, 0, 1, 1]]) {
    let above: Buffer | null = null;
    for (let y = top; y < height && left < width; y += stepY) {
      const values: number[] = [];
      for (let x = left; x < width; x += stepX) values.push(...stored(pixel(x, y), spec, samples, bitDepth));
      const line = bitDepth === 8 ? Buffer.from(values) : packBits(values, bitDepth);
      const filter = spec.filter?.(lines.length) ?? 0;
      lines.push(Buffer.concat([Buffer.from([filter]), applyFilter(filter, line, above, step)]));
      above = line;
    }
  }
  return Buffer.concat(lines);
}

/** The samples in Apple's format. */
function stored(values: number[], spec: PngSpec, samples: number, bitDepth: number): number[] {
  if (!spec.cgbi || bitDepth < 8 || samples === 1) return values;
  const full = 2 ** bitDepth - 1;
  const alpha = samples % 2 === 0 ? (values.at(-1) ?? full) : full;
  const colors = samples % 2 === 0 ? values.slice(0, -1) : values;
  const multiplied =
    (spec.alphaInfo ?? 2) === 2 ? colors.map((color) => Math.round((color * alpha) / full)) : colors;
  return [
    ...(colors.length === 3 ? multiplied.toReversed() : multiplied),
    ...(samples % 2 === 0 ? [alpha] : []),
  ];
}

function packBits(samples: readonly number[], bitDepth: number): Buffer {
  const bits = samples.flatMap((sample) =>
    Array.from({ length: bitDepth }, (_, bit) => (sample >> (bitDepth - 1 - bit)) & 1),
  );
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (7 - (index & 7)));
  return bytes;
}

function applyFilter(filter: number, line: Buffer, above: Buffer | null, step: number): Buffer {
  if (filter === 0) return line;
  return Buffer.from(
    line.map((value, index) => {
      const left = index >= step ? (line[index - step] ?? 0) : 0;
      const up = above?.[index] ?? 0;
      const upLeft = index >= step ? (above?.[index - step] ?? 0) : 0;
      const estimate = left + up - upLeft;
      const paeth = [left, up, upLeft].reduce((best, one) =>
        Math.abs(estimate - one) < Math.abs(estimate - best) ? one : best,
      );
      return value - ([0, left, up, (left + up) >> 1, paeth][filter] ?? 0);
    }),
  );
}
