/**
 * The state between password and session: for ten minutes, a signed cookie records who entered the correct password. It
 * only permits the second step, and becomes invalid when the password changes.
 */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../core/signed-token.ts';
import type { Data } from '../../db/data.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import { redirect } from '../../http/routes/answer.ts';
import { type Client, clientOf } from '../../http/routes/client.ts';
import { SignInRequired } from '../../http/routes/guard-errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { clearPathCookie, pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { secondStepPath, signInPath } from '../profile/account-paths.ts';
import { accountQueries } from '../profile/account-queries.ts';
import type { StartSession } from '../sessions/start-session-http.ts';
import { targetOf } from '../sign-in/account-access-http.ts';
import type { GuessOrigin } from '../sign-in/attempt-limits.ts';
import type { Caller } from '../sign-in/identify-http.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';
import type { RouteAccess } from '../sign-in/route-access-http.ts';
import type { SecondFactors } from './second-factor.ts';

export interface SecondStep {
  /** Replaces `startSession` after a password: redirects people who have a second factor to the second step. */
  afterPassword: StartSession;
  /** Returns the user who entered the correct password in this browser. */
  pendingUser(client: Client): Promise<User | null>;
  /** Returns the origin of a guess at one of the person's codes. */
  placeOf(client: Client, user: User): Promise<GuessOrigin>;
  /** Starts the session and clears the cookie of the second step. */
  finish: StartSession;
}

const stepLifetimeMs = 10 * 60_000;
const stepCookie = {
  name: 'slipway_second_step',
  path: '/sign-in',
  sameSite: 'lax',
  lifetimeMs: stepLifetimeMs,
} as const;

interface Parts {
  data: Data;
  secret: ServerSecret;
  secondFactors: SecondFactors;
  knownBrowsers: KnownBrowsers;
  startSession: StartSession;
  now: () => number;
}

export function createSecondStep(deps: Parts): SecondStep {
  const { data, now } = deps;
  const tokens = createTokenCodec(deps.secret, 'second step', browserTokenFormat);
  const passwords = createSigner(deps.secret, 'password of a second step');
  const passwordHashOf = async (userId: string) =>
    (await accountQueries(data).findAccount(userId))?.passwordHash ?? null;
  return {
    afterPassword: async (client, start) => {
      const passwordHash = await passwordHashOf(start.userId);
      const { any } = await deps.secondFactors.of(start.userId);
      if (!any || passwordHash === null) return deps.startSession(client, start);
      const values = [start.userId, passwords.sign(passwordHash)];
      const token = tokens.issue({ values, expiresAt: now() + stepLifetimeMs }, stepCookie.name);
      return redirect(secondStepPath(localPath(start.to)), {
        cookies: [pathCookie(client.origin, { ...stepCookie, value: token })],
      });
    },
    pendingUser: async (client) => {
      const token = readPathCookie(client.origin, client.cookies, stepCookie) ?? '';
      const [userId, mark] = tokens.read(token, now(), stepCookie.name)?.values ?? [];
      if (userId === undefined || mark === undefined) return null;
      const passwordHash = await passwordHashOf(userId);
      if (passwordHash === null || !passwords.verify(passwordHash, mark)) return null;
      const user = await ownerQueries(data).findOwnerById(userId);
      return user?.kind === 'user' ? user : null;
    },
    placeOf: async (client, { id }) => {
      const account = await accountQueries(data).findAccount(id);
      return deps.knownBrowsers.placeOf(client, account && { id, passwordHash: account.passwordHash });
    },
    finish: async (client, start) => {
      const answer = await deps.startSession(client, start);
      return { ...answer, cookies: [...(answer.cookies ?? []), clearPathCookie(client.origin, stepCookie)] };
    },
  };
}

/** Requires a user who entered the correct password in this browser; everyone else is redirected to sign in. */
export function createSecondStepAccess(deps: {
  access: RouteAccess;
  secondStep: SecondStep;
  originOf: OriginOf;
}): Access<unknown, Caller | null, User> {
  return {
    ...deps.access.anyone,
    authorize: async (_caller, _params, request) => {
      const user = await deps.secondStep.pendingUser(clientOf(request, deps.originOf));
      if (user) return user;
      const to = targetOf(request);
      throw new SignInRequired(() => (to === null ? sitePaths.signIn : signInPath(to)));
    },
  };
}
