/** Limits of logos, without the decoder, which the server does not load. */

export const maxLogoFileBytes = 1024 * 1024;

/** Decoders buffer whole lines and, of an interlaced picture, all of it. */
export const maxLogoFileSide = 4096;

/** Larger logos are scaled down to this side length. */
export const maxLogoSide = 512;

export const maxLogoBytes = 64 * 1024;

/** Messages of `UnreadablePackage`, by which the server chooses what to tell the person. */
export const logoRefusals = ['format', 'bytes', 'side', 'animated', 'damaged'] as const;
export type LogoRefusal = (typeof logoRefusals)[number];
