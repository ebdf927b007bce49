/** On a server without passwords of its own, everything that would need or set one is refused before anything is read. */
import { Forbidden } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { RouteCaller } from '../http/routes/client.ts';
import type { Access, Route } from '../http/routes/route.ts';
import { singleSignOnTexts } from '../web/single-sign-on-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { passwordPath, profilePath } from './account-addresses.ts';

/** The same rule where people sign in with passwords; elsewhere the refusal is the same for every caller. */
export function wherePasswordsAre<Params, Caller extends RouteCaller, Subject>(
  passwords: boolean,
  access: Access<Params, Caller, Subject>,
): Access<Params, Caller, Subject> {
  if (passwords) return access;
  return {
    ...access,
    identify: async () => {
      throw new Forbidden(singleSignOnTexts.passwordsOff);
    },
  };
}

/** Transitional: of routes that are not declared yet, those of their methods that are open all the same. */
const closed: ReadonlyMap<string, readonly string[]> = new Map([
  // Changing the address asks for the password.
  [profilePath, ['GET', 'HEAD']],
  [passwordPath, []],
  [siteAddresses.signUp, []],
  [siteAddresses.forgotPassword, []],
  ['/reset-password/:token', []],
]);

/** Transitional: for routes that are not declared yet. */
export function closePasswords(areas: readonly (RouteModule | readonly Route[])[]) {
  return areas.map((routes) =>
    typeof routes !== 'function'
      ? routes
      : (((server) => {
          server.addHook('onRequest', async (request) => {
            const open = closed.get(request.routeOptions.url ?? '');
            if (open && !open.includes(request.method)) throw new Forbidden(singleSignOnTexts.passwordsOff);
          });
          return routes(server);
        }) satisfies RouteModule),
  );
}
