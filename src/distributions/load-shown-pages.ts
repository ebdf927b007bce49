import type { App } from '../apps/app.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { pageStateOf } from '../apps/distributions/page-state.ts';
import type { Connection } from '../db/data.ts';
import { groupQueries } from '../owners/group-queries.ts';
import type { DistributionPage } from './distribution-page.ts';
import { type PageJson, pageJson } from './page-json.ts';

/** Loads the builds and groups of the pages, which must belong to one app. */
export async function loadPagesJson(
  connection: Connection,
  app: App,
  pages: readonly DistributionPage[],
  { origin, now }: { origin: string; now: number },
): Promise<PageJson[]> {
  const served = await buildQueries(connection).servedBuilds(pages.map(({ buildId }) => buildId));
  const shown: PageJson[] = [];
  for (const page of pages) {
    const groups = page.access === 'groups' ? await groupQueries(connection).groupsOfPage(page.id) : [];
    const names = groups.map(({ name }) => name);
    const { revision, isServable } = served.get(page.buildId) ?? { revision: 0, isServable: false };
    const state = pageStateOf({ ...page, isServable }, now);
    shown.push(pageJson(app, page, { state, revision, groups: names, origin }));
  }
  return shown;
}
