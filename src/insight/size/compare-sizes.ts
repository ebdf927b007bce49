/** What grew between two analyses of an app. Sizes are those in the package, compressed. */
import type { PackageAnalysis, SizeAnalysis, SizeCategory } from '../../packages/analysis/analysis.ts';

export interface SizeChange {
  /** A file, or a folder of files that are not listed one by one. */
  path: string;
  kind: 'added' | 'removed' | 'changed' | 'folder';
  from: number;
  to: number;
  /** False if a small version of the file may be among those that are not listed one by one. */
  exact: boolean;
}

/** The size of a build in a plot. */
export interface TrendPoint {
  revision: number;
  versionName: string | null;
  branch: string | null;
  /** Epoch milliseconds. */
  uploadedAt: number;
  downloadBytes: number;
  installBytes: number;
}

export interface SizeComparison {
  download: { from: number; to: number; exact: boolean };
  install: { from: number; to: number; exact: boolean };
  /** What changed most comes first; categories of equal size are left out. */
  categories: { category: SizeCategory; from: number; to: number }[];
  /** What grew most comes first, what shrank most last. */
  files: SizeChange[];
  /** Packages of classes, in the same order. Empty if names cannot be compared. */
  codePackages: { name: string; from: number; to: number }[];
}

export function compareSizes(from: PackageAnalysis, to: PackageAnalysis): SizeComparison {
  const both = (key: 'download' | 'install') => ({
    from: from.size[key].bytes,
    to: to.size[key].bytes,
    exact: from.size[key].exact && to.size[key].exact,
  });
  return {
    download: both('download'),
    install: both('install'),
    categories: compareCategories(from.size, to.size),
    files: compareFiles(from.size, to.size),
    codePackages: compareCode(from, to),
  };
}

const byGrowth = (one: { from: number; to: number }, other: { from: number; to: number }) =>
  other.to - other.from - (one.to - one.from);

const differs = ({ from, to }: { from: number; to: number }) => from !== to;

function compareCategories(from: SizeAnalysis, to: SizeAnalysis): SizeComparison['categories'] {
  const sizes = (size: SizeAnalysis) =>
    new Map(size.categories.map(({ category, compressedBytes }) => [category, compressedBytes]));
  const [before, after] = [sizes(from), sizes(to)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((category) => ({ category, from: before.get(category) ?? 0, to: after.get(category) ?? 0 }))
    .filter(differs)
    .sort((one, other) => Math.abs(other.to - other.from) - Math.abs(one.to - one.from));
}

type ListedFile = SizeAnalysis['files'][number];

function compareFiles(from: SizeAnalysis, to: SizeAnalysis): SizeChange[] {
  const before = new Map(from.files.map((file) => [file.path, file]));
  const changes: SizeChange[] = [];
  const added: ListedFile[] = [];
  for (const file of to.files) {
    const earlier = before.get(file.path);
    before.delete(file.path);
    if (!earlier) added.push(file);
    else if (earlier.compressedBytes !== file.compressedBytes)
      changes.push({
        path: file.path,
        kind: 'changed',
        from: earlier.compressedBytes,
        to: file.compressedBytes,
        exact: true,
      });
  }
  const { left, removed } = withoutMoved(added, [...before.values()]);
  const folders = new Map<string, SizeChange>();
  collectUnmatched({ files: left, listed: to, other: from, side: 'to' }, changes, folders);
  collectUnmatched({ files: removed, listed: from, other: to, side: 'from' }, changes, folders);
  for (const { folder, compressedBytes } of from.rest) folderChange(folders, folder).from += compressedBytes;
  for (const { folder, compressedBytes } of to.rest) folderChange(folders, folder).to += compressedBytes;
  return [...changes, ...folders.values()].filter(differs).sort(byGrowth);
}

/** Files with the same content under another path: shortened names of resources change with every build. */
function withoutMoved(added: readonly ListedFile[], removed: readonly ListedFile[]) {
  const keyOf = ({ crc32, bytes }: ListedFile) => `${crc32} ${bytes}`;
  const gone = Map.groupBy(removed, keyOf);
  const left = added.filter((file) => gone.get(keyOf(file))?.pop() === undefined);
  return { left, removed: [...gone.values()].flat() };
}

/**
 * Files that only one side lists. If the other side has files in the folder that it does not list, a small one may be among them:
 * large files are then reported with this doubt, and others with their folder.
 */
function collectUnmatched(
  unmatched: { files: readonly ListedFile[]; listed: SizeAnalysis; other: SizeAnalysis; side: 'from' | 'to' },
  changes: SizeChange[],
  folders: Map<string, SizeChange>,
): void {
  const { files, other, side } = unmatched;
  const unlisted = new Set(other.rest.map(({ folder }) => folder));
  const smallestListed = other.files.at(-1)?.compressedBytes ?? 0;
  for (const { path, compressedBytes } of files) {
    const folder = restFolderOf(path);
    const exact = !unlisted.has(folder);
    if (exact || compressedBytes > smallestListed * clearlyLarger) {
      const sizes = side === 'to' ? { from: 0, to: compressedBytes } : { from: compressedBytes, to: 0 };
      changes.push({ path, kind: side === 'to' ? 'added' : 'removed', ...sizes, exact });
      if (!exact) folderChange(folders, folder).exact = false;
    } else {
      folderChange(folders, folder)[side] += compressedBytes;
    }
  }
}

/** Files this many times as large as the smallest listed one did not come from the files that are not listed. */
const clearlyLarger = 10;

/** As in `SizeAnalysis.rest`: the first two folders. */
const restFolderOf = (path: string) => path.split('/').slice(0, -1).slice(0, 2).join('/');

function folderChange(folders: Map<string, SizeChange>, folder: string): SizeChange {
  const known = folders.get(folder);
  if (known) return known;
  const change: SizeChange = { path: `${folder}/`, kind: 'folder', from: 0, to: 0, exact: true };
  folders.set(folder, change);
  return change;
}

function compareCode(from: PackageAnalysis, to: PackageAnalysis): SizeComparison['codePackages'] {
  if (!hasRealNames(from) || !hasRealNames(to)) return [];
  const sizes = ({ android }: PackageAnalysis) =>
    new Map((android?.codePackages ?? []).map(({ name, codeBytes }) => [name, codeBytes]));
  const [before, after] = [sizes(from), sizes(to)];
  const isListedInFull = (size: number) => size < maxListedPackages;
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(
      (name) =>
        (before.has(name) || isListedInFull(before.size)) && (after.has(name) || isListedInFull(after.size)),
    )
    .map((name) => ({ name, from: before.get(name) ?? 0, to: after.get(name) ?? 0 }))
    .filter(differs)
    .sort(byGrowth);
}

/** How many packages an analysis lists. */
const maxListedPackages = 500;

const hasRealNames = ({ android }: PackageAnalysis) =>
  android?.renamed === 'mapped' || android?.renamed === 'original_names';
