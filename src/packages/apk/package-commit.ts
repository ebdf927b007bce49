/** Where the source of an Android package is, according to the package (Android Gradle plugin 8.3 and later). */
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { maxNameLength } from './android-manifest.ts';

export const versionControlPath = 'META-INF/version-control-info.textproto';
/** Real files have some hundred bytes. */
export const maxVersionControlBytes = 64 * 1024;

export interface VersionControl {
  system: string;
  revision: string;
  localRoot: string | null;
}

/** Null if the package names no commit, or the file is damaged, which does not make the package unusable. */
export async function readPackageCommit(archive: ZipArchive): Promise<string | null> {
  const entry = archive.find(versionControlPath);
  if (!entry) return null;
  try {
    const found = readVersionControl(await archive.read(entry, maxVersionControlBytes));
    return found && /^[\w.-]{1,255}$/.test(found.revision) ? found.revision : null;
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}

/**
 * Reads the first repository of `version-control-info.textproto` (Android Gradle plugin 8.3 and later). Null if the build found none,
 * which it then states as `generate_error_reason`.
 */
export function readVersionControl(bytes: Buffer): VersionControl | null {
  const text = bytes.toString('utf8');
  const repository = /\brepositories\s*(?::\s*)?\{([^{}]*)\}/.exec(text)?.[1];
  if (repository === undefined) return null;
  const field = (name: string) => {
    const found = new RegExp(`(?:^|\\s)${name}\\s*:\\s*(?:"((?:[^"\\\\\\n]|\\\\.)*)"|(\\w+))`).exec(
      repository,
    );
    return (found?.[1]?.replace(/\\(["'\\])/g, '$1') ?? found?.[2])?.slice(0, maxNameLength) ?? null;
  };
  const revision = field('revision');
  if (revision === null) return null;
  return { system: field('system') ?? 'UNKNOWN', revision, localRoot: field('local_root_path') };
}
