import type { App } from '../apps/app.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { Connection } from '../db/data.ts';
import { groupQueries } from '../owners/group-queries.ts';
import type { DistributionPage } from './distribution-page.ts';
import { type PageJson, pageJson } from './page-json.ts';

/** Reads the revisions and groups of the pages, which belong to one app. */
export async function loadPagesJson(
  connection: Connection,
  app: App,
  pages: readonly DistributionPage[],
  origin: string,
): Promise<PageJson[]> {
  const revisions = await buildQueries(connection).revisionsOf(pages.map(({ buildId }) => buildId));
  const shown: PageJson[] = [];
  for (const page of pages) {
    const groups = page.access === 'groups' ? await groupQueries(connection).groupsOfPage(page.id) : [];
    const names = groups.map(({ name }) => name);
    shown.push(pageJson(app, page, { revision: revisions.get(page.buildId) ?? 0, groups: names, origin }));
  }
  return shown;
}
