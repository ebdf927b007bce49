/** Who a request comes from: the key in its head, else the cookie of a signed-in browser. */
import type { FastifyRequest } from 'fastify';
import { TooManyRequests, unauthenticated } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import { isApiAddress } from '../../http/api-address.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import { readSessionCookie } from '../../http/session-cookie.ts';
import type { Actor } from '../../owners/actor.ts';
import type { User } from '../../owners/owner.ts';
import type { Authenticate, KeyHolder, LiveSession } from './authenticate.ts';
import { keyOrMalformed, readCredentials } from './credentials.ts';

export interface Caller {
  actor: Actor;
  /** The token of the session that was used; null when a key was. */
  sessionToken: string | null;
  /** Of a key. */
  keyScopes?: readonly KeyScope[];
  /** Signed in with a temporary password: nothing opens but the page that replaces it. */
  mustChangePassword?: true;
}

/** A User with a session, and so with forms. */
export interface Person extends Caller {
  actor: { kind: 'user'; user: User };
  sessionToken: string;
}

export interface Identify {
  /** By the key alone: what /api takes. Null when none was sent; throws `unauthenticated` for a wrong one. */
  actorByKey(request: FastifyRequest): Promise<KeyHolder | null>;
  /** The same, but nobody is refused too. */
  requireActor(request: FastifyRequest): Promise<KeyHolder>;
  /** Whether a key may come as a form field at all. */
  takesFormField: boolean;
  /** A key that came as a form field. Throws `unauthenticated`. */
  actorOfFormField(request: FastifyRequest, token: string): Promise<KeyHolder>;
  /** By key or by session: what pages and downloads take. Newcomers and the unprotected are nobody here. */
  caller(request: FastifyRequest): Promise<Caller | null>;
  /** Who is signed in with a password that Slipway made, and has to choose one before anything else opens. */
  mustChangePassword(request: FastifyRequest): Promise<Person | null>;
  /** Who is signed in, but has to set up a second factor before anything else opens. */
  mustEnrollFactor(request: FastifyRequest): Promise<Person | null>;
}

export function createIdentify(parts: {
  authenticate: Authenticate;
  originOf: OriginOf;
  legacyKeys: boolean;
  /** Told of each request whose head shows a good key or session. */
  proven: (request: FastifyRequest) => void;
}): Identify {
  const { authenticate, originOf, legacyKeys, proven } = parts;
  const actorByKey = async (request: FastifyRequest) => {
    const query = request.query as Record<string, unknown> | undefined;
    const credentials = readCredentials(
      {
        authorization: request.headers.authorization,
        tokenInQuery: isApiAddress(request.url) ? query?.token : undefined,
      },
      legacyKeys,
    );
    const actor = await authenticate.byKey(credentials, () => request.ip);
    if (actor) proven(request);
    return actor;
  };
  const bySession = async (request: FastifyRequest, stage: Stage): Promise<Person | null> => {
    const token = readSessionCookie(request.cookies, () => originOf(request));
    const known = token ? await authenticate.bySession(token, request.ip) : null;
    if (known) proven(request);
    if (!known || !token || stageOf(known) !== stage) return null;
    return { actor: { kind: 'user', user: known.user }, sessionToken: token };
  };
  return {
    actorByKey,
    takesFormField: legacyKeys,
    requireActor: async (request) => {
      const actor = await actorByKey(request);
      if (!actor) throw unauthenticated();
      return actor;
    },
    actorOfFormField: async (request, token) => {
      const actor = legacyKeys ? await authenticate.byKey(keyOrMalformed(token), () => request.ip) : null;
      if (!actor) throw unauthenticated();
      return actor;
    },
    caller: async (request) => {
      // Answering a request that was refused by the rate limit costs no statement.
      if (request.wasRateLimited) throw new TooManyRequests('the request was refused by the rate limit', 0);
      const byKey = await actorByKey(request);
      if (byKey) return { actor: byKey, sessionToken: null, keyScopes: byKey.scopes };
      return bySession(request, 'active');
    },
    mustChangePassword: async (request) => {
      const person = await bySession(request, 'mustChangePassword');
      return person && { ...person, mustChangePassword: true };
    },
    mustEnrollFactor: (request) => bySession(request, 'mustEnrollFactor'),
  };
}

/** What somebody who is signed in has to do first. */
type Stage = 'mustChangePassword' | 'mustEnrollFactor' | 'active';

function stageOf(session: LiveSession): Stage {
  if (session.mustChangePassword) return 'mustChangePassword';
  return session.mustSetUpFactor ? 'mustEnrollFactor' : 'active';
}
