import { MalformedBer } from '../../certificate/ber.ts';
import { readCertificate } from '../../certificate/certificate.ts';
import { say } from '../../messages/package-messages.ts';
import { findSignatureAlgorithm, verifiesSignature } from './signature-algorithms.ts';
import { MalformedSigningData } from './signing-bytes.ts';
import { type LineageNode, readLineage, V3Attribute } from './signing-lineage.ts';
import type { BlockScheme, BlockSigner } from './signing-schemes.ts';
import type { SignerName } from './verify-block-signer.ts';

interface LineageCheck {
  /** Null if the history is valid or absent. */
  problem: string | null;
  /** Encoded certificates, oldest first; empty without rotation. */
  certificates: Buffer[];
}

/** A v3 or v3.1 signer with its verified history. */
export type RotatingSigner = BlockSigner & { history: LineageCheck };

export function withHistory(signers: readonly BlockSigner[], scheme: BlockScheme): RotatingSigner[] {
  return signers.map((signer, index) => ({
    ...signer,
    history: checkLineage(signer, { scheme, number: index + 1 }),
  }));
}

/** Checks that each certificate in a signer's history was signed by the previous one, and that the signer's certificate is the last. */
function checkLineage(signer: BlockSigner, name: SignerName): LineageCheck {
  if (signer.attributes.filter(({ id }) => id === V3Attribute.proofOfRotation).length > 1)
    return { problem: say('several-histories', { ...name }), certificates: [] };
  try {
    const nodes = readLineage(signer);
    const certificates = nodes.map(({ certificate }) => certificate);
    return { problem: lineageProblem(nodes, signer, name), certificates };
  } catch (cause) {
    if (!(cause instanceof MalformedSigningData || cause instanceof MalformedBer)) throw cause;
    return { problem: say('history-damaged', { ...name, reason: cause.message }), certificates: [] };
  }
}

function lineageProblem(nodes: LineageNode[], signer: BlockSigner, name: SignerName): string | null {
  const last = nodes.at(-1);
  if (last === undefined) return null;
  for (const [index, node] of nodes.entries()) {
    const previous = nodes[index - 1];
    if (previous !== undefined && !isSignedBy(node, previous)) {
      return say('history-unsigned', { certificate: index + 1, ...name });
    }
  }
  if (new Set(nodes.map(({ certificate }) => certificate.toString('latin1'))).size < nodes.length) {
    return say('history-certificate-twice', { ...name });
  }
  return signer.certificates[0]?.equals(last.certificate)
    ? null
    : say('history-of-other-signer', { ...name });
}

function isSignedBy(node: LineageNode, previous: LineageNode): boolean {
  const algorithm = findSignatureAlgorithm(previous.nextAlgorithm);
  if (algorithm === null || node.signedAlgorithm !== previous.nextAlgorithm) return false;
  const { publicKey } = readCertificate(previous.certificate);
  return verifiesSignature(algorithm, publicKey, node.signedData, node.signature);
}

/** Returns whether the longer history starts with the shorter one. */
export function isSameHistory(one: readonly Buffer[], other: readonly Buffer[]): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter.every((certificate, index) => longer[index]?.equals(certificate));
}
