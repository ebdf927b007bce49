/** Sets of APKs that bundletool makes (`.apks`): with `--mode=universal`, they contain one that installs everywhere. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { RandomAccessFile, ZipArchive } from '../zip/zip-archive.ts';

const universalName = 'universal.apk';

/** A part of a file. */
export interface FilePart {
  position: number;
  sizeBytes: number;
}

/**
 * Returns where the universal APK is; null if the archive is no set with one.
 *
 * @throws UnreadablePackage when it is compressed, so that it cannot be read in place
 */
export async function findUniversalApk(archive: ZipArchive): Promise<FilePart | null> {
  const entry = archive.find('toc.pb') && archive.find(universalName);
  if (!entry) return null;
  if (entry.method !== 0) throw new UnreadablePackage(say('zip-apks-compressed'));
  return { position: await archive.dataPosition(entry), sizeBytes: entry.uncompressedBytes };
}

export function partOf(file: RandomAccessFile, { position: start, sizeBytes }: FilePart): RandomAccessFile {
  return {
    sizeBytes,
    read: async (position, length, into) => {
      if (position < 0 || length < 0 || position + length > sizeBytes)
        throw new UnreadablePackage(say('file-truncated'));
      return file.read(start + position, length, into);
    },
  };
}
