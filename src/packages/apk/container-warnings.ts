import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';

/** From this target SDK on, the platform maps the table into memory directly from the package. */
const mappedTableTarget = 30;
const tableAlignmentBytes = 4;

/**
 * Returns warnings about properties of the archive that prevent installation, as full sentences.
 * @see `libziparchive` of the platform for the names, `ParsingPackageUtils` and `ApkAssets` for the table
 */
export async function containerWarnings(archive: ZipArchive, targetSdkVersion: number): Promise<string[]> {
  const warnings: string[] = [];
  const duplicate = archive.duplicateNames[0];
  if (duplicate !== undefined) {
    warnings.push(say('zip-entry-twice', { name: duplicate }));
  }
  const unnamed = archive.entries.find(({ hasValidName }) => !hasValidName);
  if (unnamed) warnings.push(say('zip-entry-name', { name: unnamed.name }));
  const table = archive.find('resources.arsc');
  if (table && targetSdkVersion >= mappedTableTarget) warnings.push(...(await tableWarnings(archive, table)));
  return warnings;
}

/** An unknown compression method counts as stored, as in Android's own reader. */
async function tableWarnings(archive: ZipArchive, table: ZipEntry): Promise<string[]> {
  const target = mappedTableTarget;
  if (table.method === 8) return [say('resources-compressed', { target })];
  const position = await positionOf(archive, table);
  const isAligned = position === null || position % tableAlignmentBytes === 0;
  return isAligned ? [] : [say('resources-not-aligned', { bytes: tableAlignmentBytes, target })];
}

/** Returns null if the archive is inconsistent, which is reported when the entry is read. */
export async function positionOf(archive: ZipArchive, entry: ZipEntry): Promise<number | null> {
  try {
    return await archive.dataPosition(entry);
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}
