import * as v from 'valibot';
import type { App, Build } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { buildFilterQueries } from '../../apps/builds/build-filter-queries.ts';
import type { BuildFilters } from '../../apps/builds/build-filters.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import { type PageViewer, pageViewer } from '../../apps/listed-page.ts';
import type { VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadAnalysis } from '../analyses.ts';
import { renderSizePage, type SizePageProps } from './size-page.tsx';
import { sizeQueries } from './size-queries.ts';
import { sizeTexts } from './size-texts.ts';
import { maxTrendBuilds, renderTrendPage, type TrendPageProps } from './trend-page.tsx';

export interface SizeRouteDeps {
  data: Data;
  visibleApps: VisibleAppAccess['visibleApps'];
  visibleBuild: VisibleAppAccess['visibleBuild'];
  appHeads: AppHeads;
}

/** Longer than any path that an analysis lists. */
const maxFolderLength = 4096;

export function sizeRoutes({ data, visibleApps, visibleBuild, appHeads }: SizeRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/size',
      summary: 'Show the size of the builds of an app over time',
      access: visibleApps,
      keyScope: 'read',
      query: { of: lenient(v.pipe(v.string(), v.maxLength(maxFilterLength))) },
      handle: async ({ caller, subject, frame, query }) => {
        const [app] = subject.apps;
        const viewer = pageViewer(subject.secret === null ? caller : null, frame.now);
        const options = await trendOptions(data, app, viewer);
        const shown = options.find(({ value }) => value === query.of);
        return html(
          renderTrendPage({
            frame,
            head: await appHeads.of(app, subject),
            points: await sizeQueries(data).trend(app.id, shown?.filters ?? {}, maxTrendBuilds),
            options,
            shown: shown?.value ?? '',
          }),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/size',
      summary: 'Show the size of a build',
      access: visibleBuild,
      keyScope: 'read',
      params: { revision: revisionText() },
      query: {
        by: lenient(v.literal('code')),
        in: lenient(v.pipe(v.string(), v.maxLength(maxFolderLength))),
      },
      handle: async ({ subject, frame, query }) => {
        const { app, build } = subject;
        return html(
          renderSizePage({
            frame,
            head: await appHeads.of(app, subject),
            build,
            found: await loadAnalysis(data, build.id),
            previous: await loadPrevious(data, app, build),
            view: { shown: query.by ?? 'files', folder: query.in ?? '' },
          }),
        );
      },
    }),
  ];
}

/** Longer than any branch. */
const maxFilterLength = 1_100;
const maxPagesOffered = 50;

/** The branches and the pages by which the viewer can choose builds. */
async function trendOptions(
  data: Data,
  app: App,
  viewer: PageViewer,
): Promise<(TrendPageProps['options'][number] & { filters: BuildFilters })[]> {
  const { branch } = await buildFilterQueries(data).filterValues(app.id);
  const pages = await appPageQueries(data).listPages(viewer, app.id, maxPagesOffered);
  return [
    ...branch.map((name) => ({
      value: `branch:${name}`,
      label: sizeTexts.trend.branch({ branch: name }),
      filters: { branch: name },
    })),
    ...pages.map(({ id, name }) => ({
      value: `page:${id}`,
      label: sizeTexts.trend.page({ page: name }),
      filters: { page: id },
    })),
  ];
}

async function loadPrevious(data: Data, app: App, build: Build): Promise<SizePageProps['previous']> {
  const revision = await sizeQueries(data).previousRevision(build.id);
  const previous = revision === null ? null : await buildQueries(data).findBuildByRevision(app.id, revision);
  if (!previous) return null;
  const found = await loadAnalysis(data, previous.id);
  return { build: previous, analysis: found.state === 'analyzed' ? found.analysis : null };
}
