/** The commit that an Android package was built from, according to the package (Android Gradle plugin 8.3 and later). */
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';

const entryName = 'META-INF/version-control-info.textproto';
/** Real files have some hundred bytes. */
const maxBytes = 64 * 1024;

/** Null if the package names no commit, or the file is damaged, which does not make the package unusable. */
export async function readPackageCommit(archive: ZipArchive): Promise<string | null> {
  const entry = archive.find(entryName);
  if (!entry) return null;
  try {
    const text = (await archive.read(entry, maxBytes)).toString('utf8');
    const repository = /\brepositories\s*(?::\s*)?\{([^{}]*)\}/.exec(text)?.[1] ?? '';
    return /\brevision\s*:\s*"([\w.-]{1,255})"/.exec(repository)?.[1] ?? null;
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}
