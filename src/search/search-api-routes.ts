/** Search in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { appJson, appShape, buildJson, buildShape } from '../apps/app-json.ts';
import { distributionPath } from '../apps/app-paths.ts';
import { pageStateOf } from '../apps/distributions/page-state.ts';
import { integerShape, textShape } from '../core/json-shapes.ts';
import type { Data } from '../db/data.ts';
import { pageStateShape } from '../distributions/page-json.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { absolute } from '../owners/owner-paths.ts';
import {
  projectResource,
  projectShape,
  workspaceResource,
  workspaceShape,
} from '../projects/lists/owner-json.ts';
import { search } from './search.ts';
import { maxQueryLength, maxResults, readQuery, searchLimit } from './search-query.ts';

export interface SearchApiDeps {
  data: Data;
  access: RouteAccess;
  now: () => number;
}

const resultsShape = v.pipe(
  v.object({
    apps: v.array(appShape),
    builds: v.array(v.object({ app: appShape, build: buildShape })),
    pages: v.array(
      v.object({
        app: appShape,
        key: v.string(),
        name: v.string(),
        url: v.string(),
        state: pageStateShape,
        active: v.boolean(),
        revision: integerShape('The build that the page serves.'),
      }),
    ),
    projects: v.array(projectShape),
    workspaces: v.array(workspaceShape),
    people: v.array(
      v.object({
        name: v.string(),
        project: v.nullable(textShape('A Project that you share with the person.')),
      }),
    ),
  }),
  v.title('SearchResults'),
);

export function searchApiRoutes({ data, access, now }: SearchApiDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/search',
      operationId: 'search',
      summary: 'Search what the user of the key may see',
      description: `The first ${maxResults} results of each kind. Every word must occur.`,
      tag: 'Search',
      access: access.byUserKey(access.unrestricted),
      keyScope: 'read',
      rateLimit: searchLimit,
      query: { q: v.pipe(v.string(), v.minLength(1), v.maxLength(maxQueryLength)) },
      answer: resultsShape,
      handle: async ({ caller, query: { q }, client: { origin } }) => {
        const time = now();
        const found = await search(data, caller.actor, readQuery(q), time);
        return json({
          apps: found.apps.map(({ app }) => appJson(app, origin)),
          builds: found.builds.map(({ app, build }) => ({
            app: appJson(app, origin),
            build: buildJson(app, build, origin),
          })),
          pages: found.pages.map(({ app, page }) => ({
            app: appJson(app, origin),
            key: page.accessKey,
            name: page.name,
            url: absolute(origin, distributionPath(page.accessKey)),
            state: pageStateOf(page, time),
            active: page.active,
            revision: page.revision,
          })),
          projects: found.projects.map((project) => projectResource(project, origin)),
          workspaces: found.workspaces.map((workspace) => workspaceResource(workspace, origin)),
          people: found.people.map(({ name, projectName }) => ({ name, project: projectName })),
        });
      },
    }),
  ];
}
