import { readRasterHeader } from '../apk/raster-header.ts';
import { decodeCgbiPng } from '../ipa/cgbi-png.ts';
import { isPng } from '../ipa/png-chunks.ts';
import { UnreadablePackage } from '../package-info.ts';
import { maxPicturePixels, openPicture } from './image-library.ts';

/** Several times a picture of 1024 by 1024 pixels. */
export const maxRasterBytes = 8 * 1024 * 1024;

/** A decoder works line by line: one of a few lines of four million pixels takes gigabytes. */
export const maxRasterSide = 4096;

export interface CleanRaster {
  /** A PNG of 8-bit sRGB without metadata. */
  png: Buffer;
  width: number;
  height: number;
}

/**
 * Decodes a PNG (also Apple's CgBI variant), WebP or JPEG and writes it again as a plain PNG, made smaller when a side is longer than
 * `maxSidePixels`, never larger.
 *
 * Null when the bytes are anything else, are damaged or cut off, or have more than `maxRasterBytes`, `maxRasterSide` or
 * `maxPicturePixels`.
 */
export async function cleanRaster(bytes: Buffer, maxSidePixels: number): Promise<CleanRaster | null> {
  const standard = bytes.length > maxRasterBytes ? null : toStandard(bytes);
  const header = standard && readRasterHeader(standard);
  if (!standard || !header || header.width * header.height > maxPicturePixels) return null;
  if (Math.max(header.width, header.height) > maxRasterSide) return null;
  try {
    const { data, info } = await openPicture(standard)
      .resize({ width: maxSidePixels, height: maxSidePixels, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .png({ compressionLevel: 7 })
      .toBuffer({ resolveWithObject: true });
    return { png: data, width: info.width, height: info.height };
  } catch {
    // Whatever the decoder says against it, the picture is not one that can be shown.
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
