import { readFile, stat } from 'node:fs/promises';
import { readRasterHeader } from '../apk/raster-header.ts';
import { isPng, readPngChunks } from '../ipa/png-chunks.ts';
import {
  type LogoRefusal,
  maxLogoBytes,
  maxLogoFileBytes,
  maxLogoFileSide,
  maxLogoSide,
} from '../logo-limits.ts';
import { UnreadablePackage } from '../package-info.ts';
import { openPicture } from './image-library.ts';

/** From 1 to 10. Higher values take ten times as long for palettes that look the same. */
const paletteEffort = 1;

/** Tried in this order until the file is small enough, which the last one always achieves: one byte per pixel. */
const attempts = [
  { side: maxLogoSide, palette: false },
  { side: maxLogoSide, palette: true },
  { side: 256, palette: false },
  { side: 256, palette: true },
  { side: 128, palette: true },
];

/**
 * Decodes a PNG, JPEG or WebP and re-encodes it as an upright PNG in sRGB without metadata, of at most `maxLogoBytes`. Scales it
 * down if a side is longer than `maxLogoSide`, but never up.
 * @throws UnreadablePackage with a `LogoRefusal`
 */
export async function cleanLogo(bytes: Buffer): Promise<Buffer> {
  if (bytes.length > maxLogoFileBytes) throw refusal('bytes');
  const header = readRasterHeader(bytes);
  if (!header || !['png', 'jpeg', 'webp'].includes(header.kind)) throw refusal('format');
  if (Math.max(header.width, header.height) > maxLogoFileSide) throw refusal('side');
  if (isAnimated(bytes)) throw refusal('animated');
  for (const { side, palette } of attempts) {
    const png = await openPicture(bytes)
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .toColorspace('srgb')
      .png({ compressionLevel: 9, ...(palette ? { palette, effort: paletteEffort } : {}) })
      .toBuffer()
      .catch((error: unknown) => {
        throw refusal('damaged', error);
      });
    if (png.length <= maxLogoBytes) return png;
  }
  throw refusal('damaged');
}

const refusal = (reason: LogoRefusal, cause?: unknown) => new UnreadablePackage(reason, { cause });

/** Whether it is animated, because the decoder would silently use the first frame. */
function isAnimated(bytes: Buffer): boolean {
  if (isPng(bytes)) return hasChunk(bytes, 'acTL');
  // RFC 9649, section 2.7: the flag of the VP8X chunk.
  return bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0b10) !== 0;
}

/** PNG specification, third edition, 11.3.4.1. */
function hasChunk(png: Buffer, type: string): boolean {
  try {
    return readPngChunks(png).some((chunk) => chunk.type === type);
  } catch (error) {
    throw refusal('damaged', error);
  }
}

export async function cleanLogoFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > maxLogoFileBytes) throw refusal('bytes');
  return cleanLogo(await readFile(path));
}
