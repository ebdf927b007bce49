/**
 * The signature algorithms of the APK Signing Block.
 *
 * @see https://source.android.com/docs/security/features/apksigning/v2#signature-algorithm-ids
 */
import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** How the file is hashed: in 1 MiB chunks, or as an fs-verity tree of 4096-byte pages. */
export type ContentDigestKind = 'chunked-sha256' | 'chunked-sha512' | 'verity-sha256';

export interface SignatureAlgorithm {
  id: number;
  name: string;
  keyType: 'rsa' | 'ec' | 'dsa';
  hash: 'sha256' | 'sha512';
  /** Salt length of RSASSA-PSS in bytes; null for other paddings. */
  pssSaltBytes: number | null;
  contentDigest: ContentDigestKind;
  /** First platform that supports it. */
  sinceSdk: number;
}

const algorithms: readonly SignatureAlgorithm[] = [
  chunked(0x0101, 'RSA-PSS with SHA-256', 'rsa', 'sha256', 32),
  chunked(0x0102, 'RSA-PSS with SHA-512', 'rsa', 'sha512', 64),
  chunked(0x0103, 'RSA with SHA-256', 'rsa', 'sha256'),
  chunked(0x0104, 'RSA with SHA-512', 'rsa', 'sha512'),
  chunked(0x0201, 'ECDSA with SHA-256', 'ec', 'sha256'),
  chunked(0x0202, 'ECDSA with SHA-512', 'ec', 'sha512'),
  chunked(0x0301, 'DSA with SHA-256', 'dsa', 'sha256'),
  verity(0x0421, 'RSA with SHA-256 and fs-verity', 'rsa'),
  verity(0x0423, 'ECDSA with SHA-256 and fs-verity', 'ec'),
  verity(0x0425, 'DSA with SHA-256 and fs-verity', 'dsa'),
];

/** Weakest first; Android prefers the later ones. */
const digestStrength: readonly ContentDigestKind[] = ['chunked-sha256', 'verity-sha256', 'chunked-sha512'];

export function findSignatureAlgorithm(id: number): SignatureAlgorithm | null {
  return algorithms.find((algorithm) => algorithm.id === id) ?? null;
}

/**
 * Returns the signatures that platforms from `fromSdk` on verify. Each platform verifies the strongest one that it supports, so
 * these are the strongest one that all support, and the strongest of later ones. Empty if platform `fromSdk` supports none.
 */
export function signaturesInUse<Signature extends { algorithm: number }>(
  signatures: readonly Signature[],
  fromSdk: number,
): { signature: Signature; algorithm: SignatureAlgorithm }[] {
  const strongest = new Map<number, { signature: Signature; algorithm: SignatureAlgorithm }>();
  for (const signature of signatures) {
    const algorithm = findSignatureAlgorithm(signature.algorithm);
    if (algorithm === null) continue;
    const best = strongest.get(algorithm.sinceSdk);
    if (best === undefined || strength(algorithm) > strength(best.algorithm)) {
      strongest.set(algorithm.sinceSdk, { signature, algorithm });
    }
  }
  return [...strongest.keys()].some((sinceSdk) => sinceSdk <= fromSdk) ? [...strongest.values()] : [];
}

/** Also returns false if the key is unreadable or does not fit the algorithm. */
export function verifiesSignature(
  algorithm: SignatureAlgorithm,
  encodedPublicKey: Buffer,
  signedBytes: Buffer,
  signature: Buffer,
): boolean {
  const key = readPublicKey(encodedPublicKey);
  if (key?.asymmetricKeyType !== algorithm.keyType) return false;
  const padding =
    algorithm.pssSaltBytes === null
      ? {}
      : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.pssSaltBytes };
  return verifiesWithoutThrowing(() => verify(algorithm.hash, signedBytes, { key, ...padding }, signature));
}

/** Returns the key of an encoded SubjectPublicKeyInfo, or null if OpenSSL cannot read it. */
export function readPublicKey(encoded: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key: encoded, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}

/** OpenSSL throws on some invalid signatures, for example of the wrong length. */
export function verifiesWithoutThrowing(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function strength(algorithm: SignatureAlgorithm): number {
  return digestStrength.indexOf(algorithm.contentDigest);
}

function chunked(
  id: number,
  name: string,
  keyType: SignatureAlgorithm['keyType'],
  hash: SignatureAlgorithm['hash'],
  pssSaltBytes: number | null = null,
): SignatureAlgorithm {
  return { id, name, keyType, hash, pssSaltBytes, contentDigest: `chunked-${hash}`, sinceSdk: 24 };
}

function verity(id: number, name: string, keyType: SignatureAlgorithm['keyType']): SignatureAlgorithm {
  return {
    id,
    name,
    keyType,
    hash: 'sha256',
    pssSaltBytes: null,
    contentDigest: 'verity-sha256',
    sinceSdk: 28,
  };
}
