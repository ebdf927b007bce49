export interface RasterHeader {
  kind: 'png' | 'webp' | 'jpeg' | 'gif' | 'avif';
  width: number;
  height: number;
}

/** Detects the picture type and its size in pixels from the content; returns null for anything else. */
export function readRasterHeader(bytes: Buffer): RasterHeader | null {
  const header = readPng(bytes) ?? readWebp(bytes) ?? readJpeg(bytes) ?? readGif(bytes) ?? readAvif(bytes);
  return header && header.width > 0 && header.height > 0 ? header : null;
}

/** PNG specification, 5.2 and 11.2.2: signature, then the IHDR chunk with width and height. */
function readPng(bytes: Buffer): RasterHeader | null {
  if (bytes.length < 24 || bytes.readUInt32BE(0) !== 0x89504e47 || bytes.readUInt32BE(4) !== 0x0d0a1a0a)
    return null;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { kind: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** RFC 9649, 2.5 to 2.7: lossy, lossless and extended. */
function readWebp(bytes: Buffer): RasterHeader | null {
  if (
    bytes.length < 30 ||
    bytes.toString('latin1', 0, 4) !== 'RIFF' ||
    bytes.toString('latin1', 8, 12) !== 'WEBP'
  )
    return null;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return {
        kind: 'webp',
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21);
      return { kind: 'webp', width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { kind: 'webp', width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** ITU T.81, B.2.2: the size is in the first start-of-frame segment. */
function readJpeg(bytes: Buffer): RasterHeader | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { kind: 'jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** GIF89a, section 18: signature, version, then the size of the logical screen. */
function readGif(bytes: Buffer): RasterHeader | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return null;
  return { kind: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Properties of an AVIF image are within its first bytes. */
const maxAvifHeaderBytes = 4096;

/**
 * AV1 Image File Format, section 2.2, and ISO/IEC 23008-12, 6.5.3: a file type box with `avif` among its brands, and a box `ispe`
 * (4 bytes of version and flags, width, height) for every image in it, of which the largest counts.
 */
function readAvif(bytes: Buffer): RasterHeader | null {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return null;
  const head = bytes.subarray(0, maxAvifHeaderBytes);
  if (!head.toString('latin1', 8, Math.min(head.readUInt32BE(0), 256)).includes('avif')) return null;
  let largest: RasterHeader | null = null;
  for (
    let at = head.indexOf('ispe');
    at !== -1 && at + 16 <= head.length;
    at = head.indexOf('ispe', at + 4)
  ) {
    const [width, height] = [head.readUInt32BE(at + 8), head.readUInt32BE(at + 12)];
    if (width * height > (largest?.width ?? 0) * (largest?.height ?? 0))
      largest = { kind: 'avif', width, height };
  }
  return largest;
}
