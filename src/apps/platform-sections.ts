/** What the page of an app shows of one App: its newest build, one page of builds, and its distribution pages. */

import type { Data } from '../db/data.ts';
import { appTesterQueries } from '../owners/app-tester-queries.ts';
import type { App, Build } from './app.ts';
import {
  appDeletionPath,
  buildsPath,
  distributionPath,
  newPagePath,
  pageSettingsPath,
} from './app-addresses.ts';
import type { AppManagement, AppPageLink, PlatformSection } from './app-page.tsx';
import { appPageQueries } from './app-page-queries.ts';
import { searchedAtOnce } from './builds/build-labels.ts';
import { buildLine } from './builds/build-lines.ts';
import { buildQueries } from './builds/build-queries.ts';
import { undoMs } from './deletion/build-deletion.ts';
import { buildDeletionQueries } from './deletion/build-deletion-queries.ts';
import type { LinkSigner } from './files/link-signer.ts';
import type { PeopleProps } from './testers/app-testers-list.tsx';

export const buildsOnPage = 25;
const pagesOnPage = 50;
const peopleOnAppPage = 25;
const deletedOnAppPage = 25;

export interface SectionRequest {
  /** Path of the page with what must be kept in its query, for the links to older and newer builds. */
  address: string;
  keep: Readonly<Record<string, string>>;
  query: string;
  below: number | null;
  above: number | null;
  /** Whether the viewer may change the App's pages and who sees it. */
  manages: boolean;
  /** Revisions that were just deleted, or brought back. */
  deleted: readonly number[];
  restored: readonly number[];
  secretRotated: boolean;
  now: number;
}

export async function loadPlatformSection(
  data: Data,
  links: LinkSigner,
  app: App,
  request: SectionRequest,
): Promise<PlatformSection> {
  const { found, searchedTo } = await findBuilds(data, app, request);
  const more = found.length > buildsOnPage;
  const builds = request.above === null ? found.slice(0, buildsOnPage) : found.slice(-buildsOnPage);
  const [latest] = await buildQueries(data).listBuilds(app.id, { most: 1 });
  const pages = await appPageQueries(data).listPages(app.id, pagesOnPage);
  const revisions = await buildQueries(data).revisionsOf(pages.map(({ buildId }) => buildId));
  const goesOn = more || searchedTo !== null;
  // A search may find nothing among those that it looked at, and yet stand between others.
  const first = builds[0]?.revision ?? (request.above === null ? (request.below ?? 1) - 1 : null);
  const last = builds.at(-1)?.revision ?? (request.above === null ? null : request.above + 1);
  const isFirstPage = request.above === null ? request.below === null : !goesOn;
  const isLastPage = request.above === null && !goesOn;
  const newerFrom = request.above !== null && !more ? (searchedTo ?? first) : first;
  const olderFrom = request.above === null && !more ? (searchedTo ?? last) : last;
  const link = (position: Record<string, string>) =>
    `${request.address}?${new URLSearchParams({ ...request.keep, platform: app.platform, ...position })}#${app.platform}`;
  return {
    app,
    latest: latest ? buildLine(links, app, latest) : null,
    builds: builds.map((build) => buildLine(links, app, build)),
    paging: {
      newer: isFirstPage || newerFrom === null ? null : link({ above: String(newerFrom) }),
      older: isLastPage || olderFrom === null ? null : link({ below: String(olderFrom) }),
    },
    searched: searchedTo === null || more ? null : { most: searchedAtOnce, upwards: request.above !== null },
    pages: pages.map((page) => pageLink(page, revisions.get(page.buildId), request.manages)),
    newPageAddress: request.manages && latest ? newPagePath(app.owner, app.platform, app.packageName) : null,
    nextRevision: (request.above === null ? found[buildsOnPage] : undefined)?.revision ?? null,
    management: request.manages ? await loadManagement(data, app, builds, request) : null,
    people: request.manages ? await loadPeople(data, app, peopleOnAppPage) : null,
  };
}

/** One more than fit on the page; `searchedTo` where a search stopped before it was through, else null. */
async function findBuilds(
  data: Data,
  app: App,
  { query, above, below }: SectionRequest,
): Promise<{ found: Build[]; searchedTo: number | null }> {
  const most = buildsOnPage + 1;
  if (query === '') {
    const from = above !== null ? { above } : below !== null ? { below } : {};
    return { found: await buildQueries(data).listBuilds(app.id, { ...from, most }), searchedTo: null };
  }
  const from =
    above !== null ? { above } : { below: Math.min(below ?? Number.POSITIVE_INFINITY, app.lastRevision + 1) };
  const { builds, next } = await buildQueries(data).searchBuilds(app.id, { ...from, most, text: query });
  const isThrough = above === null ? next <= 1 : next >= app.lastRevision;
  return { found: builds, searchedTo: isThrough ? null : next };
}

async function loadManagement(
  data: Data,
  app: App,
  builds: readonly Build[],
  request: SectionRequest,
): Promise<AppManagement> {
  const holding = new Map<string, string[]>();
  for (const { buildId, name } of await buildDeletionQueries(data).holdingPages(builds.map(({ id }) => id))) {
    holding.set(buildId, [...(holding.get(buildId) ?? []), name]);
  }
  const after = request.now - undoMs;
  const deleted = await buildDeletionQueries(data).listDeleted(app.id, after, deletedOnAppPage + 1);
  return {
    address: buildsPath(app),
    holding,
    deleted: deleted.slice(0, deletedOnAppPage),
    moreDeleted: deleted.length > deletedOnAppPage,
    justDeleted: deleted.filter(({ build }) => request.deleted.includes(build.revision)),
    justRestored: await presentOf(data, app, request.restored),
    deletionAddress: appDeletionPath(app),
    secretRotated: request.secretRotated,
  };
}

/** Of the revisions those that are there: an address may say anything. */
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

/** Those of a User's App, by name; of a Project's App the teams decide. */
export async function loadPeople(data: Data, app: App, most: number): Promise<PeopleProps['people']> {
  if (app.owner.kind === 'project') return 'teams';
  const found = await appTesterQueries(data).list(app.id, most + 1);
  return { testers: found.slice(0, most), more: found.length > most };
}
