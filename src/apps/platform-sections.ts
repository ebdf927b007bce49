/** Loads what the app page shows for one app: its newest build, one page of builds, and its distribution pages. */
import type { Data } from '../db/data.ts';
import { appTesterQueries } from '../owners/app-tester-queries.ts';
import type { App, Build } from './app.ts';
import type { AppManagement, AppPageLink, PlatformSection } from './app-page.tsx';
import { appPageQueries } from './app-page-queries.ts';
import { buildsPath, distributionPath, newPagePath, pageSettingsPath } from './app-paths.ts';
import { maxSearchedRevisions } from './builds/build-labels.ts';
import { buildQueries } from './builds/build-queries.ts';
import { buildLine } from './builds/build-rows.ts';
import { undoMs } from './deletion/build-deletion.ts';
import { buildDeletionQueries } from './deletion/build-deletion-queries.ts';
import type { FileTokens } from './files/file-token.ts';
import type { PeopleProps } from './testers/app-testers-list.tsx';

export const buildsPerPage = 25;
const maxPagesShown = 50;
const maxTestersShown = 25;
const maxDeletedShown = 25;

export interface PlatformSectionRequest {
  /** Path of the page and its query, for the links to older and newer builds. */
  address: string;
  keep: Readonly<Record<string, string>>;
  query: string;
  below: number | null;
  above: number | null;
  /** Whether the viewer can manage the pages and access of the app. */
  manages: boolean;
  /** Revisions that were just deleted or restored. */
  deleted: readonly number[];
  restored: readonly number[];
  now: number;
}

export async function loadPlatformSection(
  data: Data,
  fileTokens: FileTokens,
  app: App,
  request: PlatformSectionRequest,
): Promise<PlatformSection> {
  const { found, searchedTo } = await findBuilds(data, app, request);
  const more = found.length > buildsPerPage;
  const builds = request.above === null ? found.slice(0, buildsPerPage) : found.slice(-buildsPerPage);
  const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
  const pages = await appPageQueries(data).listPages(app.id, maxPagesShown);
  const revisions = await buildQueries(data).revisionsOf(pages.map(({ buildId }) => buildId));
  const hasMoreResults = more || searchedTo !== null;
  // A search can find nothing in its range and still have pages on both sides.
  const first = builds[0]?.revision ?? (request.above === null ? (request.below ?? 1) - 1 : null);
  const last = builds.at(-1)?.revision ?? (request.above === null ? null : request.above + 1);
  const isFirstPage = request.above === null ? request.below === null : !hasMoreResults;
  const isLastPage = request.above === null && !hasMoreResults;
  const newerFrom = request.above !== null && !more ? (searchedTo ?? first) : first;
  const olderFrom = request.above === null && !more ? (searchedTo ?? last) : last;
  const link = (position: Record<string, string>) =>
    `${request.address}?${new URLSearchParams({ ...request.keep, platform: app.platform, ...position })}#${app.platform}`;
  return {
    app,
    latest: latest ? buildLine(fileTokens, app, latest) : null,
    builds: builds.map((build) => buildLine(fileTokens, app, build)),
    paging: {
      newer: isFirstPage || newerFrom === null ? null : link({ above: String(newerFrom) }),
      older: isLastPage || olderFrom === null ? null : link({ below: String(olderFrom) }),
    },
    searched:
      searchedTo === null || more ? null : { limit: maxSearchedRevisions, upwards: request.above !== null },
    pages: pages.map((page) => pageLink(page, revisions.get(page.buildId), request.manages)),
    newPageAddress: request.manages && latest ? newPagePath(app.owner, app.platform, app.packageName) : null,
    nextRevision: (request.above === null ? found[buildsPerPage] : undefined)?.revision ?? null,
    management: request.manages ? await loadManagement(data, app, builds, request) : null,
    people: request.manages ? await loadPeople(data, app, maxTestersShown) : null,
  };
}

/** Loads one build more than fits. `searchedTo`: where an incomplete search stopped, or null. */
async function findBuilds(
  data: Data,
  app: App,
  { query, above, below }: PlatformSectionRequest,
): Promise<{ found: Build[]; searchedTo: number | null }> {
  const limit = buildsPerPage + 1;
  if (query === '') {
    const from = above !== null ? { above } : below !== null ? { below } : {};
    return { found: await buildQueries(data).listBuilds(app.id, { ...from, limit }), searchedTo: null };
  }
  const from =
    above !== null ? { above } : { below: Math.min(below ?? Number.POSITIVE_INFINITY, app.lastRevision + 1) };
  const { builds, next } = await buildQueries(data).searchBuilds(app.id, { ...from, limit, text: query });
  const isExhausted = above === null ? next <= 1 : next >= app.lastRevision;
  return { found: builds, searchedTo: isExhausted ? null : next };
}

async function loadManagement(
  data: Data,
  app: App,
  builds: readonly Build[],
  request: PlatformSectionRequest,
): Promise<AppManagement> {
  const holding = new Map<string, string[]>();
  for (const { buildId, name } of await buildDeletionQueries(data).blockingPages(
    builds.map(({ id }) => id),
  )) {
    holding.set(buildId, [...(holding.get(buildId) ?? []), name]);
  }
  const after = request.now - undoMs;
  const deleted = await buildDeletionQueries(data).listDeleted(app.id, after, maxDeletedShown + 1);
  return {
    address: buildsPath(app),
    holding,
    deleted: deleted.slice(0, maxDeletedShown),
    moreDeleted: deleted.length > maxDeletedShown,
    recentlyDeleted: deleted.filter(({ build }) => request.deleted.includes(build.revision)),
    recentlyRestored: await presentOf(data, app, request.restored),
  };
}

/** Filters the revisions to existing ones, because the query string is untrusted. */
async function presentOf(data: Data, app: App, revisions: readonly number[]): Promise<number[]> {
  const present: number[] = [];
  for (const revision of revisions) {
    if (await buildQueries(data).findBuildByRevision(app.id, revision)) present.push(revision);
  }
  return present;
}

function pageLink(
  page: { name: string; accessKey: string; active: boolean; updatedAt: number },
  revision: number | undefined,
  manages: boolean,
): AppPageLink {
  return {
    name: page.name,
    address: distributionPath(page.accessKey),
    active: page.active,
    revision: revision ?? 0,
    updatedAt: page.updatedAt,
    settingsAddress: manages ? pageSettingsPath(page.accessKey) : null,
  };
}

/** People with access to a User's app, by name. For a Project's app, the teams decide. */
export async function loadPeople(data: Data, app: App, limit: number): Promise<PeopleProps['people']> {
  if (app.owner.kind === 'project') return 'teams';
  const found = await appTesterQueries(data).list(app.id, limit + 1);
  return { testers: found.slice(0, limit), more: found.length > limit };
}
