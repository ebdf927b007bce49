/** Everything about second factors: the page of settings, and what signing in asks for besides the password. */
import type { FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { ReauthenticationRequired } from '../http/routes/guard-errors.ts';
import type { Route } from '../http/routes/route.ts';
import type { PageFrame } from '../web/page-frame.ts';
import type { AccountAccess } from './account-access-http.ts';
import type { Attempts } from './attempts.ts';
import { renderConfirmIdentity } from './confirm-identity-page.tsx';
import type { CountGuess } from './guess-limits.ts';
import type { Identify, Person } from './identify-http.ts';
import type { KnownBrowsers } from './known-browser-http.ts';
import { createOwnProof, type OwnProof } from './own-proof.ts';
import type { PageFrames } from './page-frames-http.ts';
import { createPasskeyCeremonies, type PasskeyCeremonies } from './passkey-ceremony.ts';
import { passkeySignInRoutes } from './passkey-sign-in-routes.ts';
import type { RouteAccess } from './route-access-http.ts';
import { createSecondFactors, type SecondFactors } from './second-factor.ts';
import { createSecondFactorChanges, type SecondFactorChanges } from './second-factor-changes.ts';
import { secondFactorRoutes } from './second-factor-routes.ts';
import { createSecondStep, type SecondStep } from './second-step-http.ts';
import { securityAppRoutes } from './security-app-routes.ts';
import { securityRoutes } from './security-routes.ts';
import type { SignInAccess } from './sign-in-access-http.ts';
import type { SignInLog } from './sign-in-log-http.ts';
import type { SingleSignOnParts } from './single-sign-on-parts-http.ts';
import type { AnswerWithSession, StartSession } from './start-session-http.ts';

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
  /** Null when no provider is set. */
  singleSignOn: SingleSignOnParts | null;
  startSession: StartSession;
  signIns: SignInLog;
  secret: string;
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

/** `passwords`: whether people sign in with one here. Where they do not, there is nothing that a second factor could stand beside. */
export function createSecurityArea(given: AreaParts & { passwords: boolean }): {
  /** Takes the place of `startSession` after a password. */
  afterPassword: AnswerWithSession;
  proof: OwnProof;
  /** The page that asks for a proof of identity before an action. */
  confirmIdentity(
    request: FastifyRequest,
    frame: PageFrame,
    required: ReauthenticationRequired,
  ): Promise<string>;
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
  const proof = createOwnProof(parts);
  return {
    afterPassword: parts.secondStep.afterPassword,
    proof,
    confirmIdentity: async (request, frame, { caller, fields, wrong }) => {
      const { actor } = caller as Person;
      return renderConfirmIdentity({
        ...{ frame, action: request.url, fields, wrong },
        proof: await proof.kindOf(actor.user.id),
      });
    },
    routes: given.passwords
      ? [
          ...secondFactorRoutes(parts),
          ...passkeySignInRoutes(parts),
          ...securityRoutes(parts),
          ...securityAppRoutes(parts),
        ]
      : [],
  };
}
