import { MalformedSigningData, readSigningBytes } from './signing-bytes.ts';
import type { BlockSigner } from './signing-schemes.ts';

/** Attributes of v3 and v3.1 signers. */
export const V3Attribute = {
  proofOfRotation: 0x3ba06f8c,
  /** On a v3 signer: the first platform of a v3.1 signer, so that the v3.1 block cannot be removed unnoticed. */
  rotationMinSdk: 0x559f8b02,
  /** On a v3.1 signer: it applies to the development release that still has the number of the previous release. */
  rotationOnDevRelease: 0xc2a6b3ba,
} as const;

/** Maximum number of certificates in a history. Key rotations are rare, because keys are valid for decades. */
export const maxLineageCertificates = 20;
const lineageVersion = 1;

/** One certificate of a rotation's history, oldest first. */
export interface LineageNode {
  certificate: Buffer;
  /** The data signed by the previous certificate. */
  signedData: Buffer;
  signature: Buffer;
  /** The algorithm of `signature` according to the signed data. */
  signedAlgorithm: number;
  /** The algorithm with which this certificate signs the next node. */
  nextAlgorithm: number;
}

/** Returns the value of the signer's first attribute with this identifier, or null. */
export function signerAttribute(signer: BlockSigner, id: number): Buffer | null {
  return signer.attributes.find((attribute) => attribute.id === id)?.value ?? null;
}

/**
 * Returns the rotation history of a v3 or v3.1 signer, oldest first; empty without rotation. Verifies nothing.
 *
 * uint32 version, then length-prefixed nodes: length-prefixed signed data (length-prefixed certificate, uint32 algorithm
 * of the signature over it), uint32 flags, uint32 algorithm for the next node, length-prefixed signature.
 *
 * @throws MalformedSigningData
 * @see https://source.android.com/docs/security/features/apksigning/v3#proof-of-rotation-and-self-trusted-old-certs-structs
 */
export function readLineage(signer: BlockSigner): LineageNode[] {
  const value = signerAttribute(signer, V3Attribute.proofOfRotation);
  if (value === null) return [];
  const cursor = readSigningBytes(value);
  if (cursor.uint32('the proof of rotation') !== lineageVersion) {
    throw new MalformedSigningData('the proof of rotation has an unknown version');
  }
  const nodes: LineageNode[] = [];
  while (cursor.remaining() > 0) {
    if (nodes.length === maxLineageCertificates) {
      throw new MalformedSigningData(
        `the proof of rotation has more than ${maxLineageCertificates} certificates`,
      );
    }
    nodes.push(readNode(cursor.prefixed('the proof of rotation')));
  }
  return nodes;
}

function readNode(bytes: Buffer): LineageNode {
  const what = 'a certificate of the proof of rotation';
  const node = readSigningBytes(bytes);
  const signedData = node.prefixed(what);
  node.uint32(what); // flags: what the app still trusts the old certificate for
  const nextAlgorithm = node.uint32(what);
  const signature = node.prefixed(what);
  const signed = readSigningBytes(signedData);
  return {
    certificate: signed.prefixed(what),
    signedData,
    signature,
    signedAlgorithm: signed.uint32(what),
    nextAlgorithm,
  };
}
