/** Access rules of the routes that sign people in and out. */
import type { FastifyRequest } from 'fastify';
import { NotFound } from '../../core/errors.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import type { RouteCaller } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { readSessionCookie } from '../../http/session-cookie.ts';
import type { User } from '../../owners/owner.ts';
import type { Caller, Identify, Person } from '../authorization/identify-http.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { relyingPartyOf } from '../passkeys/passkey.ts';
import { securityPath, welcomePath } from '../profile/account-paths.ts';

/** Returns where a person who is already signed in continues; `to` is where they wanted to go. */
type ContinuePath = (to: string | null) => string;

/** The relying party id at the address of the request. */
export interface PasskeySite {
  origin: string;
  relyingParty: string;
}

export interface SignInAccess {
  /** Anyone; the subject is null unless the person is already signed in. */
  signIn: Access<unknown, Caller | null, ContinuePath | null>;
  /** The browser of any session, even of a disabled account, so that every session can be ended. */
  signOut: Access<unknown, RouteCaller, null>;
  /** Anyone, if the address of the server supports passkeys. */
  passkeys: Access<unknown, Caller | null, PasskeySite>;
}

interface Parts {
  access: RouteAccess;
  identify: Identify;
  originOf: OriginOf;
}

export function createSignInAccess({ access, identify, originOf }: Parts): SignInAccess {
  return {
    signIn: {
      ...access.anyone,
      authorize: async (caller, _params, request) => {
        if (caller?.sessionToken) return (to) => to ?? '/';
        if (await identify.mustChangePassword(request)) return welcomePath;
        return (await identify.mustEnrollFactor(request)) ? securityPath : null;
      },
    },
    signOut: {
      ...access.anyone,
      identify: async (request) => {
        // Throws for an invalid key.
        await identify.caller(request);
        const sessionToken = readSessionCookie(request.cookies, () => originOf(request));
        return sessionToken === undefined ? null : { sessionToken };
      },
      authorize: async () => null,
    },
    passkeys: {
      ...access.anyone,
      authorize: async (_caller, _params, request) => {
        const origin = originOf(request);
        const relyingParty = relyingPartyOf(origin);
        if (relyingParty === null) throw new NotFound();
        return { origin, relyingParty };
      },
    },
  };
}

export interface SingleSignOnAccess<Provider> {
  anyone: Access<unknown, Caller | null, Provider>;
  person: Access<unknown, Person, { user: User; signOn: Provider }>;
}

/** `find` returns the provider of the path; null if there is none. A null `find` means that these addresses do not exist. */
export function createSingleSignOnAccess<Provider>(
  access: RouteAccess,
  find: ((params: unknown) => Promise<Provider | null>) | null,
): SingleSignOnAccess<Provider> {
  const configured = async (params: unknown) => {
    const signOn = await find?.(params);
    if (!signOn) throw new NotFound();
    return signOn;
  };
  return {
    anyone: { ...access.anyone, authorize: (_caller, params) => configured(params) },
    person: {
      ...access.signedIn,
      ...(find === null ? { anonymous: 'missing' } : {}),
      identify: async (request: FastifyRequest) => {
        if (find === null) {
          // Throws for an invalid key.
          await access.anyone.identify(request);
          throw new NotFound();
        }
        return access.person(request);
      },
      authorize: async ({ actor }, params) => ({ user: actor.user, signOn: await configured(params) }),
    },
  };
}
