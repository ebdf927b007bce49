/**
 * One image in Apple's "deepmap2" format, based on the same sources as deepmap2.ts.
 *
 *     "dmp2"   method, scale, unused, channels, width, height (16 bits each), then for method 4 a palette, then streams
 *     streams  LZFSE or LZVN, each after its length, or one without
 *
 * Methods: 1 plain, 2 predicted, 3 compressed, 4 palette. A predicted stream is planes: alpha, a predictor for each row, then the
 * high and the low bytes of residuals, which are signs and magnitudes of luma and two chroma differences.
 */
import { decompressLzfse, isLzfse } from './lzfse.ts';
import { decompressLzvn } from './lzvn.ts';

interface DeepmapHeader {
  method: number;
  hasCoarseChroma: boolean;
  /** 1 gray, 2 gray and alpha, 3 BGR, 4 BGRA. */
  channels: number;
  width: number;
}

const headerBytes = 12;
export const maxStreams = 10_000;
export const maxPaletteColors = 256;
export const maxPaddingRows = 64;

/** Returns premultiplied RGBA. Throws `Error` if malformed, or for unsupported 16-bit samples. */
export function decodeDeepmapImage(bytes: Buffer, width: number, height: number): Buffer {
  if (bytes.length < headerBytes || bytes.toString('latin1', 0, 4) !== 'dmp2')
    throw new Error('it is not a deepmap2 image');
  const header: DeepmapHeader = {
    method: bytes.readUInt8(4),
    hasCoarseChroma: bytes.readUInt8(5) !== 0,
    channels: bytes.readUInt8(7),
    width: bytes.readUInt16LE(8),
  };
  if (header.channels < 1 || header.channels > 4) throw new Error('a deepmap2 image has unsupported samples');
  if (header.width !== width) throw new Error('a deepmap2 image has another size than stated');
  const content = bytes.subarray(headerBytes);
  const pixelCount = width * height;
  if (header.method === 1) return plainPixels(content, header.channels, pixelCount);
  if (header.method === 2) return predictedPixels(content, header, height);
  if (header.method === 3) {
    return plainPixels(joinStreams(content, pixelCount * header.channels), header.channels, pixelCount);
  }
  if (header.method === 4) return palettePixels(content, pixelCount);
  throw new Error(`the deepmap2 method ${header.method} is not supported`);
}

/** Returns the streams, each preceded by its length; a single stream if the lengths do not add up. */
function splitStreams(content: Buffer): Buffer[] {
  const streams: Buffer[] = [];
  let position = 0;
  while (position + 4 <= content.length && streams.length < maxStreams) {
    const end = position + 4 + content.readUInt32LE(position);
    if (end === position + 4 || end > content.length) return [content];
    streams.push(content.subarray(position + 4, end));
    position = end;
  }
  return position === content.length ? streams : [content];
}

function decompress(stream: Buffer, maxBytes: number): Buffer {
  return isLzfse(stream) ? decompressLzfse(stream, maxBytes) : decompressLzvn(stream, maxBytes);
}

/** Limits the total of all streams, because each may be small and expand ten thousand times. */
function joinStreams(content: Buffer, maxBytes: number): Buffer {
  const parts: Buffer[] = [];
  let left = maxBytes;
  for (const stream of splitStreams(content)) {
    const part = decompress(stream, left);
    parts.push(part);
    left -= part.length;
  }
  return Buffer.concat(parts);
}

function plainPixels(samples: Buffer, channels: number, pixelCount: number): Buffer {
  if (samples.length < pixelCount * channels) throw new Error('a deepmap2 image ends too early');
  const data = Buffer.alloc(pixelCount * 4, 255);
  for (let pixel = 0; pixel < pixelCount; pixel++) {
    const [first = 0, second = 0, third = 0, fourth = 0] = samples.subarray(
      pixel * channels,
      (pixel + 1) * channels,
    );
    if (channels <= 2)
      data.set(channels === 2 ? [first, first, first, second] : [first, first, first], pixel * 4);
    else data.set(channels === 4 ? [third, second, first, fourth] : [third, second, first], pixel * 4);
  }
  return data;
}

/** Number of colors and kind (16 bits each), colors as B, G, R, A, then indices; for kind 3 a plane of alpha before them. */
function palettePixels(content: Buffer, pixelCount: number): Buffer {
  const count = content.readUInt16LE(0);
  const hasAlphaPlane = content.readUInt16LE(2) === 3;
  if (count === 0 || count > maxPaletteColors) throw new Error('a deepmap2 image has an invalid palette');
  const colors = content.subarray(4, 4 + count * 4);
  const planes = joinStreams(content.subarray(4 + count * 4), pixelCount * 2);
  const indices = hasAlphaPlane ? planes.subarray(pixelCount) : planes;
  if (indices.length < pixelCount) throw new Error('a deepmap2 image ends too early');
  const data = Buffer.alloc(pixelCount * 4);
  for (let pixel = 0; pixel < pixelCount; pixel++) {
    const index = indices[pixel] ?? 0;
    if (index >= count) throw new Error('a deepmap2 image uses a missing color');
    const [blue = 0, green = 0, red = 0, alpha = 0] = colors.subarray(index * 4, index * 4 + 4);
    data.set([red, green, blue, hasAlphaPlane ? (planes[pixel] ?? 0) : alpha], pixel * 4);
  }
  return data;
}

