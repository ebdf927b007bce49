/** The one place that opens pictures: with little memory, bounded pixels, and no format but the expected ones. */
import sharp, { type Sharp } from 'sharp';

/** Pixels of one picture, at which RGBA takes 64 MiB. */
export const maxPicturePixels = 4096 * 4096;
/** Decoding a picture of the largest size takes well below one second. */
const maxPictureSeconds = 10;

/**
 * Opens the bytes of a PNG, WebP, JPEG or of an SVG that is our own. Nothing is decoded yet. Only the first picture of an animation
 * is taken, and a damaged or cut off one rejects.
 */
export function openPicture(bytes: Buffer): Sharp {
  saveMemory();
  return sharp(bytes, {
    limitInputPixels: maxPicturePixels,
    failOn: 'error',
    animated: false,
    sequentialRead: true,
  }).timeout({ seconds: maxPictureSeconds });
}

/** The same for pixels as they are: four bytes each, RGBA, row by row. */
export function openPixels(pixels: Buffer, width: number, height: number): Sharp {
  saveMemory();
  return sharp(pixels, { raw: { width, height, channels: 4 } });
}

/** One thread and no cache: there is one icon at a time and none is drawn twice. */
function saveMemory(): void {
  sharp.concurrency(1);
  sharp.cache(false);
}
