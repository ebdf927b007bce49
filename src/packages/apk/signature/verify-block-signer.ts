import { MalformedBer } from '../../certificate/ber.ts';
import { type Certificate, readCertificate } from '../../certificate/certificate.ts';
import { say } from '../../messages/package-messages.ts';
import {
  type ContentDigestKind,
  findSignatureAlgorithm,
  readPublicKey,
  signaturesInUse,
  verifiesSignature,
} from './signature-algorithms.ts';
import type { BlockScheme } from './signing-schemes.ts';
import { allLaterSdks, type BlockSigner } from './signing-schemes.ts';

export interface ExpectedDigest {
  kind: ContentDigestKind;
  value: Buffer;
}

export interface SignerName {
  scheme: BlockScheme;
  /** From 1. */
  number: number;
}

export interface BlockSignerCheck {
  /** Full sentences; empty if the signer's data is valid. */
  problems: string[];
  /** The file digests signed by the signer. Trustworthy only if there are no problems. */
  expectedDigests: ExpectedDigest[];
}

/**
 * Checks a signer of the signing block except for the file digests: the signatures that platforms from `fromSdk` on verify, its
 * certificate against its key, and its lists against each other.
 * @param name for messages
 */
export function checkBlockSigner(signer: BlockSigner, name: SignerName, fromSdk: number): BlockSignerCheck {
  const inUse = signaturesInUse(signer.signatures, fromSdk);
  const problem =
    signatureProblem(signer, inUse, name, fromSdk) ??
    certificateProblem(signer, name) ??
    listProblem(signer, name) ??
    platformProblem(signer, name);
  const kinds = new Set(inUse.map(({ algorithm }) => algorithm.contentDigest));
  const expectedDigests: ExpectedDigest[] = [];
  for (const { algorithm, value } of signer.digests) {
    const kind = findSignatureAlgorithm(algorithm)?.contentDigest;
    if (kind !== undefined && kinds.has(kind)) expectedDigests.push({ kind, value });
  }
  return { problems: problem === null ? [] : [problem], expectedDigests };
}

function signatureProblem(
  signer: BlockSigner,
  inUse: ReturnType<typeof signaturesInUse<BlockSigner['signatures'][number]>>,
  name: SignerName,
  fromSdk: number,
): string | null {
  if (inUse.length === 0) return say('signer-unsupported', { ...name, sdk: fromSdk });
  const wrong = inUse.find(
    ({ algorithm, signature }) =>
      !verifiesSignature(algorithm, signer.publicKey, signer.signedData, signature.value),
  );
  if (wrong === undefined) return null;
  return say('signer-does-not-verify', { ...name, algorithm: wrong.algorithm.name });
}

function certificateProblem(signer: BlockSigner, name: SignerName): string | null {
  try {
    const [own] = signer.certificates.map((certificate) => readCertificate(certificate));
    if (own === undefined) return say('signer-without-certificate', { ...name });
    return isKeyOf(own, signer.publicKey) ? null : say('signer-of-other-key', { ...name });
  } catch (cause) {
    if (cause instanceof MalformedBer)
      return say('signer-certificate-damaged', { ...name, reason: cause.message });
    throw cause;
  }
}

/** Android compares the signer's key with the certificate's key in its canonical encoding. */
function isKeyOf({ publicKey }: Certificate, signerKey: Buffer): boolean {
  if (publicKey.equals(signerKey)) return true;
  return readPublicKey(publicKey)?.export({ format: 'der', type: 'spki' }).equals(signerKey) ?? false;
}

function listProblem(signer: BlockSigner, name: SignerName): string | null {
  const signed = signer.digests.map(({ algorithm }) => algorithm).join();
  return signed === signer.signatures.map(({ algorithm }) => algorithm).join()
    ? null
    : say('signer-algorithm-removed', { ...name });
}

function platformProblem(signer: BlockSigner, name: SignerName): string | null {
  const { platforms, signedPlatforms } = signer;
  if (platforms === null || signedPlatforms === null) return null;
  if (platforms.minSdk > platforms.maxSdk || platforms.maxSdk > allLaterSdks)
    return say('signer-range-invalid', { ...name });
  const same = platforms.minSdk === signedPlatforms.minSdk && platforms.maxSdk === signedPlatforms.maxSdk;
  return same ? null : say('signer-range-changed', { ...name });
}
