/** The chunks of a PNG (W3C PNG specification, section 5), with or without Apple's CgBI chunk before the header. */
import { crc32 } from 'node:zlib';

export interface PngChunk {
  type: string;
  data: Buffer;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** How many bytes at the start of a file `readPngSize` needs: signature, a CgBI chunk of up to 8 bytes, IHDR up to its height. */
export const pngHeaderBytes = 8 + (12 + 8) + 8 + 8;

/** Maximum side length; real images are smaller. */
export const maxPngSide = 65_535;
export const maxPngChunks = 10_000;

export function isPng(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).equals(pngSignature);
}

/** Returns null if `start` is not the start of a PNG. */
export function readPngSize(start: Buffer): { width: number; height: number } | null {
  if (!isPng(start) || start.length < 24) return null;
  let position = 8;
  if (start.toString('latin1', 12, 16) === 'CgBI') position += 12 + start.readUInt32BE(8);
  if (position + 16 > start.length || start.toString('latin1', position + 4, position + 8) !== 'IHDR')
    return null;
  const width = start.readUInt32BE(position + 8);
  const height = start.readUInt32BE(position + 12);
  return isValidSide(width) && isValidSide(height) ? { width, height } : null;
}

function isValidSide(pixels: number): boolean {
  return pixels > 0 && pixels <= maxPngSide;
}

/** Returns every chunk up to IEND without checking checksums. Throws `Error` if there are too many, or one is truncated. */
export function readPngChunks(bytes: Buffer): PngChunk[] {
  const chunks: PngChunk[] = [];
  for (let position = 8; position + 12 <= bytes.length; ) {
    if (chunks.length === maxPngChunks) throw new Error(`it has more than ${maxPngChunks} chunks`);
    const length = bytes.readUInt32BE(position);
    const type = bytes.toString('latin1', position + 4, position + 8);
    if (position + 12 + length > bytes.length) throw new Error('it ends too early');
    if (type === 'IEND') break;
    chunks.push({ type, data: bytes.subarray(position + 8, position + 8 + length) });
    position += 12 + length;
  }
  return chunks;
}

/** Returns a complete file; adds IEND. */
export function writePng(chunks: PngChunk[]): Buffer {
  const parts = [...chunks, { type: 'IEND', data: Buffer.alloc(0) }].flatMap(({ type, data }) => {
    const head = Buffer.alloc(8, type);
    head.writeUInt32BE(data.length, 0);
    head.write(type, 4, 'latin1');
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(data, crc32(type)), 0);
    return [head, data, checksum];
  });
  return Buffer.concat([pngSignature, ...parts]);
}
