import { MalformedBer } from '../../certificate/ber.ts';
import { certificateFacts, certificateSha256 } from '../../certificate/certificate.ts';
import { say } from '../../messages/package-messages.ts';
import {
  type CertificateFacts,
  type SigningFacts,
  type SigningScheme,
  UnreadablePackage,
} from '../../package-info.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import { findJarSigners, type JarSigner, maxSignatureBlockBytes } from './jar-signers.ts';
import { findSigningBlock, SigningBlockId } from './signing-block.ts';
import { MalformedSigningData } from './signing-bytes.ts';
import { readLineage } from './signing-lineage.ts';
import { truncateMessage } from './signing-messages.ts';
import { type BlockScheme, type BlockSigner, maxSigners, readBlockSigners } from './signing-schemes.ts';
import { jarSignerCertificate, readJarSignatureBlock } from './verify-jar-block.ts';

/** Newest first, which is Android's preference. */
const blockSchemes: readonly (readonly [BlockScheme, number])[] = [
  ['v3.1', SigningBlockId.v31],
  ['v3', SigningBlockId.v3],
  ['v2', SigningBlockId.v2],
];

export interface ApkSigning {
  signing: SigningFacts;
  /** SHA-1 of the certificate of the first signer in the newest scheme present; null if unsigned or unreadable. */
  signature: string | null;
  warnings: string[];
}

/**
 * Reads the claimed signers of the package from the APK Signing Block or, if it has no scheme, from META-INF/*.RSA, *.DSA or
 * *.EC. Verifies nothing. A broken signature is a warning, never an error.
 */
export async function readSigningFacts(archive: ZipArchive): Promise<ApkSigning> {
  const { block, problem } = await findSigningBlock(archive);
  const values = block?.values ?? new Map<number, Buffer>();
  const present = blockSchemes.filter(([, id]) => values.has(id));
  const jarSigners = findJarSigners(archive);
  const schemes: SigningScheme[] = present.map(([scheme]) => scheme).reverse();
  if (jarSigners.length > 0) schemes.unshift('v1');

  const warnings = problem === null ? [] : [problem];
  const [newest] = present;
  const read =
    newest === undefined
      ? await readJarCertificates(archive, jarSigners, warnings)
      : readBlockCertificates(values.get(newest[1]) ?? Buffer.alloc(0), newest[0], warnings);
  if (schemes.length === 0) warnings.push(say('not-signed'));
  const sourceStamp = values.has(SigningBlockId.sourceStampV1) || values.has(SigningBlockId.sourceStampV2);
  return {
    signing: { schemes, certificates: read.certificates, lineage: read.lineage, sourceStamp },
    signature: read.certificates[0]?.sha1 ?? null,
    warnings: warnings.map(truncateMessage),
  };
}

interface ReadCertificates {
  certificates: CertificateFacts[];
  lineage: string[];
}

function readBlockCertificates(value: Buffer, scheme: BlockScheme, warnings: string[]): ReadCertificates {
  const damaged = (reason: string) => say('scheme-damaged', { scheme, reason });
  const read = attempt(warnings, damaged, () => {
    const signers = readBlockSigners(value, scheme);
    const certificates = signers.map((signer, index) => signerFacts(signer, `${scheme} signer ${index + 1}`));
    return { signers, certificates };
  });
  if (read === null) return { certificates: [], lineage: [] };
  const damagedHistory = (reason: string) => say('rotation-history-damaged', { scheme, reason });
  const lineage = attempt(warnings, damagedHistory, () => longestLineage(read.signers));
  return { certificates: read.certificates, lineage: lineage ?? [] };
}

function signerFacts(signer: BlockSigner, name: string): CertificateFacts {
  const [certificate] = signer.certificates;
  if (certificate === undefined) throw new MalformedSigningData(`${name} has no certificate`);
  return certificateFacts(certificate);
}

/** Signers for later platforms have longer histories with the same beginning. */
function longestLineage(signers: BlockSigner[]): string[] {
  const lineages = signers.map(readLineage).sort((a, b) => b.length - a.length);
  return (lineages[0] ?? []).map(({ certificate }) => certificateSha256(certificate));
}

async function readJarCertificates(
  archive: ZipArchive,
  signers: JarSigner[],
  warnings: string[],
): Promise<ReadCertificates> {
  if (signers.length > maxSigners) warnings.push(say('too-many-jar-signers', { count: maxSigners }));
  const certificates: CertificateFacts[] = [];
  for (const { name, block } of signers.slice(0, maxSigners)) {
    const bytes = await archive.read(block, maxSignatureBlockBytes).catch((cause) => refusal(cause));
    const damaged = (reason: string) => say('jar-signature-damaged', { name, reason });
    const facts = attempt(warnings, damaged, () => jarSignerFacts(bytes));
    // A later signer must not be mistaken for the first one.
    if (facts === null) break;
    certificates.push(facts);
  }
  return { certificates, lineage: [] };
}

function refusal(cause: unknown): UnreadablePackage {
  if (cause instanceof UnreadablePackage) return cause;
  throw cause;
}

function jarSignerFacts(block: Buffer | UnreadablePackage): CertificateFacts {
  if (block instanceof UnreadablePackage) throw block;
  const signedData = readJarSignatureBlock(block);
  const [signer] = signedData.signers;
  const certificate = signer === undefined ? null : jarSignerCertificate(signer);
  if (certificate === null) throw new MalformedBer('the certificate of its signer is not in it');
  return certificateFacts(certificate.encoded);
}

/** Returns the result of `read`, or null with a warning if the data is damaged. Rethrows other errors. */
function attempt<Value>(
  warnings: string[],
  warning: (reason: string) => string,
  read: () => Value,
): Value | null {
  try {
    return read();
  } catch (cause) {
    const expected =
      cause instanceof MalformedSigningData ||
      cause instanceof MalformedBer ||
      cause instanceof UnreadablePackage;
    if (!expected) throw cause;
    warnings.push(warning(cause.message));
    return null;
  }
}
