/**
 * Compares the files of an app with the sealed list (`CodeResources`), based on `SecStaticCode::validateResources` of
 * Apple's Security framework. A device says "a signed resource has been added, modified, or deleted" and installs nothing.
 *
 *     files2   name → { hash2: SHA-256, hash: SHA-1, optional } | { symlink: target } | { cdhash, requirement }: a bundle with a
 *              signature of its own
 *     files    name → SHA-1 | { hash, optional }; counts only where there is no `files2`
 *     rules2   which names have to be in files2
 */

import { say } from '../../messages/package-messages.ts';
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
import type { EntryReader, ZipEntry } from '../../zip/zip-archive.ts';
import type { AppBundle } from '../app-bundle.ts';
import { comparablePath } from '../file-tree.ts';
import { needsSeal, readResourceRules } from './resource-rules.ts';

/** Maximum number of problems of one app, after which the comparison stops. */
export const maxSealProblems = 20;

/** How many nested folders are considered as separately signed bundles. */
export const maxNestedFolders = 16;

/** Games seal tens of thousands of files, with about 400 bytes of text for each. */
export const sealedListLimits: PropertyListLimits = {
  maxBytes: 32 * 1024 * 1024,
  maxDepth: 16,
  maxValues: 1_000_000,
  maxExpandedBytes: 64 * 1024 * 1024,
};

interface SealedList {
  /** By name as in the list, because two forms of one name are two statements about one file. */
  seals: readonly [name: string, seal: PropertyListValue][];
  /** The names, as compared by file systems. */
  paths: ReadonlySet<string>;
  /** Null if unlisted files cannot be checked. */
  rules: ReturnType<typeof readResourceRules>;
}

/**
 * `codeResources`: the content of the list. `executableName`: the file covered by code pages. Problems are one-line sentences of
 * at most `maxRefusalLength` characters. Inflates every listed file once. Also reports files with a damaged archive entry.
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
    return [oneLine(say('sealed-list-unreadable', { reason: error.message }))];
  }
  const problems: string[] = [];
  for (const [name, seal] of list.seals) {
    if (problems.length === maxSealProblems) return problems.map(oneLine);
    const problem = await problemWithSeal(bundle, name, seal);
    if (problem !== null) problems.push(problem);
  }
  const added = namesWithoutSeal(list, filePaths(bundle), executableName).map((name) =>
    say('entry-added', { name }),
  );
  return [...problems, ...added].slice(0, maxSealProblems).map(oneLine);
}

function filePaths({ files }: AppBundle): string[] {
  return files.entries.map(({ path }) => path).filter((path) => !path.endsWith('/'));
}

/** Sanitizes names from the package. */
function oneLine(problem: string): string {
  return readable(problem, maxRefusalLength);
}

function readSealedList(codeResources: Buffer, limits: PropertyListLimits): SealedList {
  const list = parsePropertyList(codeResources, 'CodeResources', limits);
  if (!isDictionary(list)) throw new UnreadablePackage('CodeResources is not a dictionary');
  const seals = list.files2 ?? list.files;
  if (!isDictionary(seals)) throw new UnreadablePackage('CodeResources lists no files');
  return {
    seals: Object.entries(seals),
    paths: new Set(Object.keys(seals).map(comparablePath)),
    rules: list.files2 === undefined ? null : readResourceRules(list.rules2),
  };
}

async function problemWithSeal(
  { archive, files }: AppBundle,
  name: string,
  stated: PropertyListValue,
): Promise<string | null> {
  const seal = isDictionary(stated) ? stated : { hash: stated };
  // A separately signed bundle is a folder. The App Store writes files into SC_Info.
  if (seal.requirement !== undefined || /(?:^|\/)SC_Info\//.test(name)) return null;
  // Some tools write a link as a file.
  const entry = (seal.symlink === undefined ? null : files.findLink(name)) ?? files.find(name);
  if (!entry) return seal.optional === true ? null : say('entry-missing', { name });
  try {
    return (await isUnchanged(archive, entry, seal)) ? null : say('entry-changed', { name });
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    return say('sealed-file-not-comparable', { name, reason: error.message });
  }
}

/** The content of a link's entry is its target. Of two hashes, the stronger one is used. */
async function isUnchanged(
  archive: EntryReader,
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
  { paths, rules }: SealedList,
  names: readonly string[],
  executableName: string,
): string[] {
  if (rules === null) return [];
  const executable = comparablePath(executableName);
  const isCovered = (name: string) =>
    paths.has(name) || name === executable || outerFolders(name).some((folder) => paths.has(folder));
  return names.filter((name) => !isCovered(name) && needsSeal(rules, name));
}

/** Returns `a` and `a/b` for `a/b/c`. */
function outerFolders(name: string): string[] {
  const parts = name.split('/', maxNestedFolders + 1).slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
