/** Guards of declared routes: the origin and token of a form, a recent proof of identity, and rate limits. */

import type { FastifyRequest } from 'fastify';
import { Forbidden } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { RunExclusively } from '../../http/idempotency/conditional-changes.ts';
import type { RunOnce } from '../../http/idempotency/idempotent-requests.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { RouteCaller } from '../../http/routes/client.ts';
import type { Guards } from '../../http/routes/route-facts.ts';
import type { Attempts } from '../../limits/attempts.ts';
import { networkOf } from '../../limits/client-network.ts';
import { createCountText } from '../../limits/text-limit.ts';
import { actorId } from '../../owners/actor.ts';
import { accountTexts } from '../account-texts.ts';
import type { Reauthentication } from '../reauthentication/reauthentication.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import type { FormTokens } from './form-token-http.ts';
import type { Caller, Person } from './identify-http.ts';
import type { PageFrames } from './page-frames-http.ts';

export const recentAuthenticationMs = 10 * 60_000;

export function createRouteGuards(deps: {
  data: Data;
  attempts: Attempts;
  reauthentication: Reauthentication;
  frames: PageFrames;
  formTokens: FormTokens;
  runOnce: RunOnce;
  runExclusively: RunExclusively;
  watchAccess: Guards['watchAccess'];
  originOf: OriginOf;
  now: () => number;
}): Guards {
  const { data, attempts, reauthentication, frames, formTokens, runOnce, originOf, now } = deps;
  const countText = createCountText(attempts);
  return {
    originOf,
    frameOf: (request, caller) => frames.of(request, caller as Caller | null),
    checkFormOrigin: (request) => checkFormOrigin(originOf, request),
    checkFormToken: (request, caller, token) =>
      formTokens.check(request, caller?.sessionToken ?? null, token),
    hasRecentAuthentication: async (caller, submitted) => {
      const { actor, sessionToken } = personOf(caller);
      const hash = hashSessionToken(sessionToken);
      const authenticatedAt = await sessionQueries(data).findProof(hash);
      // Accepts a proof from a node whose clock is slightly ahead, but not one from the far future.
      if (authenticatedAt !== null && Math.abs(now() - authenticatedAt) < recentAuthenticationMs) return true;
      if (submitted === '' || !(await reauthentication.proves({ user: actor.user, sessionToken }, submitted)))
        return false;
      await sessionQueries(data).recordProof(hash, now());
      return true;
    },
    exclusively: deps.runExclusively,
    refundUnserved: attempts.refundUnserved,
    watchAccess: deps.watchAccess,
    once: (request, caller, body, run) => {
      const key = request.headers['idempotency-key'];
      if (request.method !== 'POST' || typeof key !== 'string' || caller === null) return run();
      return runOnce({ credential: credentialOf(caller), key, target: request.url, body }, run);
    },
    count: (limit, request, caller, weight) => {
      const { name, per, within } = limit;
      if (per === 'caller' || (per === 'caller or network' && caller !== null))
        return attempts.count([name, subjectOf(caller)], limit, weight);
      const params = request.params as Readonly<Record<string, string>>;
      const subject = within === undefined ? [name] : [name, params[within] ?? ''];
      return attempts.countFrom(networkOf(request.ip), subject, limit, weight);
    },
    countText: async (caller, bytes) => {
      // Signing out needs no account, only a session.
      const { actor } = caller as Partial<Caller>;
      if (actor) await countText(actorId(actor), bytes);
    },
  };
}

/**
 * Refuses forms from other sites, as reported by the browser. Sibling subdomains are refused too; over plain http,
 * browsers send no Sec-Fetch-Site.
 */
export function checkFormOrigin(originOf: OriginOf, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isNamed = origin !== undefined && origin !== 'null';
  const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if ((isNamed && origin !== originOf(request)) || isForeign)
    throw new Forbidden(accountTexts.signIn.otherSite);
}

function personOf(caller: RouteCaller): Person {
  const known = caller as Caller | null;
  if (known?.actor.kind !== 'user' || known.sessionToken === null)
    throw new Error('a route without sessions requires re-authentication');
  return { actor: known.actor, sessionToken: known.sessionToken };
}

const subjectOf = (caller: RouteCaller) => actorId((caller as Caller).actor);

/**
 * Idempotent answers are stored per credential, never shared between keys: keys may permit different things, and an answer may
 * contain a secret.
 */
function credentialOf(caller: RouteCaller): string {
  const { actor, sessionToken } = caller as Caller;
  if (sessionToken !== null) return `session ${hashSessionToken(sessionToken)}`;
  if ('keyId' in actor) return `key ${actor.keyId}`;
  throw new Error('a caller without a credential');
}
