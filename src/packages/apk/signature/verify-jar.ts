import { say } from '../../messages/package-messages.ts';
import { UnreadablePackage } from '../../package-info.ts';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { type JarManifest, type JarSection, maxJarManifestBytes, readJarManifest } from './jar-manifest.ts';
import { findJarSigners, type JarSigner, jarManifestName, maxSignatureBlockBytes } from './jar-signers.ts';
import { MalformedSigningData } from './signing-bytes.ts';
import { maxSigners } from './signing-schemes.ts';
import { checkJarBlock } from './verify-jar-block.ts';
import {
  checkJarEntries,
  createEntryDigester,
  type EntryDigester,
  type SigningJarSigner,
} from './verify-jar-entries.ts';
import { checkSignatureFile } from './verify-jar-signature-file.ts';

/** Limits the problems reported for a package with many changed files. */
export const maxJarProblems = 20;

export interface JarCheck {
  problems: string[];
  /** The encoded certificate of each signer of the package. */
  certificates: Buffer[];
}

export interface JarVerifier {
  /**
   * Checks the JAR signature (scheme v1) for platforms from `fromSdk` on.
   *
   * @param foundSchemes numbers of the APK Signature Schemes found, 2 and 3
   */
  check(fromSdk: number, foundSchemes: ReadonlySet<number>): Promise<JarCheck>;
}

/**
 * Creates a verifier that hashes every entry at most once across platforms.
 *
 * @see https://docs.oracle.com/en/java/javase/21/docs/specs/jar/jar.html#signed-jar-file and apksig's V1SchemeVerifier for
 * Android's interpretation
 */
export function createJarVerifier(archive: ZipArchive): JarVerifier {
  const digester = createEntryDigester(archive);
  return {
    async check(fromSdk, foundSchemes) {
      try {
        return await checkJar(archive, digester, fromSdk, foundSchemes);
      } catch (cause) {
        if (!(cause instanceof JarProblem)) throw cause;
        return { problems: cause.problems.slice(0, maxJarProblems), certificates: [] };
      }
    },
  };
}

/** Aborts a check because later steps depend on the failed one. */
class JarProblem extends Error {
  override name = 'JarProblem';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems[0]);
    this.problems = problems;
  }
}

async function checkJar(
  archive: ZipArchive,
  digester: EntryDigester,
  fromSdk: number,
  foundSchemes: ReadonlySet<number>,
): Promise<JarCheck> {
  const twice = archive.duplicateNames.filter((name) => !name.endsWith('/'));
  throwIfAny(twice.map((name) => say('jar-entry-twice', { name })));
  const signers = findJarSigners(archive);
  if (signers.length === 0) throwIfAny([say('jar-signature-missing')]);
  if (signers.length > maxSigners) throwIfAny([say('too-many-jar-signers', { count: maxSigners })]);

  const manifest = await readManifestFile(archive, archive.find(jarManifestName));
  const sections = sectionsByName(archive, manifest);
  const certified = await checkBlocks(archive, signers, fromSdk);
  const signing: SigningJarSigner[] = [];
  for (const { signer, certificate } of certified) {
    const signatureFile = await readManifestFile(archive, signer.signatureFile);
    const check = checkSignatureFile(
      signatureFile,
      manifest,
      sections,
      foundSchemes,
      signer.signatureFile.name,
      fromSdk,
    );
    throwIfAny(check.problems);
    if (!check.ignored) signing.push({ name: signer.name, certificate, entryNames: check.entryNames });
  }
  if (signing.length === 0) throwIfAny([say('jar-signatures-malformed')]);
  const entries = await checkJarEntries(archive, digester, sections, signing, fromSdk, maxJarProblems);
  throwIfAny(entries.problems);
  return { problems: [], certificates: entries.signers.map(({ certificate }) => certificate) };
}

async function checkBlocks(
  archive: ZipArchive,
  signers: JarSigner[],
  fromSdk: number,
): Promise<{ signer: JarSigner; certificate: Buffer }[]> {
  const certified: { signer: JarSigner; certificate: Buffer }[] = [];
  for (const signer of signers) {
    const block = await readFile(archive, signer.block, maxSignatureBlockBytes);
    const signatureFile = await readFile(archive, signer.signatureFile, maxJarManifestBytes);
    const { certificate, problem } = checkJarBlock(block, signatureFile, signer.block.name, fromSdk);
    if (problem !== null) throwIfAny([problem]);
    if (certificate !== null) certified.push({ signer, certificate: certificate.encoded });
  }
  return certified;
}

/** Every section must name a file in the archive, and no file twice. */
function sectionsByName(archive: ZipArchive, manifest: JarManifest): Map<string, JarSection> {
  const sections = new Map<string, JarSection>();
  const problems: string[] = [];
  for (const section of manifest.sections) {
    const { name } = section;
    if (name === null) {
      problems.push(say('jar-manifest-nameless-section'));
    } else if (sections.has(name)) {
      problems.push(say('jar-manifest-section-twice', { name }));
    } else {
      sections.set(name, section);
      if (archive.find(name) === null) problems.push(say('jar-entry-removed', { name }));
    }
  }
  throwIfAny(problems);
  return sections;
}

async function readManifestFile(archive: ZipArchive, entry: ZipEntry | null): Promise<JarManifest> {
  const bytes = entry === null ? Buffer.alloc(0) : await readFile(archive, entry, maxJarManifestBytes);
  try {
    return readJarManifest(bytes);
  } catch (cause) {
    if (!(cause instanceof MalformedSigningData)) throw cause;
    const name = entry?.name ?? jarManifestName;
    throw new JarProblem([say('jar-file-unreadable', { name, reason: cause.message })]);
  }
}

async function readFile(archive: ZipArchive, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  try {
    return await archive.read(entry, maxBytes);
  } catch (cause) {
    if (!(cause instanceof UnreadablePackage)) throw cause;
    throw new JarProblem([say('jar-signature-unreadable', { reason: cause.message })]);
  }
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new JarProblem(problems);
}
