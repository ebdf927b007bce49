import type { Route } from '../http/routes/route.ts';
import { searchApiRoutes } from './search-api-routes.ts';
import { type SearchRouteDeps, searchRoutes } from './search-routes.ts';

/** Search across everything that the signed-in person may see. */
export function createSearchArea(deps: SearchRouteDeps): { routes: Route[] } {
  return { routes: [...searchRoutes(deps), ...searchApiRoutes(deps)] };
}
