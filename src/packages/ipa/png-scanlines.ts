/** The inflated image data of a PNG (W3C PNG specification, sections 7 to 9): passes, scan lines and filters. */

import { maxPngSide } from './png-chunks.ts';

export interface PngHeader {
  width: number;
  height: number;
  bitDepth: number;
  /** 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha. */
  colorType: number;
  interlaced: boolean;
}

/** Maximum number of pixels, with which 8-bit RGBA takes 64 MiB. */
export const maxPngPixels = 4096 * 4096;

const samplesByColorType: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

/** Adam7: first column and row of each pass, and the steps between its columns and rows. */
const interlacePasses = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Throws `Error` if it is not an IHDR or exceeds the limit. */
export function readPngHeader(data: Buffer | undefined): PngHeader {
  if (data?.length !== 13) throw new Error('its header is malformed');
  const header: PngHeader = {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    bitDepth: data.readUInt8(8),
    colorType: data.readUInt8(9),
    interlaced: data.readUInt8(12) === 1,
  };
  if (!samplesByColorType.has(header.colorType) || ![1, 2, 4, 8, 16].includes(header.bitDepth)) {
    throw new Error('its header is malformed');
  }
  if (header.width === 0 || header.height === 0) throw new Error('it has no pixels');
  if (Math.max(header.width, header.height) > maxPngSide)
    throw new Error(`it is wider or higher than ${maxPngSide} pixels`);
  if (header.width * header.height > maxPngPixels) throw new Error(`it has more than ${maxPngPixels} pixels`);
  return header;
}

export function samplesOf(header: PngHeader): number {
  return samplesByColorType.get(header.colorType) ?? 1;
}

interface Pass {
  rowBytes: number;
  rows: number;
}

function passesOf(header: PngHeader): Pass[] {
  const bitsPerPixel = samplesOf(header) * header.bitDepth;
  const sizes = header.interlaced
    ? interlacePasses.map(([left, top, stepX, stepY]) => ({
        columns: Math.ceil((header.width - left) / stepX),
        rows: Math.ceil((header.height - top) / stepY),
      }))
    : [{ columns: header.width, rows: header.height }];
  return sizes
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
    .map(({ columns, rows }) => ({ rowBytes: Math.ceil((columns * bitsPerPixel) / 8), rows }));
}

/** Returns the size of the inflated data, with one filter byte per scan line. */
export function scanlineBytes(header: PngHeader): number {
  return passesOf(header).reduce((sum, { rowBytes, rows }) => sum + rows * (rowBytes + 1), 0);
}

/**
 * Undoes the filters of all scan lines in place, sets every filter byte to 0, and passes each line to `visit`, which may modify
 * it. Throws `Error` for an unknown filter.
 */
export function unfilterScanlines(header: PngHeader, data: Buffer, visit: (line: Buffer) => void): void {
  const step = Math.max(1, (samplesOf(header) * header.bitDepth) / 8);
  let position = 0;
  for (const { rowBytes, rows } of passesOf(header)) {
    let above: Buffer = Buffer.alloc(rowBytes);
    const lines: Buffer[] = [];
    for (let row = 0; row < rows; row++) {
      const line = data.subarray(position + 1, position + 1 + rowBytes);
      unfilter(data[position] ?? 0, line, above, step);
      data[position] = 0;
      lines.push(line);
      above = line;
      position += rowBytes + 1;
    }
    for (const line of lines) visit(line);
  }
}

function unfilter(filter: number, line: Buffer, above: Buffer, step: number): void {
  if (filter > 4) throw new Error('a scan line has an unknown filter');
  if (filter === 0) return;
  for (let index = 0; index < line.length; index++) {
    const left = index >= step ? (line[index - step] ?? 0) : 0;
    const up = above[index] ?? 0;
    const upLeft = index >= step ? (above[index - step] ?? 0) : 0;
    line[index] = (line[index] ?? 0) + predict(filter, left, up, upLeft);
  }
}

function predict(filter: number, left: number, up: number, upLeft: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  const estimate = left + up - upLeft;
  const distanceLeft = Math.abs(estimate - left);
  const distanceUp = Math.abs(estimate - up);
  const distanceUpLeft = Math.abs(estimate - upLeft);
  if (distanceLeft <= distanceUp && distanceLeft <= distanceUpLeft) return left;
  return distanceUp <= distanceUpLeft ? up : upLeft;
}
