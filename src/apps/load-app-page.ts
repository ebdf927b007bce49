/** Loads the app page: one page of builds with their filters, and the live distribution pages. */
import type { Data } from '../db/data.ts';
import type { PageLinks } from '../web/components/paging.tsx';
import type { App, Build } from './app.ts';
import type { AppManagement, AppPageProps } from './app-page.tsx';
import { appPageQueries } from './app-page-queries.ts';
import { buildsPath } from './app-paths.ts';
import { buildFilterQueries } from './builds/build-filter-queries.ts';
import { type BuildFilters, type FilterOptions, signerName } from './builds/build-filters.ts';
import { maxSearchedRevisions } from './builds/build-labels.ts';
import { buildQueries } from './builds/build-queries.ts';
import { buildLine } from './builds/build-rows.ts';
import type { LoadCheckBadges } from './check-badges.ts';
import { maxBuildsPerRequest, undoMs } from './deletion/build-deletion.ts';
import { buildDeletionQueries } from './deletion/build-deletion-queries.ts';
import type { FileTokens } from './files/file-token.ts';
import type { BuildInsight } from './insight/build-insight.ts';
import type { ListedPage, MarkedPage, PageViewer } from './listed-page.ts';

export const buildsPerPage = 25;
const maxPagesShown = 50;
const maxDeletedShown = 25;

export interface AppPageRequest {
  /** Path of the page and its query, for the links to older and newer builds. */
  address: string;
  key: string | null;
  query: string;
  filters: BuildFilters;
  below: number | null;
  above: number | null;
  /** Whether to list as many builds as one request can change, all selected. */
  selectsAll: boolean;
  /** Whether the viewer can manage the builds of the app. */
  manages: boolean;
  viewer: PageViewer;
  /** Revisions that were just deleted, restored, protected or labeled. */
  deleted: readonly number[];
  restored: readonly number[];
  protected: readonly number[];
  labeled: readonly number[];
  now: number;
  insight: BuildInsight;
}

export interface AppPageDeps {
  data: Data;
  fileTokens: FileTokens;
  loadCheckBadges: LoadCheckBadges;
}

export async function loadAppPage(
  { data, fileTokens, loadCheckBadges }: AppPageDeps,
  app: App,
  asked: AppPageRequest,
): Promise<Omit<AppPageProps, 'frame' | 'head' | 'install'>> {
  const { viewer } = asked;
  const pages = await appPageQueries(data).listPages(viewer, app.id, maxPagesShown);
  const request = { ...asked, filters: offeredFilters(asked, pages) };
  const { found, searchedTo } = await findBuilds(data, app, request);
  const limit = listedAtMost(request);
  const more = found.length > limit;
  const builds = request.above === null ? found.slice(0, limit) : found.slice(-limit);
  const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
  const buildIds = builds.map(({ id }) => id);
  const { key, query, filters, address } = request;
  const paging = pagingOf(request, builds, { more, searchedTo });
  return {
    app,
    latestRevision: latest?.revision ?? null,
    builds: builds.map((build) => buildLine(fileTokens, app, build)),
    live: await livePagesOf(data, viewer, buildIds),
    installs: await appPageQueries(data).installsOf(buildIds),
    checks: await loadCheckBadges(app, builds),
    sizes: await asked.insight.sizes(builds),
    paging,
    searched:
      searchedTo === null || more ? null : { limit: maxSearchedRevisions, upwards: request.above !== null },
    total: query === '' ? await buildFilterQueries(data).countFiltered(app.id, filters) : null,
    search: { address, query, key, filters },
    selection: request.manages ? selectionOf(request, paging) : null,
    options: latest ? await filterOptions(data, app, pages) : null,
    pages: pages.filter(({ active }) => active),
    management: request.manages ? await loadManagement(data, app, request) : null,
  };
}

const listedAtMost = ({ selectsAll }: AppPageRequest) => (selectsAll ? maxBuildsPerRequest : buildsPerPage);

function selectionOf(request: AppPageRequest, { newer, older }: PageLinks): AppPageProps['selection'] {
  const listAddress = (position: Record<string, string>) =>
    `${request.address}?${listQuery(request, position)}#builds`;
  if (request.selectsAll) return { selected: true, address: listAddress({}) };
  return newer || older ? { selected: false, address: listAddress({ select: 'all' }) } : null;
}

