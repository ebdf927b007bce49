/** On a server without passwords of its own, what would need or make one is refused before it is read. */
import { Forbidden } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { singleSignOnTexts } from '../web/single-sign-on-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { passwordPath, profilePath } from './account-addresses.ts';

/** The routes, with those of their methods that are open all the same. */
const closed: ReadonlyMap<string, readonly string[]> = new Map([
  // The page leads to the provider.
  [siteAddresses.signIn, ['GET', 'HEAD']],
  // Changing the address asks for the password.
  [profilePath, ['GET', 'HEAD']],
  [passwordPath, []],
  [siteAddresses.signUp, []],
  [siteAddresses.forgotPassword, []],
  ['/reset-password/:token', []],
]);

/** The answer is the same for everybody, whoever is or is not known here. */
export function closePasswords(modules: readonly RouteModule[]): RouteModule[] {
  return modules.map((routes) => (server) => {
    server.addHook('onRequest', async (request) => {
      const open = closed.get(request.routeOptions.url ?? '');
      if (open && !open.includes(request.method)) throw new Forbidden(singleSignOnTexts.passwordsOff);
    });
    return routes(server);
  });
}
