/**
 * The files of an archive, as Apple's file systems see them after unpacking. APFS and HFS+ compare names by canonical
 * equivalence: macOS tools write decomposed names into archives, whereas property lists have composed ones. A name from one file
 * must never be looked up in another by its code units, so this is the only way to find a file of an app by name.
 */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';

/** `device`: case-sensitive, as on iOS. `mac`: case-insensitive, as on Macs by default, where simulators run. */
export type FileSystem = 'device' | 'mac';

export interface FileTree {
  /** In the order of the archive. Paths are composed and without empty and `.` segments (`./a//b`). Folders end with a slash. */
  readonly entries: readonly { path: string; entry: ZipEntry }[];
  /** Returns the file with this path, as compared by the file system; null if there is none. A symbolic link is no file. */
  find(path: string): ZipEntry | null;
  /** Returns the symbolic link with this path; null if there is none. */
  findLink(path: string): ZipEntry | null;
  /** Returns the folders that `choose` finds in paths. Folders that are equal for the file system are listed once, by their first path. */
  folders(choose: (path: string) => string | null): string[];
  /** Returns the files below `folder`, which must end with a slash. Throws `UnreadablePackage` if two entries are the same file. */
  below(folder: string): FileTree;
}

interface PlacedEntry {
  path: string;
  /** Equal exactly if two paths are the same for the file system. */
  key: string;
  entry: ZipEntry;
}

export function openFileTree(archive: ZipArchive, fileSystem: FileSystem): FileTree {
  const keyOf = (path: string) => (fileSystem === 'mac' ? path.toLowerCase().normalize() : path);
  const entries = archive.entries.map((entry) => {
    const path = comparablePath(entry.name);
    return { path, key: keyOf(path), entry };
  });
  return createTree(entries, (path) => keyOf(comparablePath(path)));
}

/** Returns the path as a device compares it: without empty and `.` segments, in Unicode form NFC. */
export function comparablePath(path: string): string {
  const composed = path.normalize();
  if (!/(?:^|\/)\.?\//.test(composed)) return composed;
  const steps = composed.split('/');
  // An empty first step means an absolute path, an empty last one a folder.
  const isStep = (step: string, at: number) =>
    step !== '.' && (step !== '' || at === 0 || at === steps.length - 1);
  return steps.filter(isStep).join('/');
}

function createTree(entries: readonly PlacedEntry[], keyOf: (path: string) => string): FileTree {
  const files = new Map<string, ZipEntry>();
  const links = new Map<string, ZipEntry>();
  for (const { path, key, entry } of entries) {
    const known = isLink(entry) ? links : files;
    if (!path.endsWith('/') && !known.has(key)) known.set(key, entry);
  }
  return {
    entries,
    find: (path) => files.get(keyOf(path)) ?? null,
    findLink: (path) => links.get(keyOf(path)) ?? null,
    folders(choose) {
      const found = new Map<string, string>();
      for (const { path } of entries) {
        const folder = choose(path);
        if (folder !== null && !found.has(keyOf(folder))) found.set(keyOf(folder), folder);
      }
      return [...found.values()];
    },
    below(folder) {
      const prefix = keyOf(folder);
      const steps = prefix.split('/').length - 1;
      const inside = entries
        .filter(({ key }) => key.startsWith(prefix) && key !== prefix)
        .map(({ path, key, entry }) => ({
          path: path.split('/').slice(steps).join('/'),
          key: key.slice(prefix.length),
          entry,
        }));
      requireDistinct(inside);
      return createTree(inside, keyOf);
    },
  };
}

/** `S_IFLNK` of `stat`. */
const isLink = ({ unixMode }: ZipEntry) => (unixMode & 0o170000) === 0o120000;

/** Rejects equal files, because readers disagree about which of two files they use. */
function requireDistinct(entries: readonly PlacedEntry[]): void {
  const seen = new Map<string, ZipEntry>();
  for (const { path, key, entry } of entries) {
    if (path.endsWith('/')) continue;
    const first = seen.get(key);
    if (first) throw new UnreadablePackage(describeTwice(shorten(first.name), shorten(entry.name)));
    seen.set(key, entry);
  }
}

const describeTwice = (name: string, other: string) =>
  name === other ? say('ipa-file-twice', { name }) : say('ipa-same-file', { name, other });

/** Shortens a name from the archive for use in a sentence. */
export function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
