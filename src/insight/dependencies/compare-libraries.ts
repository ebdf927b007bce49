/** What changed between the libraries of two builds. */
import type { DependencyAnalysis } from '../../packages/analysis/analysis.ts';
import { compareVersions } from './maven-version.ts';

export type Library = DependencyAnalysis['libraries'][number];

export interface LibraryChanges {
  added: Library[];
  removed: Library[];
  changed: {
    library: Library;
    from: string | null;
    to: string | null;
    /** `changed`: one of the versions is unknown, or they only differ in how they are written. */
    change: 'upgraded' | 'downgraded' | 'changed';
  }[];
}

/** `group:name`, or the name of a library without a group. */
export const libraryName = ({ group, name }: Pick<Library, 'group' | 'name'>) =>
  group === null ? name : `${group}:${name}`;

/** The libraries that are listed more than once, with their versions. */
export function repeatedLibraries({ libraries }: DependencyAnalysis): { name: string; versions: string[] }[] {
  return [...Map.groupBy(libraries, libraryName)]
    .filter(([, listed]) => listed.length > 1)
    .map(([name, listed]) => ({
      name,
      versions: listed.flatMap(({ version }) => version ?? []).sort(compareVersions),
    }));
}

export function compareLibraries(from: DependencyAnalysis, to: DependencyAnalysis): LibraryChanges {
  const before = byName(from.libraries);
  const after = byName(to.libraries);
  return {
    added: [...after].filter(([name]) => !before.has(name)).map(([, library]) => library),
    removed: [...before].filter(([name]) => !after.has(name)).map(([, library]) => library),
    changed: [...after].flatMap(([name, library]) => {
      const known = before.get(name);
      if (!known || known.version === library.version) return [];
      const [from, to] = [known.version, library.version];
      const order = from === null || to === null ? 0 : compareVersions(to, from);
      const change = order === 0 ? 'changed' : order > 0 ? 'upgraded' : 'downgraded';
      return [{ library, from, to, change } as const];
    }),
  };
}

/** The newest version of each library. */
function byName(libraries: readonly Library[]): Map<string, Library> {
  const newest = new Map<string, Library>();
  for (const library of libraries) {
    const name = libraryName(library);
    const known = newest.get(name);
    if (!known || compareVersions(library.version ?? '', known.version ?? '') > 0) newest.set(name, library);
  }
  return newest;
}
