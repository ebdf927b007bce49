/** Directories with assets for only some devices, such as `textures#tcf_astc`: bundletool's `SuffixStripper`. */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { AssetDimension } from './bundle-config.ts';

/**
 * Returns where each file in `assets` is placed in a universal APK, without those for values other than the default.
 * @param paths of the module
 * @throws UnreadablePackage if nothing applies to the default, like bundletool's `TextureCompressionFormatParityValidator`
 */
export function placeAssets(
  moduleName: string,
  paths: readonly string[],
  dimensions: readonly AssetDimension[],
): Map<string, string> {
  const placed = new Map(paths.map((path) => [path, path]));
  for (const { key, defaultValue, stripsSuffix } of dimensions) {
    const targeted = targetedDirectories([...placed.values()], key);
    let isChosen = targeted.size === 0;
    for (const [path, place] of placed) {
      const values = valuesOf(place, targeted, key);
      if (values.some((value) => value !== defaultValue)) placed.delete(path);
      else {
        isChosen ||= values.length > 0;
        if (stripsSuffix) placed.set(path, withoutSuffix(place, key));
      }
    }
    if (!isChosen)
      throw new UnreadablePackage(
        say('bundle-default-assets-missing', { name: moduleName, key, value: defaultValue }),
      );
  }
  return placed;
}

const directoriesOf = (path: string) => path.split('/').slice(0, -1);

/** Returns the value of one key in a segment such as `#tcf_astc#tier_1`; null if it is absent. */
function suffixOf(segment: string, key: string): string | null {
  const part = segment
    .split('#')
    .slice(1)
    .find((one) => one.startsWith(`${key}_`));
  return part === undefined ? null : part.slice(key.length + 1);
}

/** Returns directories that exist with a suffix, by their paths without it. */
function targetedDirectories(paths: readonly string[], key: string): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    const segments = directoriesOf(path);
    for (const [at, segment] of segments.entries())
      if (suffixOf(segment, key) !== null) found.add(withoutSuffix(segments.slice(0, at + 1).join('/'), key));
  }
  return found;
}

/**
 * Returns the values that the directories of a file apply to. Empty for a directory without a suffix next to others with one,
 * which is the fallback.
 */
function valuesOf(path: string, targeted: ReadonlySet<string>, key: string): string[] {
  const segments = directoriesOf(path);
  return segments.flatMap((segment, at) => {
    const value = suffixOf(segment, key);
    if (value !== null) return [value];
    return targeted.size > 0 && targeted.has(segments.slice(0, at + 1).join('/')) ? [''] : [];
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
