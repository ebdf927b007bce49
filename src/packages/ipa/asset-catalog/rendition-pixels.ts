/**
 * The pixels of a rendition. "MLEC": flags (1: pieces follow, 2: opaque), encoding, bytes or number of pieces; each piece
 * "KCBC", two unused, rows, bytes. Supports the encodings 0 plain, 1 runs, 2 zlib, 3 LZVN, 4 LZFSE, 8 palette and 11 deepmap2,
 * but not JPEG with LZFSE, blurred, ASTC, HEVC and the first deepmap.
 */
import { unzipSync } from 'node:zlib';
import { maxPngPixels } from '../png-scanlines.ts';
import { decodeDeepmap2 } from './deepmap2.ts';
import { decompressLzfse, isLzfse } from './lzfse.ts';
import { decompressLzvn } from './lzvn.ts';
import { decodePaletteImage } from './palette-image.ts';
import type { Rendition } from './rendition.ts';

/** Straight RGBA, 8 bits each. */
export interface Pixels {
  width: number;
  height: number;
  data: Buffer;
}

interface Piece {
  bytes: Buffer;
  rows: number;
}

interface RowLayout {
  rowBytes: number;
  bytesOfPixel: number;
}

export const maxRenditionPieces = 10_000;

const pieceHeaderBytes = 20;
export const maxRowPaddingBytes = 4096;

/** Bytes of a pixel by format. Colors are premultiplied; ARGB is stored as B, G, R, A. */
const pixelBytes: ReadonlyMap<string, number> = new Map([
  ['ARGB', 4],
  ['GA8 ', 2],
  ['GRAY', 1],
  ['RGBW', 8],
]);

/** Throws `Error` if the payload is malformed, too large or in an unsupported encoding. */
export function decodePixels(rendition: Rendition): Pixels {
  const { width, height, payload } = rendition;
  if (width === 0 || height === 0 || width * height > maxPngPixels) {
    throw new Error('a rendition has an invalid size');
  }
  if (payload.toString('latin1', 0, 4) !== 'MLEC') throw new Error('a rendition is not a bitmap');
  const flags = payload.readUInt32LE(4);
  const encoding = payload.readUInt32LE(8);
  const pieces = (flags & 1) !== 0 ? readPieces(payload, height) : [wholePiece(payload, height)];
  const data =
    encoding === 8 || encoding === 11
      ? decodeOwnPixels(pieces, encoding, rendition)
      : toRgba(unpackRows(pieces, encoding, rendition), rendition);
  return toStraight({ width, height, data }, (flags & 2) !== 0);
}

/** Decodes encodings with their own pixel format. */
function decodeOwnPixels(pieces: Piece[], encoding: number, { width, pixelFormat }: Rendition): Buffer {
  if (pixelFormat !== 'ARGB' && pixelFormat !== 'GA8 ') {
    throw new Error(`the pixel format ${pixelFormat} is not supported`);
  }
  const decode = encoding === 8 ? decodePaletteImage : decodeDeepmap2;
  return Buffer.concat(pieces.map(({ bytes, rows }) => decode(bytes, width, rows)));
}

/** Throws `Error` for an unknown pixel format. */
function layoutOf(rendition: Rendition): RowLayout {
  const bytesOfPixel = pixelBytes.get(rendition.pixelFormat);
  if (bytesOfPixel === undefined)
    throw new Error(`the pixel format ${rendition.pixelFormat} is not supported`);
  const minBytes = rendition.width * bytesOfPixel;
  const rowBytes = Math.max(rendition.rowBytes ?? 0, minBytes);
  if (rowBytes > minBytes + maxRowPaddingBytes) throw new Error('a rendition has invalid rows');
  return { rowBytes, bytesOfPixel };
}

function unpackRows(pieces: Piece[], encoding: number, rendition: Rendition): Buffer {
  const layout = layoutOf(rendition);
  const parts: Buffer[] = [];
  let left = layout.rowBytes * rendition.height;
  for (const { bytes } of pieces) {
    const part = unpack(bytes, encoding, left, layout);
    parts.push(part);
    left -= part.length;
  }
  return Buffer.concat(parts);
}

function wholePiece(payload: Buffer, rows: number): Piece {
  return { bytes: payload.subarray(16, 16 + payload.readUInt32LE(12)), rows };
}

function readPieces(payload: Buffer, height: number): Piece[] {
  const count = payload.readUInt32LE(12);
  if (count > maxRenditionPieces) throw new Error(`a rendition has more than ${maxRenditionPieces} pieces`);
  const pieces: Piece[] = [];
  let position = 16;
  let rowsLeft = height;
  for (let index = 0; index < count; index++) {
    if (payload.toString('latin1', position, position + 4) !== 'KCBC')
      throw new Error('a rendition lacks a piece');
    const rows = payload.readUInt32LE(position + 12);
    const start = position + pieceHeaderBytes;
    const end = start + payload.readUInt32LE(position + 16);
    if (end > payload.length) throw new Error('a rendition ends too early');
    if (rows > rowsLeft) throw new Error('a rendition has too many rows');
    pieces.push({ bytes: payload.subarray(start, end), rows });
    position = end;
    rowsLeft -= rows;
  }
  return pieces;
}

