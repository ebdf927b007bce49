import * as v from 'valibot';
import type { App, Build } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadAnalysis } from '../analyses.ts';
import { renderSizePage, type SizePageProps } from './size-page.tsx';
import { sizeQueries } from './size-queries.ts';

export interface SizeRouteDeps {
  data: Data;
  visibleBuild: VisibleAppAccess['visibleBuild'];
  appHeads: AppHeads;
}

/** Longer than any path that an analysis lists. */
const maxFolderLength = 4096;

export function sizeRoutes({ data, visibleBuild, appHeads }: SizeRouteDeps): Route[] {
  return [
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

async function loadPrevious(data: Data, app: App, build: Build): Promise<SizePageProps['previous']> {
  const revision = await sizeQueries(data).previousRevision(build.id);
  const previous = revision === null ? null : await buildQueries(data).findBuildByRevision(app.id, revision);
  if (!previous) return null;
  const found = await loadAnalysis(data, previous.id);
  return { build: previous, analysis: found.state === 'analyzed' ? found.analysis : null };
}
