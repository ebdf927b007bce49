import { MalformedSigningData, readPrefixedSequence, readSigningBytes } from './signing-bytes.ts';

/** Maximum number of signers of one scheme, the same as in Android and apksigner. */
export const maxSigners = 10;
export const maxSignaturesPerSigner = 32;
export const maxCertificatesPerSigner = 32;
export const maxAttributesPerSigner = 64;

/** The schemes with signatures in the APK Signing Block. */
export type BlockScheme = 'v2' | 'v3' | 'v3.1';

interface AlgorithmValue {
  /** Signature algorithm identifier, e.g. 0x0103. */
  algorithm: number;
  value: Buffer;
}

interface SdkRange {
  minSdk: number;
  maxSdk: number;
}

/** An unverified signer of the block. */
export interface BlockSigner {
  /** The signed bytes. */
  signedData: Buffer;
  signatures: AlgorithmValue[];
  /** Encoded SubjectPublicKeyInfo. */
  publicKey: Buffer;
  /** The expected digests of the file. */
  digests: AlgorithmValue[];
  /** Encoded certificates, the signer's first. */
  certificates: Buffer[];
  attributes: { id: number; value: Buffer }[];
  /** The platforms of the signer according to the unsigned part; null in v2, where signers apply to all platforms. */
  platforms: SdkRange | null;
  /** The platforms according to the signed part. */
  signedPlatforms: SdkRange | null;
}

/** int32 of v3 that means "and all later ones". */
export const allLaterSdks = 0x7fffffff;

/**
 * Parses the value of a scheme: a length-prefixed sequence of length-prefixed signers.
 *
 * v2 signer: signed data, signatures, public key; its signed data: digests, certificates, attributes.
 * v3 and v3.1 add uint32 minSDK and maxSDK after the signed data, and inside it after the certificates.
 *
 * @throws MalformedSigningData on an invalid length, an exceeded limit, or no signer
 * @see https://source.android.com/docs/security/features/apksigning/v2#apk-signature-scheme-v2-block
 * @see https://source.android.com/docs/security/features/apksigning/v3#format
 */
export function readBlockSigners(value: Buffer, scheme: BlockScheme): BlockSigner[] {
  const signers = readPrefixedSequence(
    readSigningBytes(value).prefixed(`the list of ${scheme} signers`),
    `the ${scheme} signers`,
    maxSigners,
  ).map((bytes, index) => readSigner(bytes, scheme, `${scheme} signer ${index + 1}`));
  if (signers.length === 0) throw new MalformedSigningData(`there is no ${scheme} signer`);
  return signers;
}

function readSigner(bytes: Buffer, scheme: BlockScheme, name: string): BlockSigner {
  const signer = readSigningBytes(bytes);
  const signedData = signer.prefixed(`the signed data of ${name}`);
  const platforms = scheme === 'v2' ? null : readSdkRange(signer, name);
  const signatures = readAlgorithmValues(
    signer.prefixed(`the signatures of ${name}`),
    `the signatures of ${name}`,
  );
  const publicKey = signer.prefixed(`the public key of ${name}`);

  const signed = readSigningBytes(signedData);
  const digests = readAlgorithmValues(signed.prefixed(`the digests of ${name}`), `the digests of ${name}`);
  const certificates = readPrefixedSequence(
    signed.prefixed(`the certificates of ${name}`),
    `the certificates of ${name}`,
    maxCertificatesPerSigner,
  );
  const signedPlatforms = scheme === 'v2' ? null : readSdkRange(signed, name);
  const attributes = readPrefixedSequence(
    signed.prefixed(`the attributes of ${name}`),
    `the attributes of ${name}`,
    maxAttributesPerSigner,
  ).map((attribute) => {
    const cursor = readSigningBytes(attribute);
    return { id: cursor.uint32(`an attribute of ${name}`), value: cursor.rest() };
  });
  return { signedData, signatures, publicKey, digests, certificates, attributes, platforms, signedPlatforms };
}

function readSdkRange(cursor: ReturnType<typeof readSigningBytes>, name: string): SdkRange {
  const what = `the platform range of ${name}`;
  return { minSdk: cursor.uint32(what), maxSdk: cursor.uint32(what) };
}

/** Each is a uint32 algorithm and a length-prefixed value. */
function readAlgorithmValues(bytes: Buffer, what: string): AlgorithmValue[] {
  return readPrefixedSequence(bytes, what, maxSignaturesPerSigner).map((pair) => {
    const cursor = readSigningBytes(pair);
    return { algorithm: cursor.uint32(what), value: cursor.prefixed(what) };
  });
}
