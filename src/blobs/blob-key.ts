/** Names of stored blobs. Only this file creates them. */

declare const blobKeyBrand: unique symbol;

/**
 * `packages/ID`, `simulators/ID`, `apks/ID.RANDOM`, `icons/ID.RANDOM`, `symbols/ID.RANDOM`, `feedback/ID.NUMBER` or
 * `uploads/ID.RANDOM`. Lower case only, so that keys stay distinct on a
 * case-insensitive file system; two segments and no leading dot, so that no key leaves a store’s root or is a hidden
 * file.
 */
export type BlobKey = string & { readonly [blobKeyBrand]: 'BlobKey' };

/** A bug in the caller, never a client error: no key is built from client input. */
export class InvalidBlobKey extends Error {
  override name = 'InvalidBlobKey';
}

/** The longest build id and the longest random part of a key have 64 characters. */
const blobKeyPattern =
  /^(?:(?:packages|simulators)\/[a-z0-9][a-z0-9_-]{0,63}|(?:apks|icons|symbols|feedback|uploads)\/[a-z0-9][a-z0-9_-]{0,63}\.[a-z0-9_-]{1,64})$/;

/** The uploaded package of a build. */
export const packageKey = (buildId: string): BlobKey => parseBlobKey(`packages/${buildId}`);

/** The simulator zip that came with a build. */
export const simulatorKey = (buildId: string): BlobKey => parseBlobKey(`simulators/${buildId}`);

/** The APK generated from the app bundle of a build. `random` is new for each attempt. */
export const apkKey = (buildId: string, random: string): BlobKey => parseBlobKey(`apks/${buildId}.${random}`);

/** An icon of a build. `random` is new for each icon, since a key is written only once. */
export const iconKey = (buildId: string, random: string): BlobKey =>
  parseBlobKey(`icons/${buildId}.${random}`);

/** A symbol file of a build. `random` is new for each upload. */
export const symbolKey = (buildId: string, random: string): BlobKey =>
  parseBlobKey(`symbols/${buildId}.${random}`);

/** A screenshot of feedback. */
export const screenshotKey = (feedbackId: string, number: number): BlobKey =>
  parseBlobKey(`feedback/${feedbackId}.${number}`);

/** Bytes of an unfinished upload that are too few for a part. */
export const uploadTailKey = (uploadId: string, random: string): BlobKey =>
  parseBlobKey(`uploads/${uploadId}.${random}`);

/** Parses a key, for example from a row; every store validates every key with it. Throws InvalidBlobKey. */
export function parseBlobKey(text: string): BlobKey {
  if (!isBlobKey(text)) throw new InvalidBlobKey(`not a blob key: ${JSON.stringify(text).slice(0, 200)}`);
  return text;
}

export function isBlobKey(text: string): text is BlobKey {
  return blobKeyPattern.test(text);
}
