/** Identifies the caller of a request by the API key in its headers or query, or by the session cookie. */
import type { FastifyRequest } from 'fastify';
import { TooManyRequests, unauthenticated } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import { preferLanguage } from '../../core/language/current-language.ts';
import { acceptsKeyInQuery } from '../../http/api-address.ts';
import { recordCaller } from '../../http/request-log.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import { readSessionCookie } from '../../http/session-cookie.ts';
import type { Actor, Credential, Reading } from '../../owners/actor.ts';
import type { WorkspaceGate } from '../../owners/gate/workspace-gate.ts';
import type { User } from '../../owners/owner.ts';
import type { Authenticate, KeyHolder, LiveSession } from './authenticate.ts';
import { keyOrMalformed, readCredentials } from './credentials.ts';

export interface Caller {
  actor: Actor;
  /** The token of the session; null for an API key. */
  sessionToken: string | null;
  /** Only for API keys. */
  keyScopes?: readonly KeyScope[];
  /** Signed in with a temporary password, which must be replaced first. */
  mustChangePassword?: true;
}

export type SessionActor = {
  kind: 'user';
  user: User;
  credential?: Credential;
  gate?: WorkspaceGate;
  reading?: Reading;
};

/** A User with a session, who can submit forms. */
export interface Person extends Caller {
  actor: SessionActor;
  sessionToken: string;
}

/** ID of the User of a session. Null for API keys and anonymous callers. */
export function sessionUserId(caller: Caller | null): string | null {
  if (caller === null || caller.sessionToken === null || caller.actor.kind !== 'user') return null;
  return caller.actor.user.id;
}

export interface Identify {
  /** Identifies by key only, for /api. Null if none was sent; throws `unauthenticated` for an invalid one. */
  actorByKey(request: FastifyRequest): Promise<KeyHolder | null>;
  /** Like `actorByKey`, but throws `unauthenticated` if no key was sent. */
  requireActor(request: FastifyRequest): Promise<KeyHolder>;
  /** Whether a key may be sent as a form field. */
  acceptsFormField: boolean;
  /** Identifies a key sent as a form field. Throws `unauthenticated`. */
  actorOfFormField(request: FastifyRequest, token: string): Promise<KeyHolder>;
  /**
   * Identifies by key or session, for pages and downloads. Null for people who must first change their password or set
   * up a factor.
   */
  caller(request: FastifyRequest): Promise<Caller | null>;
  /** A person who signed in with a temporary password and must replace it first. */
  mustChangePassword(request: FastifyRequest): Promise<Person | null>;
  /** A person who is signed in but must set up a second factor first. */
  mustEnrollFactor(request: FastifyRequest): Promise<Person | null>;
}

export function createIdentify(parts: {
  authenticate: Authenticate;
  originOf: OriginOf;
  legacyKeys: boolean;
  /** Called for each request with a valid key or session. */
  proven: (request: FastifyRequest) => void;
}): Identify {
  const { authenticate, originOf, legacyKeys, proven } = parts;
  const actorByKey = async (request: FastifyRequest) => {
    const query = request.query as Record<string, unknown> | undefined;
    const form = request.declared?.looseForm
      ? (request.body as Record<string, unknown> | undefined)
      : undefined;
    const credentials = readCredentials(
      {
        authorization: request.headers.authorization,
        tokens: acceptsKeyInQuery(request.url) ? [query?.token, form?.token].flat() : undefined,
      },
      legacyKeys,
    );
    const actor = await authenticate.byKey(credentials, () => request.ip);
    recordCaller(request, actor?.kind ?? 'nobody');
    if (actor) proven(request);
    return actor && { ...actor, ...readingOf(request) };
  };
  const bySession = async (request: FastifyRequest, stage: Stage): Promise<Person | null> => {
    const token = readSessionCookie(request.cookies, () => originOf(request));
    const known = token ? await authenticate.bySession(token, request.ip) : null;
    if (known) proven(request);
    if (!known || !token || stageOf(known) !== stage) return null;
    preferLanguage(known.language);
    return { actor: { ...known.actor, ...readingOf(request) }, sessionToken: token };
  };
  return {
    actorByKey,
    acceptsFormField: legacyKeys,
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
      if (request.wasRateLimited) throw new TooManyRequests('requests', 0);
      const byKey = await actorByKey(request);
      if (byKey) return { actor: byKey, sessionToken: null, keyScopes: byKey.scopes };
      const person = await bySession(request, 'active');
      if (person) recordCaller(request, 'user');
      return person;
    },
    mustChangePassword: async (request) => {
      const person = await bySession(request, 'mustChangePassword');
      return person && { ...person, mustChangePassword: true };
    },
    mustEnrollFactor: (request) => bySession(request, 'mustEnrollFactor'),
  };
}

const readingOf = ({ method }: FastifyRequest): { reading?: Reading } =>
  method === 'GET' || method === 'HEAD' ? { reading: { asAuditor: false } } : {};

/** The step that a signed-in person must complete first. */
type Stage = 'mustChangePassword' | 'mustEnrollFactor' | 'active';

function stageOf(session: LiveSession): Stage {
  if (session.mustChangePassword) return 'mustChangePassword';
  return session.mustSetUpFactor ? 'mustEnrollFactor' : 'active';
}
