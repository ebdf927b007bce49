/**
 * The state between password and session: a signed cookie records for ten minutes who entered the correct password. It permits
 * only the second step, and becomes invalid when the password or a second factor changes, or access is ended.
 */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../core/signed-token.ts';
import type { Data } from '../../db/data.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import { type RedirectResponse, redirect } from '../../http/routes/answer.ts';
import { type Client, clientOf } from '../../http/routes/client.ts';
import { SignInRequired } from '../../http/routes/guard-errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { clearPathCookie, pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import type { User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { hasSecondFactor, stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { targetOf } from '../authorization/account-access-http.ts';
import type { Caller } from '../authorization/identify-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { secondStepPath, signInPath } from '../profile/account-paths.ts';
import type { PasswordProof } from '../sessions/sign-in-proof.ts';
import type { SessionStart, StartSession } from '../sessions/start-session-http.ts';
import type { GuessOrigin } from '../sign-in/attempt-limits.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';

/** Called after a correct password instead of `startSession`: redirects people who have a second factor to the second step. */
export type AfterPassword = (
  client: Client,
  start: SessionStart & { proof: PasswordProof },
) => Promise<RedirectResponse>;

/** The person who entered the correct password in this browser. */
export interface PendingSignIn {
  user: User;
  /** Valid only together with a second factor. */
  proof: PasswordProof;
}

export interface SecondStep {
  afterPassword: AfterPassword;
  findPending(client: Client): Promise<PendingSignIn | null>;
  /** Returns the origin of a guess at one of the person's codes. */
  placeOf(client: Client, pending: PendingSignIn): GuessOrigin;
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
  knownBrowsers: KnownBrowsers;
  startSession: StartSession;
  now: () => number;
}

export function createSecondStep(deps: Parts): SecondStep {
  const { data, now } = deps;
  const tokens = createTokenCodec(deps.secret, 'second step', browserTokenFormat);
  const marks = createSigner(deps.secret, 'account of a second step');
  return {
    afterPassword: async (client, start) => {
      const state = await accountStateQueries(data).find(start.userId);
      if (!state || !hasSecondFactor(state)) return deps.startSession(client, start);
      const values = [start.userId, marks.sign(start.proof.stamp)];
      const token = tokens.issue({ values, expiresAt: now() + stepLifetimeMs }, stepCookie.name);
      return redirect(secondStepPath(localPath(start.to)), {
        cookies: [pathCookie(client.origin, { ...stepCookie, value: token })],
      });
    },
    findPending: async (client) => {
      const token = readPathCookie(client.origin, client.cookies, stepCookie) ?? '';
      const [userId, mark] = tokens.read(token, now(), stepCookie.name)?.values ?? [];
      if (userId === undefined || mark === undefined) return null;
      const state = await accountStateQueries(data).find(userId);
      if (!state || !marks.verify(stampOf(state), mark)) return null;
      const user = await ownerQueries(data).findOwnerById(userId);
      return user?.kind === 'user' ? { user, proof: { kind: 'password', stamp: stampOf(state) } } : null;
    },
    placeOf: (client, { user, proof }) =>
      deps.knownBrowsers.placeOf(client, { id: user.id, stamp: proof.stamp }),
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
}): Access<unknown, Caller | null, PendingSignIn> {
  return {
    ...deps.access.anyone,
    authorize: async (_caller, _params, request) => {
      const pending = await deps.secondStep.findPending(clientOf(request, deps.originOf));
      if (pending) return pending;
      const to = targetOf(request);
      throw new SignInRequired(() => (to === null ? sitePaths.signIn : signInPath(to)));
    },
  };
}
