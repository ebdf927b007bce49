/**
 * Palette images in asset catalogs, based on ipsw's `pkg/car`: 0xcafef00d, version, number of colors (16 bits), the colors as A,
 * R, G, B, then rows of indices padded to 16 bits. Within a 16-bit word, the first pixel has the highest bits. All of this may be
 * compressed with LZFSE.
 */
import { decompressLzfse, isLzfse } from './lzfse.ts';

const magic = 0xcafef00d;
const headerBytes = 10;
export const maxColors = 4096;
const colorBytes = 4;

/** Returns premultiplied RGBA. Throws `Error` if malformed. */
export function decodePaletteImage(piece: Buffer, width: number, height: number): Buffer {
  const maxBytes = headerBytes + maxColors * colorBytes + (width * 2 + 2) * height;
  const bytes = isLzfse(piece) ? decompressLzfse(piece, maxBytes) : piece;
  if (bytes.length < headerBytes || bytes.readUInt32LE(0) !== magic)
    throw new Error('a palette image is malformed');
  const count = bytes.readUInt16LE(8);
  const colors = bytes.subarray(headerBytes, headerBytes + count * colorBytes);
  const indices = bytes.subarray(headerBytes + count * colorBytes);
  const indexBits = bitsFor(count);
  const rowBytes = Math.ceil((width * indexBits) / 16) * 2;
  if (count === 0 || count > maxColors || indices.length < rowBytes * height)
    throw new Error('a palette image ends too early');
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = x * indexBits;
      const word = indices.readUInt16LE(y * rowBytes + (bit >> 4) * 2);
      const index = (word >> (16 - indexBits - (bit & 15))) & (2 ** indexBits - 1);
      if (index >= count) throw new Error('a palette image uses a missing color');
      const [alpha = 0, red = 0, green = 0, blue = 0] = colors.subarray(
        index * colorBytes,
        (index + 1) * colorBytes,
      );
      data.set([red, green, blue, alpha], (y * width + x) * 4);
    }
  }
  return data;
}

/** Returns 1, 2, 4, 8 or 16. */
function bitsFor(count: number): number {
  let bits = 1;
  while (count > 2 ** bits) bits *= 2;
  return bits;
}
