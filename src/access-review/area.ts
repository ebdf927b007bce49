/** Access reviews: who can see and install what, why, and since when; and the report for someone who leaves. */
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { accessApiRoutes } from './access-api-routes.ts';
import { createAccessReviews } from './access-review-service.ts';
import { accessRoutes } from './access-routes.ts';

interface AccessReviewAreaDeps {
  data: Data;
  access: RouteAccess;
  now: () => number;
  wakeOutbox: () => void;
}

export function createAccessReviewArea(deps: AccessReviewAreaDeps): { routes: Route[] } {
  const routeDeps = { ...deps, ownerAccess: createOwnerAccess(deps), reviews: createAccessReviews(deps) };
  return { routes: [...accessRoutes(routeDeps), ...accessApiRoutes(routeDeps)] };
}