function unpack(piece: Buffer, encoding: number, maxBytes: number, layout: RowLayout): Buffer {
  if (encoding === 0) return isLzfse(piece) ? decompressLzfse(piece, maxBytes) : piece;
  if (encoding === 1) return decodeRuns(piece, layout.rowBytes, layout.bytesOfPixel, maxBytes);
  if (encoding === 2) return unzipSync(piece, { maxOutputLength: maxBytes });
  if (encoding === 3)
    return isLzfse(piece) ? decompressLzfse(piece, maxBytes) : decompressLzvn(piece, maxBytes);
  if (encoding === 4) return decompressLzfse(piece, maxBytes);
  throw new Error(`the encoding ${encoding} is not supported`);
}

/** Returns premultiplied RGBA. Uses the high byte of 16-bit samples. */
function toRgba(rows: Buffer, rendition: Rendition): Buffer {
  const { width, height, pixelFormat } = rendition;
  const { rowBytes, bytesOfPixel } = layoutOf(rendition);
  if (rows.length < rowBytes * (height - 1) + width * bytesOfPixel) throw new Error('a rendition lacks rows');
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    const row = rows.subarray(y * rowBytes);
    for (let x = 0; x < width; x++) {
      const to = (y * width + x) * 4;
      if (pixelFormat === 'ARGB') {
        data[to] = row[x * 4 + 2] ?? 0;
        data[to + 1] = row[x * 4 + 1] ?? 0;
        data[to + 2] = row[x * 4] ?? 0;
        data[to + 3] = row[x * 4 + 3] ?? 0;
      } else if (pixelFormat === 'RGBW') {
        for (let sample = 0; sample < 4; sample++) data[to + sample] = row[x * 8 + sample * 2 + 1] ?? 0;
      } else {
        const step = pixelFormat === 'GRAY' ? 1 : 2;
        data.fill(row[x * step] ?? 0, to, to + 3);
        data[to + 3] = step === 1 ? 255 : (row[x * step + 1] ?? 0);
      }
    }
  }
  return data;
}

function toStraight(pixels: Pixels, opaque: boolean): Pixels {
  const { data } = pixels;
  if (data.length !== pixels.width * pixels.height * 4) throw new Error('a rendition lacks rows');
  for (let pixel = 0; pixel < data.length; pixel += 4) {
    const alpha = opaque ? 255 : (data[pixel + 3] ?? 0);
    data[pixel + 3] = alpha;
    if (alpha === 255) continue;
    for (let color = pixel; color < pixel + 3; color++) {
      const value = data[color] ?? 0;
      data[color] = alpha === 0 ? 0 : Math.min(255, Math.floor((value * 255 + (alpha >> 1)) / alpha));
    }
  }
  return pixels;
}

/**
 * Runs of equal pixels in asset catalogs, based on ipsw's `pkg/car`: format, width, height, then the position of each row; a row is
 * packets of a control word and pixels, the word's high byte 0x00 (that many pixels follow) or 0x80 (one pixel, that many times).
 */

const headerBytes = 12;

/** Returns rows of `rowBytes`. Throws `Error` if the data is malformed or exceeds `maxBytes`. */
export function decodeRuns(bytes: Buffer, rowBytes: number, pixelBytes: number, maxBytes: number): Buffer {
  const width = bytes.readUInt32LE(4);
  const height = bytes.readUInt32LE(8);
  if (width * pixelBytes > rowBytes || height * rowBytes > maxBytes)
    throw new Error('the size of the runs differs from their image');
  const rows = Buffer.alloc(height * rowBytes);
  for (let y = 0; y < height; y++) {
    const start = bytes.readUInt32LE(headerBytes + y * 4);
    decodeRow(bytes, start, rows.subarray(y * rowBytes, y * rowBytes + width * pixelBytes), pixelBytes);
  }
  return rows;
}

function decodeRow(bytes: Buffer, start: number, row: Buffer, pixelBytes: number): void {
  let position = start;
  let done = 0;
  while (done < row.length) {
    const control = bytes.readUInt32LE(position);
    const length = (control & 0xffffff) * pixelBytes;
    const isRepeat = control >>> 24 === 0x80;
    const stored = isRepeat ? pixelBytes : length;
    position += 4;
    if (length === 0 || done + length > row.length || position + stored > bytes.length)
      throw new Error('a run is malformed');
    if (isRepeat) row.fill(bytes.subarray(position, position + stored), done, done + length);
    else bytes.copy(row, done, position, position + stored);
    position += stored;
    done += length;
  }
}
