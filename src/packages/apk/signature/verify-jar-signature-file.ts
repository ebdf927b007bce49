import { hash } from 'node:crypto';
import { say } from '../../messages/package-messages.ts';
import { jarDigestsInUse } from './jar-algorithms.ts';
import { type JarManifest, type JarSection, jarAttributes } from './jar-manifest.ts';

export interface SignatureFileCheck {
  /** Android skips a signer if its file has no version or malformed section names. */
  ignored: boolean;
  problems: string[];
  /** Names of the entries signed by the signer. */
  entryNames: ReadonlySet<string>;
}

const ignoredSigner: SignatureFileCheck = { ignored: true, problems: [], entryNames: new Set() };

/**
 * Checks a .SF file against META-INF/MANIFEST.MF for platforms from `fromSdk` on: by the digest of the whole manifest or, if that
 * is absent or does not match, by the digest of each section.
 * @param manifestSections the sections of the manifest by name
 * @param foundSchemes numbers of the APK Signature Schemes found (2, 3); those claimed in the file must be among them
 */
export function checkSignatureFile(
  signatureFile: JarManifest,
  manifest: JarManifest,
  manifestSections: ReadonlyMap<string, JarSection>,
  foundSchemes: ReadonlySet<number>,
  name: string,
  fromSdk: number,
): SignatureFileCheck {
  const { main, sections } = signatureFile;
  const head = jarAttributes(main);
  if (!head.has('signature-version')) return ignoredSigner;
  const stripped = strippedProblems(head, foundSchemes, name);
  if (stripped.length > 0) return { ignored: false, problems: stripped, entryNames: new Set() };

  const bySigntool = head.get('created-by')?.includes('signtool') ?? false;
  const wholeDigests = jarDigestsInUse(main, bySigntool ? '-digest' : '-digest-manifest', fromSdk);
  const wholeMatches =
    wholeDigests.length > 0 && wholeDigests.every((digest) => matches(digest, manifest.file));
  const mainDigests = bySigntool ? [] : jarDigestsInUse(main, '-digest-manifest-main-attributes', fromSdk);
  const mainBytes = manifest.file.subarray(manifest.main.start, manifest.main.end);
  if (!mainDigests.every((digest) => matches(digest, mainBytes))) {
    return refused(say('jar-manifest-changed', { file: name }));
  }

  const entryNames = new Set<string>();
  const problems: string[] = [];
  for (const section of sections) {
    if (section.name === null || entryNames.has(section.name)) return ignoredSigner;
    entryNames.add(section.name);
    if (wholeMatches) continue;
    const manifestSection = manifestSections.get(section.name);
    if (manifestSection === undefined) return ignoredSigner;
    const bytes = sectionBytes(manifest.file, manifestSection, bySigntool);
    const digests = jarDigestsInUse(section, '-digest', fromSdk);
    if (digests.length === 0)
      problems.push(say('jar-file-without-digest', { file: name, name: section.name, sdk: fromSdk }));
    if (!digests.every((digest) => matches(digest, bytes))) {
      problems.push(say('jar-manifest-entry-changed', { name: section.name, file: name }));
    }
  }
  return { ignored: false, problems, entryNames };
}

/** `X-Android-APK-Signed: 2, 3` lists the newer schemes with which the package was also signed. */
function strippedProblems(
  head: ReadonlyMap<string, string>,
  foundSchemes: ReadonlySet<number>,
  name: string,
): string[] {
  const claimed = (head.get('x-android-apk-signed') ?? '').split(',').map((id) => Number(id.trim()));
  const missing = [2, 3].filter((id) => claimed.includes(id) && !foundSchemes.has(id));
  return missing.map((id) => say('jar-scheme-removed', { file: name, scheme: id }));
}

function matches(digest: { hash: string; value: Buffer }, bytes: Buffer): boolean {
  return digest.value.equals(hash(digest.hash, bytes, 'buffer'));
}

/** signtool excludes the last of two line feeds from its digests. */
function sectionBytes(manifest: Buffer, { start, end }: JarSection, bySigntool: boolean): Buffer {
  const dropsFinalNewline = bySigntool && manifest[end - 1] === 0x0a && manifest[end - 2] === 0x0a;
  return manifest.subarray(start, dropsFinalNewline ? end - 1 : end);
}

function refused(problem: string): SignatureFileCheck {
  return { ignored: false, problems: [problem], entryNames: new Set() };
}
