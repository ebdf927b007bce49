/** Everything about second factors: the page of settings, and what signing in asks for besides the password. */
import type { Route } from '../../http/routes/route.ts';
import { createPasskeyCeremonies } from '../passkeys/passkey-ceremony.ts';
import { passkeyRoutes } from '../passkeys/passkey-routes.ts';
import { passkeySignInRoutes } from '../passkeys/passkey-sign-in-routes.ts';
import { confirmAccessRoutes } from '../reauthentication/confirm-access-routes.ts';
import { createReauthentication, type Reauthentication } from '../reauthentication/reauthentication.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import { createSecondFactors } from './second-factor.ts';
import { createSecondFactorChanges } from './second-factor-changes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { createSecondStep } from './second-step-http.ts';
import { securityAppRoutes } from './security-app-routes.ts';
import type { AreaParts, SecurityParts } from './security-parts-http.ts';
import { securityRoutes } from './security-routes.ts';

/** `passwords`: whether people sign in with passwords. When they don't, second factors don't apply. */
export function createSecurityArea(given: AreaParts & { passwords: boolean }): {
  /** Replaces `startSession` after a password. */
  afterPassword: StartSession;
  reauthentication: Reauthentication;
  routes: Route[];
} {
  const secondFactors = createSecondFactors(given);
  const parts: SecurityParts = {
    ...given,
    secondFactors,
    changes: createSecondFactorChanges(given),
    ceremonies: createPasskeyCeremonies(given),
    secondStep: createSecondStep({ ...given, secondFactors }),
  };
  return {
    afterPassword: parts.secondStep.afterPassword,
    reauthentication: createReauthentication({ ...given, secondFactors }),
    routes: given.passwords
      ? [
          ...secondFactorRoutes(parts),
          ...passkeySignInRoutes(parts),
          ...securityRoutes(parts),
          ...securityAppRoutes(parts),
          ...passkeyRoutes(parts),
          ...confirmAccessRoutes(parts),
        ]
      : [],
  };
}
