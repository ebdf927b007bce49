/** What the page of an app shows of one App: its newest build, one page of builds, and its distribution pages. */
import type { Data } from '../data.ts';
import { distributionPath } from './addresses.ts';
import type { App } from './app.ts';
import type { AppHalf, AppPageLink } from './app-page.tsx';
import { buildLine } from './build-lines.ts';
import type { LinkSigner } from './link-signer.ts';

export const buildsOnPage = 25;
const pagesOnPage = 50;

export interface HalfRequest {
  /** Path of the page with what must be kept in its query, for the links to older and newer builds. */
  address: string;
  keep: Readonly<Record<string, string>>;
  query: string;
  below: number | null;
  above: number | null;
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
    pages: await Promise.all(pages.map((page) => pageLink(data, page))),
  };
}

async function pageLink(
  data: Data,
  page: { name: string; accessKey: string; active: boolean; buildId: string; updatedAt: number },
): Promise<AppPageLink> {
  const build = await data.builds.findBuild(page.buildId);
  return {
    name: page.name,
    address: distributionPath(page.accessKey),
    active: page.active,
    revision: build?.revision ?? 0,
    updatedAt: page.updatedAt,
  };
}
