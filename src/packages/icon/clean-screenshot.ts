import { readFile, stat } from 'node:fs/promises';
import { readRasterHeader } from '../apk/raster-header.ts';
import { maxScreenshotFileBytes } from '../package-task.ts';
import { maxPicturePixels, openPicture } from './image-library.ts';

/** Allows screenshots of scrolled pages. Limited because decoders buffer whole lines. */
export const maxScreenshotFileSide = 16_384;

/** Larger screenshots are scaled down to this side length. */
export const maxScreenshotSide = 2_560;

/**
 * Decodes a PNG or JPEG and re-encodes it as an upright WebP in sRGB without metadata. Scales it down if a side is longer than
 * `maxScreenshotSide`, but never up. Returns null for other, damaged or truncated bytes, or more than `maxScreenshotFileBytes`,
 * `maxScreenshotFileSide` or `maxPicturePixels`.
 */
export async function cleanScreenshot(bytes: Buffer): Promise<Buffer | null> {
  const header = bytes.length > maxScreenshotFileBytes ? null : readRasterHeader(bytes);
  if (!header || !['png', 'jpeg'].includes(header.kind) || header.width * header.height > maxPicturePixels)
    return null;
  if (Math.max(header.width, header.height) > maxScreenshotFileSide) return null;
  try {
    return await openPicture(bytes)
      .autoOrient()
      .resize({
        width: maxScreenshotSide,
        height: maxScreenshotSide,
        fit: 'inside',
        withoutEnlargement: true,
      })
      .toColorspace('srgb')
      .webp({ quality: 82 })
      .toBuffer();
  } catch {
    // Whatever the decoder reports, the picture cannot be displayed.
    return null;
  }
}

export async function cleanScreenshotFile(path: string): Promise<Buffer | null> {
  const { size } = await stat(path);
  return size > maxScreenshotFileBytes ? null : cleanScreenshot(await readFile(path));
}
