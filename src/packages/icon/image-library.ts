/** Opens pictures, with little memory, limited pixels and only the expected formats. */
import sharp, { type Sharp } from 'sharp';

/** Maximum number of pixels of a picture, with which RGBA takes 64 MiB. */
export const maxPicturePixels = 4096 * 4096;
/** Decoding the largest picture takes well below one second. */
const maxPictureSeconds = 10;

/**
 * Opens a PNG, WebP, JPEG, GIF, AVIF or one of our own SVGs without decoding it. Uses only the first frame of an animation.
 * Decoding rejects for a damaged or truncated picture.
 */
export function openPicture(bytes: Buffer): Sharp {
  configureSharp();
  return sharp(bytes, {
    limitInputPixels: maxPicturePixels,
    failOn: 'error',
    animated: false,
    sequentialRead: true,
  }).timeout({ seconds: maxPictureSeconds });
}

/** Opens raw RGBA pixels of four bytes each, row by row. */
export function openPixels(pixels: Buffer, width: number, height: number): Sharp {
  configureSharp();
  return sharp(pixels, { raw: { width, height, channels: 4 } });
}

/** Uses one thread and no cache, because icons are drawn one at a time and never twice. */
function configureSharp(): void {
  sharp.concurrency(1);
  sharp.cache(false);
}
