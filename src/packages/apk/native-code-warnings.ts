import { say } from '../messages/package-messages.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { positionOf } from './container-warnings.ts';

/** How many libraries are checked for alignment, because build tools align all of them or none. */
export const maxAlignmentChecks = 16;
/** The ABI of modern phones. */
const phoneAbi = 'arm64-v8a';
const legacyArmAbis = ['armeabi-v7a', 'armeabi'];
const pageBytes = 4096;

/**
 * Returns warnings about native code that prevents installation on phones, as full sentences.
 * @see `NativeLibraryHelper` of the platform: which files it treats as libraries, and its requirements for those that it does not
 * extract
 */
export async function nativeCodeWarnings(archive: ZipArchive, extracted: boolean): Promise<string[]> {
  const libraries = archive.entries.flatMap((entry) => {
    const abi = /^lib\/([A-Za-z0-9_-]{1,64})\/lib[^/]*\.so$/.exec(entry.name)?.[1];
    return abi === undefined ? [] : [{ abi, entry }];
  });
  const abis = new Set(libraries.map(({ abi }) => abi));
  if (abis.size > 0 && !abis.has(phoneAbi)) return [abiWarning(abis)];
  const ofPhones = libraries.filter(({ abi }) => abi === phoneAbi).map(({ entry }) => entry);
  return extracted ? [] : alignmentWarnings(archive, ofPhones);
}

function abiWarning(abis: ReadonlySet<string>): string {
  const old = legacyArmAbis.filter((abi) => abis.has(abi));
  return old.length > 0
    ? say('native-code-32-bit', { abis: old.join(', ') })
    : say('native-code-not-for-phones', { abis: [...abis].toSorted().slice(0, 5).join(', ') });
}

async function alignmentWarnings(archive: ZipArchive, libraries: readonly ZipEntry[]): Promise<string[]> {
  const compressed = libraries.find(({ method }) => method !== 0);
  if (compressed) return [say('library-compressed', { name: compressed.name })];
  for (const library of libraries.slice(0, maxAlignmentChecks)) {
    const position = await positionOf(archive, library);
    if (position !== null && position % pageBytes !== 0)
      return [say('library-not-aligned', { name: library.name, bytes: pageBytes })];
  }
  return [];
}