/** A stream contains the planes of some rows, the last of which may be padding, and the stream itself may be padded to 16 bytes. */
function predictedPixels(content: Buffer, header: DeepmapHeader, height: number): Buffer {
  const { width } = header;
  const components = header.channels >= 3 ? 3 : 1;
  const hasAlpha = header.channels === 2 || header.channels === 4;
  const rowBytes = 1 + width * (components * 2 + (hasAlpha ? 1 : 0));
  const data = Buffer.alloc(width * height * 4, 255);
  let row = 0;
  for (const stream of splitStreams(content)) {
    const planes = decompress(stream, rowBytes * (height + maxPaddingRows));
    const storedRows = Math.floor(planes.length / rowBytes);
    const rows = Math.min(height - row, storedRows);
    if (rows === 0) throw new Error('a deepmap2 image has a stream without rows');
    const shape = { width, storedRows, components, hasAlpha, hasCoarseChroma: header.hasCoarseChroma };
    reconstructRows(planes, shape, data.subarray(row * width * 4, (row + rows) * width * 4));
    row += rows;
  }
  if (row !== height) throw new Error('a deepmap2 image lacks rows');
  return data;
}

interface PredictedRows {
  width: number;
  storedRows: number;
  components: number;
  hasAlpha: boolean;
  hasCoarseChroma: boolean;
}

function reconstructRows(planes: Buffer, shape: PredictedRows, target: Buffer): void {
  const { width, storedRows, components } = shape;
  const alphaBytes = shape.hasAlpha ? width * storedRows : 0;
  const samples = width * storedRows * components;
  const predictors = planes.subarray(alphaBytes, alphaBytes + storedRows);
  const high = planes.subarray(alphaBytes + storedRows, alphaBytes + storedRows + samples);
  const low = planes.subarray(alphaBytes + storedRows + samples, alphaBytes + storedRows + samples * 2);
  let above: Int16Array<ArrayBufferLike> = new Int16Array(width * components);
  for (let y = 0; y < target.length / (width * 4); y++) {
    const predictor = predictors[y] ?? 0;
    if (predictor > 4) throw new Error('a deepmap2 image has an unknown predictor');
    const line = new Int16Array(width * components);
    for (let index = 0; index < line.length; index++) {
      const at = y * line.length + index;
      const coded = ((high[at] ?? 0) << 8) | (low[at] ?? 0);
      const residual = coded & 1 ? -(coded >> 1) : coded >> 1;
      line[index] = residual + predict(predictor, line, above, index, components);
    }
    writeLine(line, shape, target.subarray(y * width * 4, (y + 1) * width * 4));
    above = line;
  }
  if (!shape.hasAlpha) return;
  for (let pixel = 0; pixel < target.length / 4; pixel++) target[pixel * 4 + 3] = planes[pixel] ?? 0;
}

/** 0 none, 1 left or above depending on luma, 2 left, 3 above, 4 their mean. */
function predict(
  predictor: number,
  line: Int16Array,
  above: Int16Array,
  index: number,
  components: number,
): number {
  const isFirst = index < components;
  const up = above[index] ?? 0;
  const left = isFirst ? 0 : (line[index - components] ?? 0);
  if (predictor === 1) return isLeftNearer(line, above, index, components) ? left : up;
  if (predictor === 2) return left;
  if (predictor === 3) return up;
  if (predictor === 4) return isFirst ? up : Math.trunc((left + up + 1) / 2);
  return 0;
}

function isLeftNearer(line: Int16Array, above: Int16Array, index: number, components: number): boolean {
  const luma = index - (index % components);
  if (luma === 0) return false;
  const upLeft = above[luma - components] ?? 0;
  return Math.abs((above[luma] ?? 0) - upLeft) <= Math.abs((line[luma - components] ?? 0) - upLeft);
}

/** Luma and two differences to colors (YCoCg, with blue and red exchanged). */
function writeLine(line: Int16Array, shape: PredictedRows, target: Buffer): void {
  for (let x = 0; x < shape.width; x++) {
    const luma = line[x * shape.components] ?? 0;
    if (shape.components === 1) {
      target.fill(luma & 0xff, x * 4, x * 4 + 3);
      continue;
    }
    const scale = shape.hasCoarseChroma ? 2 : 1;
    const orange = (line[x * 3 + 1] ?? 0) * scale;
    const green = (line[x * 3 + 2] ?? 0) * scale;
    const base = luma - Math.trunc(green / 2);
    const half = Math.trunc(orange / 2);
    target[x * 4] = clamp(base - half);
    target[x * 4 + 1] = clamp(base + green);
    target[x * 4 + 2] = clamp(base + orange - half);
  }
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, value));
}
