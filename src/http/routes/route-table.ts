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
  const router = createRouter();
  const methods = new Map<string, string[]>();
  for (const route of routes) {
    router.on(route.method, route.path, unused, route);
    const known = methods.get(route.path) ?? [];
    methods.set(route.path, [...known, ...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])]);
  }
  // Few requests need the methods of a path.
  let paths: Router | null = null;
  return {
    all: () => [...methods].flatMap(([address, known]) => known.map((method) => ({ method, address }))),
    find: (method, target) => {
      const found = router.find(toMethod(method === 'HEAD' ? 'GET' : method), target);
      return found && { route: found.store, params: found.params };
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

const createRouter = () => FindMyWay({ maxParamLength: maxAddressSegmentLength, querystringParser });

function createPathRouter(addresses: Iterable<string>): Router {
  const router = createRouter();
  for (const address of addresses) router.on('GET', address, unused, address);
  return router;
}
