/** Composes identification, sessions, accounts and keys for `service.ts`. */

import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { ErrorAnswerParts } from '../http/error-answers.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Guards, Route } from '../http/routes/route.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import type { Quota } from '../owners/quota.ts';
import type { StaticAddresses } from '../web/shell/static-files.ts';
import type { IssueKey } from './keys/issue-key.ts';
import { keyRoutes } from './keys/key-routes.ts';
import type { RefuseBreached } from './passwords/breached-passwords.ts';
import { accountRoutes } from './profile/account-routes.ts';
import type { EmailChangeTokens } from './profile/email-change-token.ts';
import type { RequiredFactor } from './second-factor/required-factor.ts';
import { createSecurityArea } from './second-factor/security-area-routes.ts';
import { createStartSession } from './sessions/start-session-http.ts';
import { createAccountAccess } from './sign-in/account-access-http.ts';
import { createAuthenticate } from './sign-in/authenticate.ts';
import { createRenderErrorPage } from './sign-in/error-page-http.ts';
import { createFormTokens } from './sign-in/form-token-http.ts';
import { createCountGuess } from './sign-in/guess-limits.ts';
import { createIdentify, type Identify } from './sign-in/identify-http.ts';
import { createKnownBrowsers } from './sign-in/known-browser-http.ts';
import { createPageFrames, type PageFrames } from './sign-in/page-frames-http.ts';
import { createRouteAccess, type RouteAccess } from './sign-in/route-access-http.ts';
import { createRouteGuards } from './sign-in/route-guards-http.ts';
import { createSignInAccess } from './sign-in/sign-in-access-http.ts';
import { createSignInLog } from './sign-in/sign-in-log-http.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import type { SingleSignOnConfig } from './single-sign-on/single-sign-on-config.ts';
import { createSingleSignOnParts } from './single-sign-on/single-sign-on-parts-http.ts';
import { singleSignOnRoutes } from './single-sign-on/single-sign-on-routes.ts';

export interface AccessAreaParts {
  data: Data;
  secret: ServerSecret;
  settings: {
    legacyKeys: boolean;
    /** Whether people sign in with a password of this server. */
    passwords: boolean;
    requiredFactor: RequiredFactor;
    sessionIdleMs: number;
    signUpOpen: boolean;
    signUpQuota: Quota | null;
    singleSignOn: SingleSignOnConfig | null;
    publicUrl: string | null;
  };
  limiting: RateLimiting;
  originOf: OriginOf;
  assets: StaticAddresses;
  /** Adds the caller to the request log. */
  noteCallers(identify: Identify): Identify;
  issueKey: IssueKey;
  emailChanges: EmailChangeTokens;
  refuseBreached: RefuseBreached;
  /** Whether email leaves this server. */
  canSendMail: boolean;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
  now: () => number;
  wakeOutbox: () => void;
}

export interface AccessArea {
  identify: Identify;
  access: RouteAccess;
  frames: PageFrames;
  guards: Guards;
  routes: Route[];
  /** Renders an error page, or, for `ReauthenticationRequired`, the page that asks for a proof. */
  renderErrorPage: ErrorAnswerParts['renderErrorPage'];
  /** Resolves when the sign-ins so far are in the audit log. */
  settled(): Promise<void>;
}

export function createAccessArea(given: AccessAreaParts): AccessArea {
  const { data, secret, limiting, originOf, now, wakeOutbox } = given;
  const { attempts } = limiting;
  const { passwords, signUpOpen } = given.settings;
  const requiredFactor = passwords ? given.settings.requiredFactor : 'off';
  const settings = { ...given.settings, requiredFactor };
  const authenticate = createAuthenticate({
    ...{ ...settings, data, countWrongKey: limiting.countWrongKey, now },
  });
  const identify = given.noteCallers(
    createIdentify({ ...settings, authenticate, originOf, proven: limiting.proven }),
  );
  const formTokens = createFormTokens({ secret, originOf });
  const { assets } = given;
  const frames = createPageFrames({ assets, originOf, identify, formTokens, hasPasswords: passwords, now });
  const access = createRouteAccess({ data, identify });
  const signIns = createSignInLog({ data, secret, now });
  const guessing = {
    knownBrowsers: createKnownBrowsers({ secret, now }),
    countGuess: createCountGuess({ data, attempts, now }),
  };
  const startSession = createStartSession({ ...given, ...settings, ...guessing, signIns });
  const signInAccess = createSignInAccess({ access, identify, originOf });
  const accountAccess = createAccountAccess({ access, identify });
  const singleSignOn =
    settings.singleSignOn &&
    createSingleSignOnParts(settings.singleSignOn, {
      ...{ data, secret, now, wakeOutbox, signUpQuota: settings.signUpQuota },
    });
  const security = createSecurityArea({
    ...{ data, frames, identify, attempts, originOf, startSession, signIns, secret, passwords, now },
    ...{ access, accountAccess, signInAccess, wakeOutbox, ...guessing },
  });
  const { afterPassword, reauthentication } = security;
  return {
    identify,
    access,
    frames,
    guards: createRouteGuards({ data, attempts, reauthentication, frames, formTokens, originOf, now }),
    routes: [
      ...signInRoutes({
        ...{ data, attempts, signIns, afterPassword, signUpOpen, passwords, ...guessing },
        access: signInAccess,
        provider: singleSignOn?.name ?? null,
      }),
      ...accountRoutes({
        ...{ ...given, ...settings, access, accountAccess, attempts, startSession, singleSignOn },
      }),
      ...singleSignOnRoutes({ data, access, attempts, signIns, startSession, passwords, singleSignOn, now }),
      ...security.routes,
      ...keyRoutes({ data, access, issueKey: given.issueKey, now, wakeOutbox }),
    ],
    renderErrorPage: createRenderErrorPage({ data, frames, reauthentication, singleSignOn }),
    settled: signIns.settled,
  };
}
