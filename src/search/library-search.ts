/** Finds the builds that contain a library, among the apps that a person may see. */

import type { Data } from '../db/data.ts';
import { type LibraryRow, libraryQueries } from '../insight/dependencies/library-queries.ts';
import { compareVersions, parseVersionRange } from '../insight/dependencies/maven-version.ts';
import type { UserActor } from '../owners/actor.ts';
import { listUsableProjects } from '../owners/gate/find-workspace-gate.ts';

export const libraryScopes = ['latest', 'all'] as const;

export interface LibrarySearch {
  /** A name, or `group:name`. */
  library: string;
  /** Such as `<4.12`; empty for any version. */
  version: string;
  scope: (typeof libraryScopes)[number];
}

export interface LibraryResults {
  /** The oldest version first; builds whose version is unknown last. */
  found: Awaited<ReturnType<ReturnType<typeof libraryQueries>['load']>>;
  /** Whether there are more than the found ones. */
  hasMore: boolean;
  /** Whether the version is not a range; then there are no results. */
  isVersionInvalid: boolean;
}

export const maxLibraryLength = 500;
export const maxVersionLength = 200;
/** How many builds with the library are compared with the range: the newest ones. */
export const maxComparedBuilds = 10_000;
export const maxFoundLibraries = 200;

export async function searchLibraries(
  data: Data,
  actor: UserActor,
  { library, version, scope }: LibrarySearch,
): Promise<LibraryResults> {
  const range = version.trim() === '' ? () => true : parseVersionRange(version);
  if (library.trim() === '' || !range) return { found: [], hasMore: false, isVersionInvalid: range === null };
  const { user } = actor;
  const projects = await listUsableProjects(data, actor);
  const visible = { ownerIds: [user.id, ...projects.map(({ id }) => id)], testerId: user.id };
  const queries = libraryQueries(data);
  const rows = await queries.find(visible, library.trim(), scope, maxComparedBuilds + 1);
  const matching = rows
    .slice(0, maxComparedBuilds)
    .filter((row) => row.version === null || range(row.version))
    .sort(byVersion);
  return {
    found: await queries.load(matching.slice(0, maxFoundLibraries)),
    hasMore: rows.length > maxComparedBuilds || matching.length > maxFoundLibraries,
    isVersionInvalid: false,
  };
}

/** Equal versions stay in their order, the newest build first. */
function byVersion(one: LibraryRow, other: LibraryRow): number {
  if (one.version === null || other.version === null)
    return Number(one.version === null) - Number(other.version === null);
  return compareVersions(one.version, other.version);
}
