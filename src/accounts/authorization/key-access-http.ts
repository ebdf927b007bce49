/** Derives access rules of the API from those of pages: the same decision, for callers with an API key. */
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../core/errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { Actor } from '../../owners/actor.ts';
import type { KeyHolder } from './authenticate.ts';
import type { Caller, Identify, Person } from './identify-http.ts';

export interface KeyCaller extends Caller {
  actor: KeyHolder;
  sessionToken: null;
}

/** A User, by session or key. */
export interface UserCaller extends Caller {
  actor: Extract<Actor, { kind: 'user' }>;
}

/** An access rule for people that also accepts API keys, because its decision needs no session. */
export type PersonRule<Params, Subject, Least extends Caller = UserCaller> = Access<Params, Person, Subject> &
  Decision<Params, Subject, Least>;

export interface Decision<Params, Subject, Least extends Caller>
  extends Pick<Access<Params, Person, Subject>, 'roles' | 'others' | 'hiddenFromAuditors'> {
  authorize: (caller: Least, params: Params, request: FastifyRequest) => Promise<Subject>;
}

export interface KeyAccess {
  /** Accepts keys of Users and Projects. */
  byKey<Params, Subject>(rule: Decision<Params, Subject, Caller>): Access<Params, KeyCaller, Subject>;
  /** Accepts keys of Users; a Project's key gets 403. */
  byUserKey<Params, Subject>(
    rule: Decision<Params, Subject, UserCaller>,
  ): Access<Params, KeyCaller & UserCaller, Subject>;
}

export function createKeyAccess(identify: Identify): KeyAccess {
  const identifyKey = async (request: FastifyRequest): Promise<KeyCaller> => {
    const actor = await identify.requireActor(request);
    return { actor, sessionToken: null, keyScopes: actor.scopes };
  };
  return {
    byKey: ({ roles, others, authorize, hiddenFromAuditors }) => ({
      roles,
      others,
      authorize,
      ...(hiddenFromAuditors ? { hiddenFromAuditors } : {}),
      credentials: ['key'],
      identify: identifyKey,
    }),
    byUserKey: ({ roles, others, authorize, hiddenFromAuditors }) => ({
      roles,
      others,
      authorize,
      ...(hiddenFromAuditors ? { hiddenFromAuditors } : {}),
      credentials: ['key'],
      usersOnly: true,
      identify: async (request) => {
        const caller = await identifyKey(request);
        const { actor } = caller;
        if (actor.kind === 'user') return { ...caller, actor };
        throw new AppError('forbidden', 'only the key of a user can do this, not the key of a Project', {
          code: 'user_key_required',
        });
      },
    }),
  };
}
