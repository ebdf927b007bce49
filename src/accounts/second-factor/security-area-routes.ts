/** Everything about second factors: the page of settings, and what signing in asks for besides the password. */

import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { Route } from '../../http/routes/route.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { CountGuess } from '../../limits/guess-limits.ts';
import { createPasskeyCeremonies, type PasskeyCeremonies } from '../passkeys/passkey-ceremony.ts';
import { passkeyRoutes } from '../passkeys/passkey-routes.ts';
import { passkeySignInRoutes } from '../passkeys/passkey-sign-in-routes.ts';
import { confirmAccessRoutes } from '../reauthentication/confirm-access-routes.ts';
import { createReauthentication, type Reauthentication } from '../reauthentication/reauthentication.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import type { AccountAccess } from '../sign-in/account-access-http.ts';
import type { Identify } from '../sign-in/identify-http.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';
import type { PageFrames } from '../sign-in/page-frames-http.ts';
import type { RouteAccess } from '../sign-in/route-access-http.ts';
import type { SignInAccess } from '../sign-in/sign-in-access-http.ts';
import type { SignInLog } from '../sign-in/sign-in-log-http.ts';
import { createSecondFactors, type SecondFactors } from './second-factor.ts';
import { createSecondFactorChanges, type SecondFactorChanges } from './second-factor-changes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { createSecondStep, type SecondStep } from './second-step-http.ts';
import { securityAppRoutes } from './security-app-routes.ts';
import { securityRoutes } from './security-routes.ts';

interface AreaParts {
  data: Data;
  frames: PageFrames;
  identify: Identify;
  attempts: Attempts;
  originOf: OriginOf;
  access: RouteAccess;
  accountAccess: AccountAccess;
  signInAccess: SignInAccess;
  countGuess: CountGuess;
  knownBrowsers: KnownBrowsers;
  startSession: StartSession;
  signIns: SignInLog;
  secret: ServerSecret;
  now: () => number;
  wakeOutbox: () => void;
}

/** What each route about second factors is given. */
export interface SecurityParts extends AreaParts {
  secondFactors: SecondFactors;
  changes: SecondFactorChanges;
  ceremonies: PasskeyCeremonies;
  secondStep: SecondStep;
}

/** `passwords`: whether people sign in with passwords. When they don't, second factors don't apply. */
export function createSecurityArea(given: AreaParts & { passwords: boolean }): {
  /** Takes the place of `startSession` after a password. */
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
