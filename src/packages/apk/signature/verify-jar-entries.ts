import { say } from '../../messages/package-messages.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { hashEntry } from '../../zip/hash-entry.ts';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import { jarDigestsInUse } from './jar-algorithms.ts';
import type { JarSection } from './jar-manifest.ts';

/** A signer with a verified block and file, and its signed digests. */
export interface SigningJarSigner {
  name: string;
  certificate: Buffer;
  entryNames: ReadonlySet<string>;
}

export interface EntriesCheck {
  problems: string[];
  /** The signers that signed every entry. */
  signers: SigningJarSigner[];
}

export interface EntryDigester {
  /** Returns the entry's digest for each hash. Rejects with `UnreadablePackage` if it cannot be read. */
  digest(entry: ZipEntry, hashes: readonly string[]): Promise<ReadonlyMap<string, Buffer>>;
}

/** Caches digests, so that checking another platform does not read the package again. */
export function createEntryDigester(archive: ZipArchive): EntryDigester {
  const known = new Map<ZipEntry, Map<string, Buffer>>();
  return {
    async digest(entry, hashes) {
      const digests = known.get(entry) ?? new Map<string, Buffer>();
      known.set(entry, digests);
      const missing = hashes.filter((name) => !digests.has(name));
      if (missing.length > 0) {
        const values = await hashEntry(archive, entry, missing);
        for (const [index, value] of values.entries()) digests.set(missing[index] ?? '', value);
      }
      return digests;
    },
  };
}

/**
 * Checks every entry outside of META-INF/ against META-INF/MANIFEST.MF for platforms from `fromSdk` on, in file order. All
 * entries must be signed by the same signers.
 * @param maxProblems stops after this many
 */
export async function checkJarEntries(
  archive: ZipArchive,
  digester: EntryDigester,
  manifestSections: ReadonlyMap<string, JarSection>,
  signers: SigningJarSigner[],
  fromSdk: number,
  maxProblems: number,
): Promise<EntriesCheck> {
  const problems: string[] = [];
  let common: SigningJarSigner[] | null = null;
  const inFileOrder = archive.entries
    .filter(({ name }) => !name.startsWith('META-INF/') && !name.endsWith('/'))
    .sort((a, b) => a.localHeaderPosition - b.localHeaderPosition);
  for (const entry of inFileOrder) {
    if (problems.length >= maxProblems) break;
    const section = manifestSections.get(entry.name);
    const entrySigners = signers.filter(({ entryNames }) => entryNames.has(entry.name));
    common ??= entrySigners.length > 0 ? entrySigners : null;
    const problem =
      signerProblem(entry.name, section, entrySigners, common) ??
      (section === undefined ? null : await digestProblem(digester, entry, section, fromSdk));
    if (problem !== null) problems.push(problem);
  }
  if (common === null && problems.length === 0) problems.push(say('jar-signature-of-nothing'));
  return { problems, signers: common ?? [] };
}

function signerProblem(
  name: string,
  section: JarSection | undefined,
  entrySigners: SigningJarSigner[],
  common: SigningJarSigner[] | null,
): string | null {
  if (section === undefined) return say('jar-entry-added', { name });
  if (entrySigners.length === 0) return say('jar-entry-unsigned', { name });
  const sameSigners =
    entrySigners.length === common?.length && entrySigners.every((signer) => common.includes(signer));
  return sameSigners ? null : say('jar-entry-of-other-signers', { name });
}

async function digestProblem(
  digester: EntryDigester,
  entry: ZipEntry,
  section: JarSection,
  fromSdk: number,
): Promise<string | null> {
  const expected = jarDigestsInUse(section, '-digest', fromSdk);
  if (expected.length === 0) {
    return say('jar-manifest-without-digest', { name: entry.name, sdk: fromSdk });
  }
  try {
    const actual = await digester.digest(
      entry,
      expected.map((digest) => digest.hash),
    );
    const same = expected.every((digest) => actual.get(digest.hash)?.equals(digest.value));
    return same ? null : say('entry-changed', { name: entry.name });
  } catch (cause) {
    if (!(cause instanceof UnreadablePackage)) throw cause;
    return say('jar-entry-not-comparable', { name: entry.name, reason: cause.message });
  }
}
