/** Composes identification, sessions, accounts and keys for `service.ts`. */
import type { Data } from '../db/data.ts';
import type { ErrorAnswerParts } from '../http/error-answers.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Guards, Route } from '../http/routes/route.ts';
import type { Quota } from '../owners/quota.ts';
import type { ServerSecret } from '../signature.ts';
import type { StaticAddresses } from '../web/static-files.ts';
import { createAccountAccess } from './account-access-http.ts';
import { accountRoutes } from './account-routes.ts';
import { createAuthenticate } from './authenticate.ts';
import type { RefuseBreached } from './breached-passwords.ts';
import type { EmailChangeTokens } from './email-change-token.ts';
import { createRenderErrorPage } from './error-page-http.ts';
import { createFormTokens } from './form-token-http.ts';
import { createCountGuess } from './guess-limits.ts';
import { createIdentify, type Identify } from './identify-http.ts';
import type { IssueKey } from './issue-key.ts';
import { keyRoutes } from './key-routes.ts';
import { createKnownBrowsers } from './known-browser-http.ts';
import { createPageFrames, type PageFrames } from './page-frames-http.ts';
import type { RateLimiting } from './rate-limiting-http.ts';
import type { RequiredFactor } from './required-factor.ts';
import { createRouteAccess, type RouteAccess } from './route-access-http.ts';
import { createRouteGuards } from './route-guards-http.ts';
import { createSecurityArea } from './security-area-routes.ts';
import { createSignInAccess } from './sign-in-access-http.ts';
import { createSignInLog } from './sign-in-log-http.ts';
import { signInRoutes } from './sign-in-routes.ts';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';
import { createSingleSignOnParts } from './single-sign-on-parts-http.ts';
import { singleSignOnRoutes } from './single-sign-on-routes.ts';
import { createStartSession } from './start-session-http.ts';

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
  const identify = limiting.skipWhenRateLimited(
    given.noteCallers(createIdentify({ ...settings, authenticate, originOf, proven: limiting.proven })),
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
