/**
 * The files of an app against the list that its signature seals (`CodeResources`), after `SecStaticCode::validateResources` of
 * Apple's Security framework. A device says "a signed resource has been added, modified, or deleted" and installs nothing.
 *
 *     files2   name → { hash2: SHA-256, hash: SHA-1, optional } | { symlink: target } | { cdhash, requirement }: a bundle with a
 *              signature of its own
 *     files    name → SHA-1 | { hash, optional }; counts only where there is no `files2`
 *     rules2   which names have to be in files2
 */
import { maxRefusalLength, UnreadablePackage } from '../../package-info.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import {
  isDictionary,
  type PropertyListDictionary,
  type PropertyListLimits,
  type PropertyListValue,
} from '../../property-list/property-list-value.ts';
import { readable } from '../../sentence.ts';
import { hashEntry } from '../../zip/hash-entry.ts';
import type { ZipArchive, ZipEntry } from '../../zip/zip-archive.ts';
import type { AppBundle } from '../app-bundle.ts';
import { needsSeal, readResourceRules } from './resource-rules.ts';

/** Problems of one app; then the comparison stops. */
export const maxSealProblems = 20;

/** Folders within folders that can be a bundle with a signature of its own. */
export const maxNestedFolders = 16;

/** Games seal tens of thousands of files, with some 400 bytes of text for each. */
export const sealedListLimits: PropertyListLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: 16,
  maxValues: 1_000_000,
  maxExpandedBytes: 64 * 1024 * 1024,
};

/** What stands in the list, and what is there: both by a name in one Unicode form, since file systems change it. */
interface SealedList {
  seals: ReadonlyMap<string, PropertyListValue>;
  /** Null when nothing can be said of files that are not listed. */
  rules: ReturnType<typeof readResourceRules>;
}

/**
 * `codeResources` is the content of the list; `executableName` is what the pages of code cover. Problems are full sentences of one
 * line, `maxRefusalLength` characters at most.
 * Inflates every listed file once. A file that the archive itself says is damaged is a problem like any other.
 */
export async function problemsWithSealedFiles(
  bundle: AppBundle,
  codeResources: Buffer,
  executableName: string,
  limits: PropertyListLimits = sealedListLimits,
): Promise<string[]> {
  let list: SealedList;
  try {
    list = readSealedList(codeResources, limits);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    return [oneLine(`The list of sealed files cannot be read: ${error.message}.`)];
  }
  const files = new Map([...bundle.files].map(([name, entry]) => [name.normalize(), entry]));
  const problems: string[] = [];
  for (const [name, seal] of list.seals) {
    if (problems.length === maxSealProblems) return problems.map(oneLine);
    const problem = await problemWithSeal(bundle.archive, files, name, seal);
    if (problem !== null) problems.push(problem);
  }
  const added = namesWithoutSeal(list, files.keys(), executableName).map(
    (name) => `${name} was added after signing.`,
  );
  return [...problems, ...added].slice(0, maxSealProblems).map(oneLine);
}

/** Names come from the package. */
function oneLine(problem: string): string {
  return readable(problem, maxRefusalLength);
}

function readSealedList(codeResources: Buffer, limits: PropertyListLimits): SealedList {
  const list = parsePropertyList(codeResources, 'CodeResources', limits);
  if (!isDictionary(list)) throw new UnreadablePackage('CodeResources is not a dictionary');
  const seals = list.files2 ?? list.files;
  if (!isDictionary(seals)) throw new UnreadablePackage('CodeResources lists no files');
  return {
    seals: new Map(Object.entries(seals).map(([name, seal]) => [name.normalize(), seal])),
    rules: list.files2 === undefined ? null : readResourceRules(list.rules2),
  };
}

async function problemWithSeal(
  archive: ZipArchive,
  files: ReadonlyMap<string, ZipEntry>,
  name: string,
  stated: PropertyListValue,
): Promise<string | null> {
  const seal = isDictionary(stated) ? stated : { hash: stated };
  // A bundle with a signature of its own is a folder; the App Store writes into SC_Info.
  if (seal.requirement !== undefined || /(?:^|\/)SC_Info\//.test(name)) return null;
  const entry = files.get(name);
  if (!entry) return seal.optional === true ? null : `${name} is missing, although the signature covers it.`;
  try {
    return (await isUnchanged(archive, entry, seal)) ? null : `${name} was changed after signing.`;
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    return `${name} cannot be compared with the signature: ${error.message}.`;
  }
}

/** The archive holds the target of a link as the content of its entry. Of two hashes the stronger one counts. */
async function isUnchanged(
  archive: ZipArchive,
  entry: ZipEntry,
  { symlink, hash2, hash }: PropertyListDictionary,
): Promise<boolean> {
  if (typeof symlink === 'string') {
    const target = Buffer.from(symlink);
    return (
      entry.uncompressedBytes === target.length && (await archive.read(entry, target.length)).equals(target)
    );
  }
  const expected = hash2 ?? hash;
  if (!Buffer.isBuffer(expected)) return false;
  const [found] = await hashEntry(archive, entry, [hash2 === undefined ? 'sha1' : 'sha256']);
  return found?.equals(expected) ?? false;
}

function namesWithoutSeal(
  { seals, rules }: SealedList,
  names: Iterable<string>,
  executableName: string,
): string[] {
  if (rules === null) return [];
  const executable = executableName.normalize();
  const isCovered = (name: string) =>
    seals.has(name) || name === executable || outerFolders(name).some((folder) => seals.has(folder));
  return [...names].filter((name) => !isCovered(name) && needsSeal(rules, name));
}

/** `a/b/c` lies in `a` and `a/b`. */
function outerFolders(name: string): string[] {
  const parts = name.split('/', maxNestedFolders + 1).slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
