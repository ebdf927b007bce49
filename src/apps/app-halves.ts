/** What the page of an app shows of one App: its newest build, one page of builds, and its distribution pages. */
import type { Data } from '../data.ts';
import { appDeletionPath, buildsPath, distributionPath, newPagePath, pageSettingsPath } from './addresses.ts';
import type { App, Build } from './app.ts';
import type { AppCare, AppHalf, AppPageLink } from './app-page.tsx';
import type { PeopleProps } from './app-testers-list.tsx';
import { undoMs } from './build-deletion.ts';
import { buildLine } from './build-lines.ts';
import type { LinkSigner } from './link-signer.ts';

export const buildsOnPage = 25;
const pagesOnPage = 50;
const peopleOnAppPage = 25;
const deletedOnAppPage = 25;

export interface HalfRequest {
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
  now: number;
}

export async function loadHalf(
  data: Data,
  links: LinkSigner,
  app: App,
  request: HalfRequest,
): Promise<AppHalf> {
  const query = request.query || undefined;
  const found = await data.builds.listBuilds(app.id, {
    ...(request.above !== null
      ? { above: request.above }
      : request.below !== null
        ? { below: request.below }
        : {}),
    most: buildsOnPage + 1,
    query,
  });
  const more = found.length > buildsOnPage;
  const builds = request.above === null ? found.slice(0, buildsOnPage) : found.slice(-buildsOnPage);
  const [latest] = await data.builds.listBuilds(app.id, { most: 1 });
  const pages = await data.distributions.listPages(app.id, pagesOnPage);
  const first = builds[0]?.revision;
  const last = builds.at(-1)?.revision;
  const isFirstPage = request.above === null ? request.below === null : !more;
  const isLastPage = request.above === null && !more;
  const link = (position: Record<string, string>) =>
    `${request.address}?${new URLSearchParams({ ...request.keep, platform: app.platform, ...position })}#${app.platform}`;
  return {
    app,
    latest: latest ? buildLine(links, latest) : null,
    builds: builds.map((build) => buildLine(links, build)),
    paging: {
      newer: isFirstPage || first === undefined ? null : link({ above: String(first) }),
      older: isLastPage || last === undefined ? null : link({ below: String(last) }),
    },
    pages: await Promise.all(pages.map((page) => pageLink(data, page, request.manages))),
    newPageAddress: request.manages && latest ? newPagePath(app.owner, app.platform, app.packageName) : null,
    nextRevision: (request.above === null ? found[buildsOnPage] : undefined)?.revision ?? null,
    care: request.manages ? await loadCare(data, app, builds, request) : null,
    people: request.manages ? await loadPeople(data, app, peopleOnAppPage) : null,
  };
}

async function loadCare(
  data: Data,
  app: App,
  builds: readonly Build[],
  request: HalfRequest,
): Promise<AppCare> {
  const holding = new Map<string, string[]>();
  for (const { buildId, name } of await data.buildDeletion.holdingPages(builds.map(({ id }) => id))) {
    holding.set(buildId, [...(holding.get(buildId) ?? []), name]);
  }
  const after = request.now - undoMs;
  const deleted = await data.buildDeletion.listDeleted(app.id, after, deletedOnAppPage + 1);
  return {
    address: buildsPath(app),
    holding,
    deleted: deleted.slice(0, deletedOnAppPage),
    moreDeleted: deleted.length > deletedOnAppPage,
    justDeleted: deleted.filter(({ build }) => request.deleted.includes(build.revision)),
    justRestored: await presentOf(data, app, request.restored),
    deletionAddress: appDeletionPath(app),
  };
}

/** Of the revisions those that are there: an address may say anything. */
async function presentOf(data: Data, app: App, revisions: readonly number[]): Promise<number[]> {
  const present: number[] = [];
  for (const revision of revisions) {
    if (await data.builds.findBuildByRevision(app.id, revision)) present.push(revision);
  }
  return present;
}

async function pageLink(
  data: Data,
  page: { name: string; accessKey: string; active: boolean; buildId: string; updatedAt: number },
  manages: boolean,
): Promise<AppPageLink> {
  const build = await data.builds.findBuild(page.buildId);
  return {
    name: page.name,
    address: distributionPath(page.accessKey),
    active: page.active,
    revision: build?.revision ?? 0,
    updatedAt: page.updatedAt,
    settingsAddress: manages ? pageSettingsPath(page.accessKey) : null,
  };
}

/** Those of a User's App, by name; of a Project's App the teams decide. */
export async function loadPeople(data: Data, app: App, most: number): Promise<PeopleProps['people']> {
  if (app.owner.kind === 'project') return 'teams';
  const found = await data.appTesters.list(app.id, most + 1);
  return { testers: found.slice(0, most), more: found.length > most };
}
