/** The contents of a package, one folder at a time. */
import type { PackageAnalysis, SizeCategory } from '../../packages/analysis/analysis.ts';

/** What a folder or a package of classes directly contains. */
export interface SizeNode {
  name: string;
  /** `rest`: files that are not listed one by one, or classes directly in a package. */
  kind: 'folder' | 'file' | 'rest';
  /** The path of a folder; see `contentsOf`. */
  path: string;
  /** In the package; of classes, the bytes of their code. */
  bytes: number;
  /** Files, or classes. */
  count: number;
  /** The category of most bytes. */
  category: SizeCategory;
}

export interface SizeContents {
  /** Ends with the separator; `''` for everything. */
  path: string;
  /** The folders above and this one, outermost first. */
  above: { name: string; path: string }[];
  bytes: number;
  /** The largest first. */
  nodes: SizeNode[];
}

export type ShownSizes = 'files' | 'code';

interface SizeItem {
  path: string;
  bytes: number;
  count: number;
  category: SizeCategory;
  /** Whether it sums what the folder `path` contains. */
  isSum: boolean;
}

/** Returns what is in `path`, or everything if there is no such folder. Skips folders that contain nothing but one folder. */
export function contentsOf(analysis: PackageAnalysis, shown: ShownSizes, path: string): SizeContents {
  const separator = shown === 'files' ? '/' : '.';
  const items = shown === 'files' ? fileItems(analysis) : codeItems(analysis);
  const inside = items.filter((item) => item.path.startsWith(path));
  const [start, within] =
    inside.length > 0 && (path === '' || path.endsWith(separator)) ? [path, inside] : ['', items];
  let current = start;
  let nodes = nodesIn(within, current, separator);
  for (let [only] = nodes; nodes.length === 1 && only?.kind === 'folder'; [only] = nodes) {
    current = only.path;
    nodes = nodesIn(within, current, separator);
  }
  const names = current.split(separator).slice(0, -1);
  return {
    path: current,
    above: names.map((name, index) => ({
      name,
      path: names.slice(0, index + 1).join(separator) + separator,
    })),
    bytes: nodes.reduce((sum, { bytes }) => sum + bytes, 0),
    nodes,
  };
}

function fileItems({ size }: PackageAnalysis): SizeItem[] {
  return [
    ...size.files.map(({ path, compressedBytes, category }) => ({
      path,
      bytes: compressedBytes,
      count: 1,
      category,
      isSum: false,
    })),
    ...size.rest.map(({ folder, compressedBytes, files, category }) => ({
      path: folder === '' ? '' : `${folder}/`,
      bytes: compressedBytes,
      count: files,
      category,
      isSum: true,
    })),
  ];
}

const codeItems = ({ android }: PackageAnalysis): SizeItem[] =>
  (android?.codePackages ?? []).map(({ name, codeBytes, classes }) => ({
    path: name === '' ? '' : `${name}.`,
    bytes: codeBytes,
    count: classes,
    category: 'code',
    isSum: true,
  }));

function nodesIn(items: readonly SizeItem[], path: string, separator: string): SizeNode[] {
  const nodes = new Map<string, SizeNode & { byCategory: Map<SizeCategory, number> }>();
  for (const item of items) {
    if (!item.path.startsWith(path)) continue;
    const end = item.path.indexOf(separator, path.length);
    const isFolder = end !== -1;
    const name = isFolder ? item.path.slice(path.length, end) : item.path.slice(path.length);
    const kind = isFolder ? 'folder' : item.isSum ? 'rest' : 'file';
    const key = `${kind} ${name}`;
    const node = nodes.get(key) ?? {
      name,
      kind,
      path: isFolder ? item.path.slice(0, end + 1) : item.path,
      bytes: 0,
      count: 0,
      category: item.category,
      byCategory: new Map(),
    };
    node.bytes += item.bytes;
    node.count += item.count;
    node.byCategory.set(item.category, (node.byCategory.get(item.category) ?? 0) + item.bytes);
    nodes.set(key, node);
  }
  return [...nodes.values()]
    .map(({ byCategory, ...node }) => ({ ...node, category: largest(byCategory) ?? node.category }))
    .sort((one, other) => other.bytes - one.bytes);
}

function largest(byCategory: ReadonlyMap<SizeCategory, number>): SizeCategory | null {
  let found: [SizeCategory, number] | null = null;
  for (const entry of byCategory) if (found === null || entry[1] > found[1]) found = entry;
  return found?.[0] ?? null;
}
