import type { ZipArchive } from '../zip/zip-archive.ts';

/** Highest density first; a folder without a density is last. */
const densities = ['xxxhdpi', 'xxhdpi', 'xhdpi', 'hdpi', 'tvdpi', 'mdpi', 'ldpi'];
/** An icon has a dozen folders at most. */
export const maxSiblings = 12;

/**
 * Returns the pictures for older platforms with the name of a compiled drawable in other resource folders; highest density
 * first.
 */
export function siblingRasters(archive: ZipArchive, source: string): string[] {
  const name = /^res\/[^/]+\/([^/]+)\.xml$/.exec(source)?.[1];
  if (name === undefined) return [];
  return archive.entries
    .map((entry) => entry.name)
    .filter((path) => {
      const [root, folder, file, ...deeper] = path.split('/');
      const isResource =
        root === 'res' && /^(?:mipmap|drawable)(?:-|$)/.test(folder ?? '') && deeper.length === 0;
      return isResource && [`${name}.png`, `${name}.webp`, `${name}.jpg`].includes(file ?? '');
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, maxSiblings);
}

function rankOf(path: string): number {
  const qualifiers = path.split('/')[1]?.split('-') ?? [];
  const rank = densities.findIndex((density) => qualifiers.includes(density));
  return rank < 0 ? densities.length : rank;
}
