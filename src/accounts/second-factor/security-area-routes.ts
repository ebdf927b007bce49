/** All routes for second factors: the settings page, and the steps after the password at sign-in. */
import type { Route } from '../../http/routes/route.ts';
import type { LdapDirectory } from '../ldap/ldap-directory.ts';
import { createPasskeyCeremonies } from '../passkeys/passkey-ceremony.ts';
import { passkeyRoutes } from '../passkeys/passkey-routes.ts';
import { passkeySignInRoutes } from '../passkeys/passkey-sign-in-routes.ts';
import { confirmAccessRoutes } from '../reauthentication/confirm-access-routes.ts';
import { createReauthentication, type Reauthentication } from '../reauthentication/reauthentication.ts';
import { createSecondFactors } from './second-factor.ts';
import { createSecondFactorChanges } from './second-factor-changes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { type AfterPassword, createSecondStep } from './second-step-http.ts';
import { securityAppRoutes } from './security-app-routes.ts';
import type { AreaDeps, SecurityDeps } from './security-deps-http.ts';
import { securityRoutes } from './security-routes.ts';

/** `passwords`: whether people sign in with passwords. When they don't, second factors don't apply. */
export function createSecurityArea(deps: AreaDeps & { passwords: boolean; ldap: LdapDirectory | null }): {
  afterPassword: AfterPassword;
  reauthentication: Reauthentication;
  routes: Route[];
} {
  const secondFactors = createSecondFactors(deps);
  const routeDeps: SecurityDeps = {
    ...deps,
    secondFactors,
    changes: createSecondFactorChanges(deps),
    ceremonies: createPasskeyCeremonies(deps),
    secondStep: createSecondStep(deps),
  };
  return {
    afterPassword: routeDeps.secondStep.afterPassword,
    reauthentication: createReauthentication({ ...deps, secondFactors }),
    routes: deps.passwords
      ? [
          ...secondFactorRoutes(routeDeps),
          ...passkeySignInRoutes(routeDeps),
          ...securityRoutes(routeDeps),
          ...securityAppRoutes(routeDeps),
          ...passkeyRoutes(routeDeps),
          ...confirmAccessRoutes(routeDeps),
        ]
      : [],
  };
}
