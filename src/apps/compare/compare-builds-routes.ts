import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { App, Build } from '../app.ts';
import type { AppHeads } from '../app-heads.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { buildLine } from '../builds/build-rows.ts';
import { revisionText } from '../builds/build-selection.ts';
import { buildTexts } from '../builds/build-texts.ts';
import type { FileTokens } from '../files/file-token.ts';
import type { BuildInsight } from '../insight/build-insight.ts';
import { appAddresses, type VisibleAppAccess } from '../visible-app-access-http.ts';
import { compareBuilds } from './compare-builds.ts';
import { renderCompareBuilds } from './compare-builds-page.tsx';

export interface CompareRouteDeps {
  data: Data;
  fileTokens: FileTokens;
  visibleApps: VisibleAppAccess['visibleApps'];
  appHeads: AppHeads;
  insight: () => BuildInsight;
}

/** Serves the comparison of two builds to everyone who can see the app. */
export function compareBuildsRoutes(deps: CompareRouteDeps): Route[] {
  const { data, fileTokens, visibleApps, appHeads } = deps;
  return appAddresses.map((address) =>
    defineRoute({
      method: 'GET',
      path: `${address}/compare`,
      summary: 'Compare two builds of an app',
      access: visibleApps,
      keyScope: 'read',
      query: { from: lenient(revisionText()), to: lenient(revisionText()) },
      handle: async ({ subject, query: { from, to }, frame }) => {
        if (from === undefined || to === undefined) throw new NotFound();
        const { app, builds } = await findBoth(data, subject.apps, from, to);
        const head = await appHeads.of(app, subject);
        return html(
          renderCompareBuilds({
            frame,
            app,
            head,
            appKey: subject.secret,
            from: buildLine(fileTokens, app, builds.from),
            to: buildLine(fileTokens, app, builds.to),
            comparison: compareBuilds(builds.from, builds.to),
            contents: await deps.insight().renderComparison(builds),
          }),
        );
      },
    }),
  );
}

/** If the path contains no platform, finds the app that has both builds. */
async function findBoth(
  data: Data,
  apps: readonly App[],
  from: number,
  to: number,
): Promise<{ app: App; builds: { from: Build; to: Build } }> {
  for (const app of apps) {
    const first = await buildQueries(data).findBuildByRevision(app.id, from);
    const second = await buildQueries(data).findBuildByRevision(app.id, to);
    if (first && second) return { app, builds: { from: first, to: second } };
  }
  throw new NotFound(buildTexts.compare.missing({ from, to }));
}