function pagingOf(
  request: AppPageRequest,
  builds: readonly Build[],
  { more, searchedTo }: { more: boolean; searchedTo: number | null },
) {
  const { above, below } = request;
  const hasMoreResults = more || searchedTo !== null;
  // A search can match nothing in its range and still have pages on both sides.
  const first = builds[0]?.revision ?? (above === null ? (below ?? 1) - 1 : null);
  const last = builds.at(-1)?.revision ?? (above === null ? null : above + 1);
  const isFirstPage = above === null ? below === null : !hasMoreResults;
  const isLastPage = above === null && !hasMoreResults;
  const newerFrom = above !== null && !more ? (searchedTo ?? first) : first;
  const olderFrom = above === null && !more ? (searchedTo ?? last) : last;
  const link = (position: Record<string, string>) =>
    `${request.address}?${listQuery(request, position)}#builds`;
  return {
    newer: isFirstPage || newerFrom === null ? null : link({ above: String(newerFrom) }),
    older: isLastPage || olderFrom === null ? null : link({ below: String(olderFrom) }),
  };
}

/** Returns the query string of the list with its search and filters. */
export function listQuery(
  list: { key: string | null; query: string; filters: BuildFilters },
  position: Record<string, string> = {},
): URLSearchParams {
  const { key, query, filters } = list;
  return new URLSearchParams({
    ...(key === null ? {} : { key }),
    ...(query === '' ? {} : { q: query }),
    ...filters,
    ...position,
  });
}

/** Loads one build more than fits. `searchedTo`: where an incomplete search stopped, or null. */
async function findBuilds(
  data: Data,
  app: App,
  request: AppPageRequest,
): Promise<{ found: Build[]; searchedTo: number | null }> {
  const { query, filters, above, below } = request;
  const limit = listedAtMost(request) + 1;
  if (query === '') {
    const from = above !== null ? { above } : below !== null ? { below } : {};
    return {
      found: await buildQueries(data).listBuilds(app.id, { ...from, limit, filters }),
      searchedTo: null,
    };
  }
  const from =
    above !== null ? { above } : { below: Math.min(below ?? Number.POSITIVE_INFINITY, app.lastRevision + 1) };
  const { builds, next } = await buildQueries(data).searchBuilds(app.id, {
    ...from,
    limit,
    text: query,
    filters,
  });
  const isExhausted = above === null ? next <= 1 : next >= app.lastRevision;
  return { found: builds, searchedTo: isExhausted ? null : next };
}

/** Drops the page filter unless the viewer may see that page. */
function offeredFilters({ filters, manages }: AppPageRequest, pages: readonly ListedPage[]): BuildFilters {
  const { page, ...others } = filters;
  return manages || pages.some(({ id }) => id === page) ? filters : others;
}

async function livePagesOf(
  data: Data,
  viewer: PageViewer,
  buildIds: readonly string[],
): Promise<Map<string, MarkedPage[]>> {
  const live = new Map<string, MarkedPage[]>();
  for (const page of await appPageQueries(data).pagesServing(viewer, buildIds))
    live.set(page.buildId, [...(live.get(page.buildId) ?? []), page]);
  return live;
}

async function filterOptions(data: Data, app: App, pages: readonly ListedPage[]): Promise<FilterOptions> {
  const values = await buildFilterQueries(data).filterValues(app.id);
  const signed = await buildQueries(data).listByRevisions(
    app.id,
    values.signer.map(({ newest }) => newest),
  );
  const same = (value: string) => ({ value, label: value });
  return {
    branch: values.branch.map(same),
    label: values.label.map(same),
    uploader: values.uploader.map(same),
    page: pages.map(({ id, name }) => ({ value: id, label: name })),
    signer: signed.flatMap(({ info }) => {
      const certificate = info.signing.certificates[0];
      return certificate ? [{ value: certificate.sha256, label: signerName(certificate) }] : [];
    }),
  };
}

async function loadManagement(data: Data, app: App, request: AppPageRequest): Promise<AppManagement> {
  const after = request.now - undoMs;
  const deleted = await buildDeletionQueries(data).listDeleted(app.id, after, maxDeletedShown + 1);
  const existing = (revisions: readonly number[]) => existingOf(data, app, revisions);
  return {
    address: buildsPath(app),
    deleted: deleted.slice(0, maxDeletedShown),
    moreDeleted: deleted.length > maxDeletedShown,
    recentlyDeleted: deleted.filter(({ build }) => request.deleted.includes(build.revision)),
    restored: await existing(request.restored),
    protected: await existing(request.protected),
    labeled: await existing(request.labeled),
  };
}

/** Filters the revisions to existing ones, because the query string is untrusted. */
async function existingOf(data: Data, app: App, revisions: readonly number[]): Promise<number[]> {
  const builds = await buildQueries(data).listByRevisions(app.id, revisions);
  const existing = new Set(builds.map(({ revision }) => revision));
  return revisions.filter((revision) => existing.has(revision));
}
