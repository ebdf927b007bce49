/** What the analyzer found, in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../apps/app-api-routes.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { revisionText } from '../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { loadAnalysis } from './analyses.ts';
import { sizeJson, sizeShape } from './analysis-json.ts';

export interface AnalysisApiRouteDeps {
  data: Data;
  access: RouteAccess;
  readableBuild: ManagedAppAccess['readableBuild'];
}

export function analysisApiRoutes({ data, access, readableBuild }: AnalysisApiRouteDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${appApiPath}/builds/:revision/size`,
      operationId: 'getBuildSize',
      summary: 'Show the size of a build by part',
      description:
        'Estimates have `exact: false`. The package is analyzed after the upload. `compare`: the revision of an earlier build.',
      tag: 'Builds',
      access: access.byKey(readableBuild),
      keyScope: 'read',
      params: { revision: revisionText() },
      query: { compare: v.optional(revisionText()) },
      answer: sizeShape,
      handle: async ({ subject: { build }, query: { compare } }) => {
        const found = await loadAnalysis(data, build.id);
        if (compare === undefined) return json(sizeJson(found));
        const earlier = await buildQueries(data).findBuildByRevision(build.appId, compare);
        if (!earlier) throw new NotFound();
        return json(sizeJson(found, { revision: compare, found: await loadAnalysis(data, earlier.id) }));
      },
    }),
  ];
}
