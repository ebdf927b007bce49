/**
 * Apple's PNG variant, which Xcode produces for the images of an app: a CgBI chunk before the header, image data without the zlib
 * wrapper, red and blue swapped, premultiplied colors. Based on the description "CgBI file format" in the iPhone Development
 * Wiki. The chunk's last byte is a CGImageAlphaInfo: 1 and 2 mean premultiplied, 5 and 6 mean that alpha is unused.
 */
import { deflateSync, inflateRawSync } from 'node:zlib';
import { UnreadablePackage } from '../package-info.ts';
import { isPng, type PngChunk, readPngChunks, writePng } from './png-chunks.ts';
import {
  type PngHeader,
  readPngHeader,
  samplesOf,
  scanlineBytes,
  unfilterScanlines,
} from './png-scanlines.ts';

/** Color chunks that remain valid; Apple's iDOT, which points into the old data, must be removed. */
const keptChunks = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP']);

const alphaInfoMask = 0x1f;
const premultipliedAlpha = [1, 2];
const ignoredAlpha = [5, 6];

/**
 * Returns a standard PNG with the same pixels, color type, depth and interlacing. Returns a PNG without the chunk unchanged.
 * Throws `UnreadablePackage` if it is not a PNG, is malformed, or has more than `maxPngPixels`.
 */
export function decodeCgbiPng(buffer: Buffer): Buffer {
  if (!isPng(buffer)) throw new UnreadablePackage('the image is not a PNG');
  if (buffer.toString('latin1', 12, 16) !== 'CgBI') return buffer;
  try {
    return decode(readPngChunks(buffer));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadablePackage(`the PNG is not readable: ${reason}`, { cause: error });
  }
}

function decode(chunks: PngChunk[]): Buffer {
  const alphaInfo = (chunks.find(({ type }) => type === 'CgBI')?.data.at(-1) ?? 0) & alphaInfoMask;
  const header = readPngHeader(chunks.find(({ type }) => type === 'IHDR')?.data);
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const expectedBytes = scanlineBytes(header);
  const scanlines = inflateRawSync(packed, { maxOutputLength: expectedBytes });
  if (scanlines.length !== expectedBytes) throw new Error('its image data is truncated');
  const toStandard = header.bitDepth === 16 ? wideLineToStandard : lineToStandard;
  unfilterScanlines(header, scanlines, (line) => toStandard(line, header, alphaInfo));
  return writePng([
    ...chunks.filter(({ type }) => keptChunks.has(type)),
    { type: 'IDAT', data: deflateSync(scanlines, { level: 1 }) },
  ]);
}

/** Leaves palettes, samples smaller than a byte and plain gray unchanged. */
function lineToStandard(line: Buffer, header: PngHeader, alphaInfo: number): void {
  const samples = samplesOf(header);
  if (header.bitDepth !== 8 || samples === 1) return;
  const hasAlpha = samples === 2 || samples === 4;
  const colors = hasAlpha ? samples - 1 : samples;
  for (let pixel = 0; pixel < line.length; pixel += samples) {
    if (colors === 3) {
      const blue = line[pixel] ?? 0;
      line[pixel] = line[pixel + 2] ?? 0;
      line[pixel + 2] = blue;
    }
    if (!hasAlpha) continue;
    const alpha = line[pixel + colors] ?? 0;
    if (ignoredAlpha.includes(alphaInfo)) line[pixel + colors] = 255;
    else if (premultipliedAlpha.includes(alphaInfo) && alpha !== 255) {
      for (let color = 0; color < colors; color++) {
        line[pixel + color] = divideByAlpha(line[pixel + color] ?? 0, alpha, 255);
      }
    }
  }
}

/** Like `lineToStandard`, for samples of 16 bits, big-endian. */
function wideLineToStandard(line: Buffer, header: PngHeader, alphaInfo: number): void {
  const samples = samplesOf(header);
  if (samples === 1) return;
  const hasAlpha = samples === 2 || samples === 4;
  const colors = hasAlpha ? samples - 1 : samples;
  for (let pixel = 0; pixel < line.length; pixel += samples * 2) {
    if (colors === 3) {
      const blue = line.readUInt16BE(pixel);
      line.writeUInt16BE(line.readUInt16BE(pixel + 4), pixel);
      line.writeUInt16BE(blue, pixel + 4);
    }
    if (!hasAlpha) continue;
    const alpha = line.readUInt16BE(pixel + colors * 2);
    if (ignoredAlpha.includes(alphaInfo)) line.writeUInt16BE(65_535, pixel + colors * 2);
    else if (premultipliedAlpha.includes(alphaInfo) && alpha !== 65_535) {
      for (let color = 0; color < colors; color++) {
        const position = pixel + color * 2;
        line.writeUInt16BE(divideByAlpha(line.readUInt16BE(position), alpha, 65_535), position);
      }
    }
  }
}

/** Fully transparent pixels have no color. */
function divideByAlpha(value: number, alpha: number, full: number): number {
  return alpha === 0 ? 0 : Math.min(full, Math.floor((value * full + (alpha >> 1)) / alpha));
}
