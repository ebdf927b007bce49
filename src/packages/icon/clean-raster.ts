import { readRasterHeader } from '../apk/raster-header.ts';
import { decodeCgbiPng } from '../ipa/cgbi-png.ts';
import { isPng } from '../ipa/png-chunks.ts';
import { UnreadablePackage } from '../package-info.ts';
import { maxPicturePixels, openPicture } from './image-library.ts';

/** Several times the size of a picture of 1024 by 1024 pixels. */
export const maxRasterBytes = 8 * 1024 * 1024;

/** Limited because decoders buffer whole lines: a few lines with four million pixels take gigabytes. */
export const maxRasterSide = 4096;

export interface CleanRaster {
  /** A PNG of 8-bit sRGB without metadata. */
  png: Buffer;
  width: number;
  height: number;
}

/**
 * Decodes a PNG (including Apple's CgBI variant), WebP, JPEG, GIF (its first frame) or AVIF and re-encodes it as a plain PNG.
 * Scales it down if a side is longer than `maxSidePixels`, but never up. Returns null for other, damaged or truncated bytes, or
 * more than `maxRasterBytes`, `maxRasterSide` or `maxPicturePixels`.
 */
export async function cleanRaster(bytes: Buffer, maxSidePixels: number): Promise<CleanRaster | null> {
  const standard = bytes.length > maxRasterBytes ? null : toStandard(bytes);
  const header = standard && readRasterHeader(standard);
  if (!standard || !header || header.width * header.height > maxPicturePixels) return null;
  if (Math.max(header.width, header.height) > maxRasterSide) return null;
  try {
    const { data, info } = await openPicture(standard)
      .resize({ width: maxSidePixels, height: maxSidePixels, fit: 'inside', withoutEnlargement: true })
      .toColorspace('srgb')
      .png({ compressionLevel: 7 })
      .toBuffer({ resolveWithObject: true });
    return { png: data, width: info.width, height: info.height };
  } catch {
    // Whatever the decoder reports, the picture cannot be displayed.
    return null;
  }
}

function toStandard(bytes: Buffer): Buffer | null {
  if (!isPng(bytes)) return bytes;
  try {
    return decodeCgbiPng(bytes);
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}
