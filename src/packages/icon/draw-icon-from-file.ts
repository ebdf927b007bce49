import { isBundle } from '../bundle/bundle-modules.ts';
import { openBundle } from '../bundle/open-bundle.ts';
import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import { openRandomAccessFile } from '../zip/open-file.ts';
import { openZip } from '../zip/open-zip.ts';
import { drawIcon } from './draw-icon.ts';

/**
 * Runs `drawIcon` for a package on disk.
 * @returns PNG bytes; null if the icon cannot be drawn, including if the file is not a zip archive
 * @throws the system's error if the file cannot be opened
 */
export async function drawIconOfFile(path: string, choice: IconChoice): Promise<Buffer | null> {
  const file = await openRandomAccessFile(path);
  try {
    const archive = await openZip(file);
    return await drawIcon(isBundle(archive) ? (await openBundle(archive)).archive : archive, choice);
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  } finally {
    await file.close();
  }
}
