/** What the analyzer leaves out: a part over a limit, or one that cannot be read. The rest of the package is analyzed all the same. */
import { UnreadablePackage } from '../package-info.ts';
import type { ZipEntry } from '../zip/zip-archive.ts';
import type { AnalysisPart, PackageAnalysis } from './analysis.ts';

export type Gap = PackageAnalysis['gaps'][number];

/** The package has more of something than the analyzer reads. */
export class LimitExceeded extends UnreadablePackage {
  readonly reason: Gap['reason'];

  constructor(reason: 'too_large' | 'too_many' | 'too_slow') {
    super('the analyzer does not read parts of this size');
    this.reason = reason;
  }
}

/** Flags of a zip entry that is encrypted, including strong encryption and a masked local header. */
const encryptedFlags = 0x0001 | 0x0040 | 0x2000;
/** Gaps beyond are not listed, because thousands of damaged files say no more than a few hundred. */
export const maxGaps = 200;

export function addGap(gaps: Gap[], part: AnalysisPart, path: string | null, reason: Gap['reason']): void {
  if (gaps.length < maxGaps) gaps.push({ part, path, reason });
}

/** Returns what `read` returns; null if the part cannot be read or exceeds a limit, which is then listed in `gaps`. */
export async function collectGap<T>(
  gaps: Gap[],
  part: AnalysisPart,
  source: ZipEntry | string | null,
  read: () => T | Promise<T>,
): Promise<T | null> {
  const entry = typeof source === 'string' ? null : source;
  try {
    return await read();
  } catch (error) {
    // A damaged file can also make a read of bytes fail.
    if (!(error instanceof UnreadablePackage || error instanceof RangeError)) throw error;
    const isEncrypted = entry !== null && (entry.flags & encryptedFlags) !== 0;
    const reason = isEncrypted
      ? 'encrypted'
      : error instanceof LimitExceeded
        ? error.reason
        : ('unreadable' as const);
    addGap(gaps, part, entry?.name ?? (typeof source === 'string' ? source : null), reason);
    return null;
  }
}

/** @throws LimitExceeded if the entry has more bytes than the limit */
export function checkSize(entry: ZipEntry, maxBytes: number): void {
  if (entry.uncompressedBytes > maxBytes) throw new LimitExceeded('too_large');
}
