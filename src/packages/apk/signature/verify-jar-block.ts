import { hash, verify } from 'node:crypto';
import { type BerValue, berObjectIdentifier, berOctets, MalformedBer } from '../../certificate/ber.ts';
import type { Certificate } from '../../certificate/certificate.ts';
import {
  type CmsSignedData,
  type CmsSigner,
  readCmsSignedData,
  readSignedAttributes,
} from '../../certificate/cms-signed-data.ts';
import { say } from '../../messages/package-messages.ts';
import { findJarSignatureAlgorithm, type JarSignatureAlgorithm } from './jar-algorithms.ts';
import { readPublicKey, verifiesWithoutThrowing } from './signature-algorithms.ts';

/** Earlier platforms only use the first signer of a block; later ones use the first signer that verifies. */
const allSignersSinceSdk = 24;
/** Earlier platforms ignore the digest in signed attributes, so that such a signature protects nothing. */
const signedAttributesSinceSdk = 19;
const contentTypeAttribute = '1.2.840.113549.1.9.3';
const messageDigestAttribute = '1.2.840.113549.1.9.4';
const keyUsageExtension = '2.5.29.15';

/** Extensions that platforms process; a certificate with another critical extension cannot sign. */
const knownExtensions: ReadonlySet<string> = new Set([
  ...[
    '9',
    '14',
    '15',
    '16',
    '17',
    '18',
    '19',
    '20',
    '27',
    '28',
    '29',
    '30',
    '31',
    '32',
    '33',
    '35',
    '36',
    '37',
    '46',
    '54',
  ].map((arc) => `2.5.29.${arc}`),
  '1.3.6.1.5.5.7.1.1',
  '1.3.6.1.5.5.7.1.11',
  '2.16.840.1.113730.1.1',
]);

export type JarBlockCheck =
  | { certificate: Certificate; problem: null }
  | { certificate: null; problem: string };

/**
 * Checks a signature block file (.RSA, .DSA, .EC) against its .SF file for platforms from `fromSdk` on.
 *
 * @param name display name of the block
 * @returns the certificate of the first signer that verifies, or why none does
 */
export function checkJarBlock(
  block: Buffer,
  signatureFile: Buffer,
  name: string,
  fromSdk: number,
): JarBlockCheck {
  try {
    const signedData = readJarSignatureBlock(block);
    const signers = fromSdk < allSignersSinceSdk ? signedData.signers.slice(0, 1) : signedData.signers;
    for (const signer of signers) {
      const certificate = verifySigner(signedData, signer, signatureFile, fromSdk);
      if (certificate !== null) return { certificate, problem: null };
    }
    return refused(say('jar-signature-does-not-verify', { name }));
  } catch (cause) {
    if (!(cause instanceof MalformedBer || cause instanceof UnacceptableSigner)) throw cause;
    return refused(say('jar-signature-unusable', { name, reason: cause.message }));
  }
}

/** Reads the CMS signed data of a block as Android accepts it. Throws MalformedBer. */
export function readJarSignatureBlock(block: Buffer): CmsSignedData {
  const signedData = readCmsSignedData(block);
  if (signedData.hasOtherCertificates) throw new MalformedBer('it has a certificate that is not X.509');
  if (signedData.signers.length === 0) throw new MalformedBer('it has no signer');
  return signedData;
}

/**
 * Returns the signer's certificate. Null if it is not included, or not identified by its issuer, which is the only way that
 * Android supports.
 */
export function jarSignerCertificate({ identifiedBy, certificate }: CmsSigner): Certificate | null {
  return identifiedBy === 'issuer' ? certificate : null;
}

/** Ends the check of a block. After a signature that is merely wrong, the next signer is tried instead. */
class UnacceptableSigner extends Error {
  override name = 'UnacceptableSigner';
}

function verifySigner(
  signedData: CmsSignedData,
  signer: CmsSigner,
  signatureFile: Buffer,
  fromSdk: number,
): Certificate | null {
  const algorithm = findJarSignatureAlgorithm(signer.digestAlgorithm, signer.signatureAlgorithm);
  if (algorithm === null) throw new UnacceptableSigner('Android does not support its algorithms');
  if (algorithm.sinceSdk > fromSdk) {
    throw new UnacceptableSigner(
      `only Android API ${algorithm.sinceSdk} and later support ${algorithm.name}`,
    );
  }
  const certificate = jarSignerCertificate(signer);
  if (certificate === null) throw new UnacceptableSigner('the certificate of its signer is not in it');
  checkMaySign(certificate);
  const signedBytes = readSignedBytes(signedData, signer, algorithm, signatureFile, fromSdk);
  if (signedBytes === null) return null;
  const key = readPublicKey(certificate.publicKey);
  if (key?.asymmetricKeyType !== algorithm.keyType) {
    throw new UnacceptableSigner(`its certificate has no ${algorithm.keyType.toUpperCase()} key`);
  }
  return verifiesWithoutThrowing(() => verify(algorithm.hash, signedBytes, key, signer.signature))
    ? certificate
    : null;
}

/** Key usage, if stated, must allow digitalSignature or nonRepudiation: the first two bits (RFC 5280, 4.2.1.3). */
function checkMaySign({ extensions }: Certificate): void {
  for (const [identifier, { critical }] of extensions) {
    if (critical && !knownExtensions.has(identifier)) {
      throw new UnacceptableSigner(`its certificate has the unknown critical extension ${identifier}`);
    }
  }
  // BIT STRING: tag, length, unused bits, bits
  const keyUsage = extensions.get(keyUsageExtension)?.value;
  if (keyUsage !== undefined && ((keyUsage[3] ?? 0) & 0xc0) === 0) {
    throw new UnacceptableSigner('its certificate is not valid for signatures');
  }
}

/** Returns the signed bytes: the signature file, or the signed attributes that contain its digest. Null if the digest does not match. */
function readSignedBytes(
  signedData: CmsSignedData,
  signer: CmsSigner,
  { hash: hashName }: JarSignatureAlgorithm,
  signatureFile: Buffer,
  fromSdk: number,
): Buffer | null {
  if (signer.signedAttributes === null) return signatureFile;
  if (fromSdk < signedAttributesSinceSdk) {
    throw new UnacceptableSigner(
      `it has signed attributes, which only Android API ${signedAttributesSinceSdk} and later check`,
    );
  }
  const attributes = singleAttributes(signer);
  if (berObjectIdentifier(attributes.get(contentTypeAttribute)) !== signedData.contentType) return null;
  const digest = berOctets(attributes.get(messageDigestAttribute));
  if (!digest.equals(hash(hashName, signatureFile, 'buffer'))) return null;
  // Signed as SET OF (0x31), stored as [0] IMPLICIT (RFC 5652, 5.4). Android does not convert it to DER.
  return Buffer.concat([Buffer.of(0x31), signer.signedAttributes.encoded.subarray(1)]);
}

/** Returns the only value of each signed attribute by object identifier. Throws MalformedBer for a second or missing value. */
function singleAttributes(signer: CmsSigner): Map<string, BerValue> {
  const attributes = new Map<string, BerValue>();
  for (const [name, [value, ...more]] of readSignedAttributes(signer)) {
    if (value === undefined || more.length > 0 || attributes.has(name))
      throw new MalformedBer(`the signed attribute ${name} does not have exactly one value`);
    attributes.set(name, value);
  }
  return attributes;
}

function refused(problem: string): JarBlockCheck {
  return { certificate: null, problem };
}
