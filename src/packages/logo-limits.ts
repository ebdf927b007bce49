/** Limits of logos, without the decoder, which the server does not load. */

export const maxLogoFileBytes = 1024 * 1024;

/** Limited because decoders buffer whole lines, and interlaced pictures completely. */
export const maxLogoFileSide = 4096;

/** Larger logos are scaled down to this side length. */
export const maxLogoSide = 512;

export const maxLogoBytes = 64 * 1024;

/** Messages of `UnreadablePackage`, which determine the message that the server shows. */
export const logoRefusals = ['format', 'bytes', 'side', 'animated', 'damaged'] as const;
export type LogoRefusal = (typeof logoRefusals)[number];
