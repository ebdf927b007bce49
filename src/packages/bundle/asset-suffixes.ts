/** Directories of assets for some devices only, such as `textures#tcf_astc`: bundletool's `SuffixStripper`. */
import type { AssetDimension } from './bundle-config.ts';

/**
 * Returns where each file of `assets` is in a universal APK; those for other values than the default are left out.
 *
 * @param paths of one module
 */
export function placeAssets(
  paths: readonly string[],
  dimensions: readonly AssetDimension[],
): Map<string, string> {
  const placed = new Map(paths.map((path) => [path, path]));
  for (const dimension of dimensions) {
    const targeted = targetedDirectories([...placed.values()], dimension.key);
    for (const [path, place] of placed) {
      if (isForOtherValue(place, targeted, dimension)) placed.delete(path);
      else if (dimension.stripsSuffix) placed.set(path, withoutSuffix(place, dimension.key));
    }
  }
  return placed;
}

const directoriesOf = (path: string) => path.split('/').slice(0, -1);

/** Of `#tcf_astc#tier_1`, the value of one key; null without it. */
function suffixOf(segment: string, key: string): string | null {
  const part = segment
    .split('#')
    .slice(1)
    .find((one) => one.startsWith(`${key}_`));
  return part === undefined ? null : part.slice(key.length + 1);
}

/** Directories that exist with a suffix, by their paths without it. */
function targetedDirectories(paths: readonly string[], key: string): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    const segments = directoriesOf(path);
    for (const [at, segment] of segments.entries())
      if (suffixOf(segment, key) !== null) found.add(withoutSuffix(segments.slice(0, at + 1).join('/'), key));
  }
  return found;
}

/** The directory without a suffix has the fallback, which is another value unless the default is empty. */
function isForOtherValue(
  path: string,
  targeted: ReadonlySet<string>,
  { key, defaultValue }: AssetDimension,
): boolean {
  const segments = directoriesOf(path);
  return segments.some((segment, at) => {
    const value = suffixOf(segment, key);
    if (value !== null) return value !== defaultValue;
    return defaultValue !== '' && targeted.has(segments.slice(0, at + 1).join('/'));
  });
}

const withoutSuffix = (path: string, key: string) =>
  path
    .split('/')
    .map((segment) =>
      segment
        .split('#')
        .filter((part, at) => at === 0 || !part.startsWith(`${key}_`))
        .join('#'),
    )
    .join('/');
