/** Finds the builds that contain a library, among the apps that a person may see. */

import type { Data } from '../db/data.ts';
import {
  type LibraryPosition,
  type LibraryRow,
  libraryQueries,
} from '../insight/dependencies/library-queries.ts';
import { parseVersionRange } from '../insight/dependencies/maven-version.ts';
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
  /** The newest build first. */
  found: Awaited<ReturnType<ReturnType<typeof libraryQueries>['load']>>;
  /** Where the next page begins, which may be empty; null on the last one. */
  next: LibraryPosition | null;
  /** Whether the version is not a range; then there are no results. */
  isVersionInvalid: boolean;
}

export const maxLibraryLength = 500;
export const maxVersionLength = 200;
/** How many builds with the library are compared with the range for one page, which is shorter if fewer match. */
export const maxComparedBuilds = 10_000;
const rowsPerRead = 1_000;

export async function searchLibraries(
  data: Data,
  actor: UserActor,
  { library, version, scope }: LibrarySearch,
  { after, limit }: { after: LibraryPosition | null; limit: number },
): Promise<LibraryResults> {
  const range = version.trim() === '' ? () => true : parseVersionRange(version);
  if (library.trim() === '' || !range) return { found: [], next: null, isVersionInvalid: range === null };
  const { user } = actor;
  const projects = await listUsableProjects(data, actor);
  const visible = { ownerIds: [user.id, ...projects.map(({ id }) => id)], testerId: user.id };
  const queries = libraryQueries(data);
  const matching: LibraryRow[] = [];
  let next = after;
  for (let compared = 0; compared < maxComparedBuilds && matching.length < limit; compared += rowsPerRead) {
    const rows = await queries.find(visible, library.trim(), scope, { after: next, limit: rowsPerRead });
    const used = takeMatching(rows, limit - matching.length, range, matching);
    const last = rows[used - 1];
    next = rows.length < rowsPerRead && used === rows.length ? null : last ? positionOf(last) : null;
    if (next === null) break;
  }
  return { found: await queries.load(matching), next, isVersionInvalid: false };
}

/** Adds at most `limit` rows to `matching`. Returns how many of the rows were looked at. */
function takeMatching(
  rows: readonly LibraryRow[],
  limit: number,
  range: (version: string) => boolean,
  matching: LibraryRow[],
): number {
  let left = limit;
  for (const [index, row] of rows.entries()) {
    if (left === 0) return index;
    if (row.version !== null && !range(row.version)) continue;
    matching.push(row);
    left -= 1;
  }
  return rows.length;
}

const positionOf = ({ buildId, library, version }: LibraryRow): LibraryPosition => [
  buildId,
  library,
  version ?? '',
];
