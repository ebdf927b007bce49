/** What could be left out of a package, and how many bytes that saves. */
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { abiPreference } from '../../packages/analysis/bundle-delivery.ts';

export interface SizeSaving {
  kind: 'duplicates' | 'symbols' | 'architectures' | 'media';
  /** Uncompressed. Of media: their size, because how much they can shrink depends on their content. */
  bytes: number;
  /** What to look at; the largest first. */
  items: { name: string; bytes: number; count: number }[];
}

/** Savings below this are not worth the attention. */
const minDuplicateBytes = 10_000;
const minSymbolBytes = 100_000;

/** The largest saving first. */
export function findSavings(analysis: PackageAnalysis): SizeSaving[] {
  return [duplicates(analysis), symbols(analysis), architectures(analysis), media(analysis)]
    .filter((saving) => saving !== null)
    .sort((one, other) => other.bytes - one.bytes);
}

function saving(kind: SizeSaving['kind'], items: SizeSaving['items'], minBytes: number): SizeSaving | null {
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
  if (items.length === 0 || bytes < minBytes) return null;
  return { kind, bytes, items: items.toSorted((one, other) => other.bytes - one.bytes) };
}

const duplicates = ({ size }: PackageAnalysis) =>
  saving(
    'duplicates',
    size.duplicates.map(({ bytes, paths }) => ({
      name: paths[0] ?? '',
      bytes: bytes * (paths.length - 1),
      count: paths.length,
    })),
    minDuplicateBytes,
  );

/** Symbols and debug information that only debuggers use. */
function symbols({ android, ios }: PackageAnalysis): SizeSaving | null {
  const files = [...(android?.nativeLibraries ?? []), ...(ios?.executables ?? [])]
    .map(({ path, symbolBytes, debugBytes }) => ({ name: path, bytes: symbolBytes + debugBytes, count: 1 }))
    .filter(({ bytes }) => bytes >= minSymbolBytes);
  return saving('symbols', files, minSymbolBytes);
}

/** A device uses the libraries of one architecture. The stores split app bundles by themselves. */
function architectures({ android, size }: PackageAnalysis): SizeSaving | null {
  if (!android || !size.download.exact) return null;
  const items = new Map<string, SizeSaving['items'][number]>();
  for (const { abi, bytes } of android.nativeLibraries) {
    const item = items.get(abi) ?? { name: abi, bytes: 0, count: 0 };
    items.set(abi, { ...item, bytes: item.bytes + bytes, count: item.count + 1 });
  }
  const kept = abiPreference.find((abi) => items.has(abi)) ?? [...items.keys()][0];
  return saving(
    'architectures',
    [...items.values()].filter(({ name }) => name !== kept),
    1,
  );
}

const media = ({ size }: PackageAnalysis) =>
  saving(
    'media',
    size.media.map(({ path, bytes }) => ({ name: path, bytes, count: 1 })),
    1,
  );
