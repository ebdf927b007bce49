/** The JAR digests and signatures that each Android version supports, as implemented in apksigner's verifier. */
import { type JarSection, jarAttributes } from './jar-manifest.ts';

export interface JarDigest {
  /** The name in `node:crypto`. */
  hash: string;
  value: Buffer;
}

export interface JarSignatureAlgorithm {
  /** Display name, e.g. `SHA-256 with RSA`. */
  name: string;
  keyType: 'rsa' | 'dsa' | 'ec';
  hash: string;
  /** The first platform from which on all platforms support it. */
  sinceSdk: number;
}

const digestNames: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.5', 'md5'],
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

/** Identifiers of a key, or of a key with a hash. No platform supports a hash that differs from the digest's. */
const signatureNames: ReadonlyMap<string, readonly [JarSignatureAlgorithm['keyType'], string | null]> =
  new Map([
    ['1.2.840.113549.1.1.1', ['rsa', null]],
    ['1.2.840.113549.1.1.4', ['rsa', 'md5']],
    ['1.2.840.113549.1.1.5', ['rsa', 'sha1']],
    ['1.2.840.113549.1.1.14', ['rsa', 'sha224']],
    ['1.2.840.113549.1.1.11', ['rsa', 'sha256']],
    ['1.2.840.113549.1.1.12', ['rsa', 'sha384']],
    ['1.2.840.113549.1.1.13', ['rsa', 'sha512']],
    ['1.2.840.10040.4.1', ['dsa', null]],
    ['1.2.840.10040.4.3', ['dsa', 'sha1']],
    ['2.16.840.1.101.3.4.3.1', ['dsa', 'sha224']],
    ['2.16.840.1.101.3.4.3.2', ['dsa', 'sha256']],
    ['1.2.840.10045.2.1', ['ec', null]],
    ['1.2.840.10045.4.1', ['ec', 'sha1']],
    ['1.2.840.10045.4.3.1', ['ec', 'sha224']],
    ['1.2.840.10045.4.3.2', ['ec', 'sha256']],
    ['1.2.840.10045.4.3.3', ['ec', 'sha384']],
    ['1.2.840.10045.4.3.4', ['ec', 'sha512']],
  ]);

/** The first platform from which on all platforms support it: [identified by the key only, identified with the hash]. */
const sinceSdk: Readonly<Record<string, readonly [number | null, number]>> = {
  'rsa md5': [0, 21],
  'rsa sha1': [0, 0],
  'rsa sha224': [21, 21],
  'rsa sha256': [18, 18],
  'rsa sha384': [18, 21],
  'rsa sha512': [18, 21],
  'dsa sha1': [0, 9],
  'dsa sha224': [22, 21],
  'dsa sha256': [22, 21],
  'ec sha1': [18, 18],
  'ec sha224': [21, 21],
  'ec sha256': [18, 21],
  'ec sha384': [18, 21],
  'ec sha512': [18, 21],
};

/** Returns null if current Android does not support the pair of dotted object identifiers. */
export function findJarSignatureAlgorithm(digest: string, signature: string): JarSignatureAlgorithm | null {
  const hash = digestNames.get(digest);
  const [keyType, ownHash] = signatureNames.get(signature) ?? [];
  if (hash === undefined || keyType === undefined) return null;
  if (ownHash !== null && ownHash !== hash) return null;
  const since = sinceSdk[`${keyType} ${hash}`]?.[ownHash === null ? 0 : 1] ?? null;
  const name = `${hash.toUpperCase().replace(/^SHA/, 'SHA-')} with ${keyType.toUpperCase()}`;
  return since === null ? null : { name, keyType, hash, sinceSdk: since };
}

/** Earlier platforms use the first digest of `Digest-Algorithms`, later ones the strongest. */
const strongestDigestSinceSdk = 18;
/** Attribute prefix and hash, strongest first. */
const strongestDigests = [
  ['sha-512', 'sha512'],
  ['sha-384', 'sha384'],
  ['sha-256', 'sha256'],
  ['sha1', 'sha1'],
] as const;

/** The names on older platforms, with the first platform that supports them. */
const oldDigests: ReadonlyMap<string, readonly [string, number]> = new Map([
  ['md5', ['md5', 0]],
  ['sha', ['sha1', 0]],
  ['sha1', ['sha1', 0]],
  ['sha-1', ['sha1', 0]],
  ['sha-256', ['sha256', 0]],
  ['sha-384', ['sha384', 9]],
  ['sha-512', ['sha512', 9]],
]);

/**
 * Returns the digests that platforms from `fromSdk` on compare: one or two, or none if some platform finds none.
 * @param suffix lowercase end of the attribute's name: `-digest`, `-digest-manifest` or `-digest-manifest-main-attributes`
 */
export function jarDigestsInUse(section: JarSection, suffix: string, fromSdk: number): JarDigest[] {
  const attributes = jarAttributes(section);
  const digests: JarDigest[] = [];
  if (fromSdk < strongestDigestSinceSdk) {
    const old = oldDigestInUse(attributes, suffix, fromSdk);
    if (old === null) return [];
    digests.push(old);
  }
  for (const [prefix, hash] of strongestDigests) {
    const text = attributes.get(prefix + suffix);
    if (text === undefined) continue;
    const strongest = { hash, value: Buffer.from(text, 'base64') };
    if (!digests.some((digest) => digest.hash === hash && digest.value.equals(strongest.value)))
      digests.push(strongest);
    break;
  }
  return digests;
}

function oldDigestInUse(
  attributes: ReadonlyMap<string, string>,
  suffix: string,
  fromSdk: number,
): JarDigest | null {
  const names = (attributes.get('digest-algorithms') ?? 'SHA SHA1').toLowerCase().split(/\s+/);
  for (const name of names) {
    const text = attributes.get(name + suffix);
    const [hash, since] = oldDigests.get(name) ?? [];
    if (text === undefined || hash === undefined || since === undefined || since > fromSdk) continue;
    return { hash, value: Buffer.from(text, 'base64') };
  }
  return null;
}
