import type { Route } from '../http/routes/route.ts';
import { librarySearchApiRoutes } from './library-search-api-routes.ts';
import { librarySearchRoutes } from './library-search-routes.ts';
import { type SearchApiDeps, searchApiRoutes } from './search-api-routes.ts';
import { type SearchRouteDeps, searchRoutes } from './search-routes.ts';

/** Search across everything that the signed-in person has access to. */
export function createSearchArea(deps: SearchRouteDeps & SearchApiDeps): { routes: Route[] } {
  return {
    routes: [
      ...searchRoutes(deps),
      ...searchApiRoutes(deps),
      ...librarySearchRoutes(deps),
      ...librarySearchApiRoutes(deps),
    ],
  };
}
