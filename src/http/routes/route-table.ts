/** Finds the declared route of a request. Registering every route with Fastify would take a fifth of a start. */
import FindMyWay from 'find-my-way';
import type { Route } from './route.ts';

/** One method at one path. */
export interface MethodAndPath {
  method: string;
  address: string;
}

export interface RouteTable {
  all(): MethodAndPath[];
  /** Null if no route has this method and path. A route for GET also answers HEAD. */
  find(method: string, target: string): { route: Route; params: unknown } | null;
  /** The methods at a path, for the answer to another method; null if no route has the path. */
  methodsAt(target: string): { address: string; methods: string[] } | null;
}

const maxAddressSegmentLength = 1024;
/** Fastify parses the query. */
const querystringParser = () => ({});

export function createRouteTable(routes: readonly Route[]): RouteTable {
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    const known = methods.get(route.path) ?? [];
    if (known.includes(route.method)) throw new Error(`two routes for ${route.method} ${route.path}`);
    methods.set(route.path, [...known, ...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])]);
  }
  const routerOf = createRouters(routes);
  // Few requests need the methods of a path.
  let paths: Router | null = null;
  return {
    all: () => [...methods].flatMap(([address, known]) => known.map((method) => ({ method, address }))),
    find: (method, target) => {
      const found = routerOf(target)?.find(toMethod(method === 'HEAD' ? 'GET' : method), target);
      return found ? { route: found.store, params: found.params } : null;
    },
    methodsAt: (target) => {
      paths ??= createPathRouter(methods.keys());
      const address: string | undefined = paths.find('GET', target)?.store;
      return address === undefined ? null : { address, methods: [...(methods.get(address) ?? [])].sort() };
    },
  };
}

type Router = ReturnType<typeof createRouter>;
const unused = () => undefined;
/** A method without routes finds nothing, whatever its name. */
const toMethod = (method: string) => method as FindMyWay.HTTPMethod;

/**
 * Returns the router for a target. Routes with the same first segment, which is never a parameter, are registered for the first
 * request with it: registering all of them takes a tenth of a start.
 */
function createRouters(routes: readonly Route[]): (target: string) => Router | null {
  const bySegment = Map.groupBy(routes, ({ path }) => firstSegment(path));
  const routers = new Map<string | null, Router>();
  return (target) => {
    const segment = firstSegment(target);
    // The router decodes percent signs and understands absolute addresses, which few requests have.
    const owned = segment === null ? routes : bySegment.get(segment);
    if (!owned) return null;
    const known = routers.get(segment);
    if (known) return known;
    const router = createRouter();
    for (const route of owned) router.on(route.method, route.path, unused, route);
    routers.set(segment, router);
    return router;
  };
}

/** Null if it is not written literally. */
const firstSegment = (target: string) => /^\/([^/?#%]*)(?![^/?#])/.exec(target)?.[1] ?? null;

const createRouter = () => FindMyWay({ maxParamLength: maxAddressSegmentLength, querystringParser });

function createPathRouter(addresses: Iterable<string>): Router {
  const router = createRouter();
  for (const address of addresses) router.on('GET', address, unused, address);
  return router;
}
