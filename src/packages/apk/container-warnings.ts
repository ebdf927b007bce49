import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';

/** From this target SDK on, the platform maps the table into memory directly from the package. */
const mappedTableTarget = 30;
const tableAlignmentBytes = 4;

/**
 * Returns warnings about archive properties that prevent installation; full sentences.
 *
 * @see `libziparchive` of the platform for the names, `ParsingPackageUtils` and `ApkAssets` for the table
 */
export async function containerWarnings(archive: ZipArchive, targetSdkVersion: number): Promise<string[]> {
  const warnings: string[] = [];
  const duplicate = archive.duplicateNames[0];
  if (duplicate !== undefined) {
    warnings.push(`The zip archive contains ${duplicate.slice(0, 200)} twice. Android does not install it.`);
  }
  const table = archive.find('resources.arsc');
  const problem = table && targetSdkVersion >= mappedTableTarget ? await tableProblem(archive, table) : null;
  if (problem !== null) {
    warnings.push(
      `The resources.arsc is ${problem}. Android 11 and newer do not install such a package when its target SDK is ${mappedTableTarget} or more.`,
    );
  }
  return warnings;
}

/** An unknown compression method counts as stored, as in Android's own reader. */
async function tableProblem(archive: ZipArchive, table: ZipEntry): Promise<string | null> {
  if (table.method === 8) return 'compressed';
  const position = await positionOf(archive, table);
  const isAligned = position === null || position % tableAlignmentBytes === 0;
  return isAligned ? null : `not aligned on ${tableAlignmentBytes} bytes, as zipalign does it`;
}

/** Returns null when the archive is inconsistent, which is reported when the entry is read. */
export async function positionOf(archive: ZipArchive, entry: ZipEntry): Promise<number | null> {
  try {
    return await archive.dataPosition(entry);
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}
