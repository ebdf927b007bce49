import type { Identify } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import type { LoadCheckBadges } from '../apps/check-badges.ts';
import type { WithLocalPackage } from '../apps/files/local-package.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { createVisibleAppAccess } from '../apps/visible-app-access-http.ts';
import type { Config } from '../config.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { analysisApiRoutes } from './analysis-api-routes.ts';
import { createAnalyzeBuild } from './analyze-build.ts';
import { storeChecks } from './checks/build-checks.ts';
import { checkApiRoutes } from './checks/check-api-routes.ts';
import { createCheckBadges } from './checks/check-badge.tsx';
import { createCheckChanges } from './checks/check-changes.ts';
import { checkRoutes } from './checks/check-routes.ts';

interface InsightAreaDeps {
  config: Pick<Config, 'appSecrets'>;
  data: Data;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
  access: RouteAccess;
  identify: Identify;
  appHeads: AppHeads;
  viewAccess: ViewAccess;
  now: () => number;
}

export interface InsightArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'analyze-build'>;
  /** For the pages of apps. */
  checkBadges: LoadCheckBadges;
}

/** What is inside builds, and what their checks say. */
export function createInsightArea(deps: InsightAreaDeps): InsightArea {
  const analyzeBuild = createAnalyzeBuild({ ...deps, onAnalyzed: storeChecks });
  const routeDeps = {
    ...deps,
    ...createVisibleAppAccess({ ...deps, appSecrets: deps.config.appSecrets }),
    ...createManagedAppAccess(deps),
    checkChanges: createCheckChanges(deps),
  };
  return {
    routes: [analysisApiRoutes, checkRoutes, checkApiRoutes].flatMap((routes) => routes(routeDeps)),
    jobs: { 'analyze-build': ({ buildId }, ownerId) => analyzeBuild(buildId, ownerId) },
    checkBadges: createCheckBadges(deps),
  };
}
