import type { Data } from '../../db/data.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { VisibleAppAccess } from '../visible-app-access-http.ts';

interface LatestBuildDeps {
  data: Data;
  visibleApps: VisibleAppAccess['visibleApps'];
}

/** Notifies open app pages of new builds. Access is that of the page, checked at each request. */
export function latestBuildRoutes({ data, visibleApps }: LatestBuildDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/users/:owner/platforms/:platform/apps/:package/latest',
      summary: 'Return the revision of the latest build of an app',
      access: visibleApps,
      keyScope: 'read',
      handle: async ({ subject }) => {
        const [latest] = await buildQueries(data).listBuilds(subject.apps[0].id, { limit: 1 });
        return json(
          { error: false, results: { revision: latest?.revision ?? null } },
          { headers: { 'Cache-Control': 'private, no-store' } },
        );
      },
    }),
  ];
}
