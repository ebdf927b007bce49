import type { Identify } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { createVisibleAppAccess } from '../apps/visible-app-access-http.ts';
import type { Config } from '../config.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { checkApiRoutes } from './checks/check-api-routes.ts';
import { createCheckChanges } from './checks/check-changes.ts';
import { checkRoutes } from './checks/check-routes.ts';

interface InsightAreaDeps {
  config: Pick<Config, 'appSecrets'>;
  data: Data;
  access: RouteAccess;
  identify: Identify;
  appHeads: AppHeads;
  viewAccess: ViewAccess;
  now: () => number;
}

/** What is inside builds, and what their checks say. */
export function createInsightArea(deps: InsightAreaDeps): { routes: Route[] } {
  const routeDeps = {
    ...deps,
    ...createVisibleAppAccess({ ...deps, appSecrets: deps.config.appSecrets }),
    ...createManagedAppAccess(deps),
    checkChanges: createCheckChanges(deps),
  };
  return { routes: [checkRoutes, checkApiRoutes].flatMap((routes) => routes(routeDeps)) };
}
