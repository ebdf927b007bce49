/** Names of stored blobs. Nothing else in Slipway puts such a name together. */

declare const blobKeyBrand: unique symbol;

/**
 * `packages/ID`, `simulators/ID` or `icons/ID.RANDOM`. Lower case only, because a file system that ignores case would
 * take two keys for one; two segments and no leading dot, so no key can leave a store's root or hide in it.
 */
export type BlobKey = string & { readonly [blobKeyBrand]: 'BlobKey' };

/** A defect of the caller, never of the client: no key is made from what a client sends. */
export class InvalidBlobKey extends Error {
  override name = 'InvalidBlobKey';
}

/** Longest build id and longest random part of a key, in characters. */
export const maxBlobKeyPartLength = 64;

const blobKeyPattern =
  /^(?:(?:packages|simulators)\/[a-z0-9][a-z0-9_-]{0,63}|icons\/[a-z0-9][a-z0-9_-]{0,63}\.[a-z0-9_-]{1,64})$/;

/** The uploaded package of a build. */
export const packageKey = (buildId: string): BlobKey => parseBlobKey(`packages/${buildId}`);

/** The simulator zip that came with a build. */
export const simulatorKey = (buildId: string): BlobKey => parseBlobKey(`simulators/${buildId}`);

/** A drawn icon of a build. `random` is fresh for each drawing, since a key is written only once. */
export const iconKey = (buildId: string, random: string): BlobKey =>
  parseBlobKey(`icons/${buildId}.${random}`);

/** Reads a key back, for example out of a row; every store calls it on every key. Throws InvalidBlobKey. */
export function parseBlobKey(text: string): BlobKey {
  if (!isBlobKey(text)) throw new InvalidBlobKey(`not a blob key: ${JSON.stringify(text).slice(0, 200)}`);
  return text;
}

export function isBlobKey(text: string): text is BlobKey {
  return blobKeyPattern.test(text);
}
