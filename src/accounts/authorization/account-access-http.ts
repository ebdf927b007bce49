/** Access rules of the pages that people must complete before anything else opens. */
import type { FastifyRequest } from 'fastify';
import { NotFound } from '../../core/errors.ts';
import { SignInRequired } from '../../http/routes/guard-errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import type { User } from '../../owners/owner.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { signInPath } from '../profile/account-paths.ts';
import type { Identify, Person } from './identify-http.ts';
import type { RouteAccess } from './route-access-http.ts';

/** A signed-in person, and whether they must set up a second factor before anything else opens. */
export type EnrollingPerson = Person & { mustEnrollFactor: boolean };

export interface AccountAccess {
  /** A person with a temporary password. Everyone else is redirected to the target of the request. */
  mustChangePassword: Access<unknown, Person, User>;
  /** Anyone who is signed in, including people who must set up a second factor first. */
  enrolling: Access<unknown, EnrollingPerson, User>;
}

export function createAccountAccess({
  identify,
  access,
}: {
  identify: Identify;
  access: RouteAccess;
}): AccountAccess {
  const forPeople = { roles: ['signed in'], credentials: ['session'], others: 'missing' } as const;
  return {
    mustChangePassword: {
      ...forPeople,
      identify: async (request) => {
        const person = await identify.mustChangePassword(request);
        // Drops the rest, because on this page the person counts as signed in and can sign out.
        if (person) return { actor: person.actor, sessionToken: person.sessionToken };
        const caller = await identify.caller(request);
        if (caller && caller.sessionToken === null) throw new NotFound();
        const target = targetOf(request) ?? '/';
        throw new SignInRequired(() => (caller ? target : signInPath(target)));
      },
      authorize: async ({ actor }) => actor.user,
    },
    enrolling: {
      ...forPeople,
      identify: async (request) => {
        const session = await identify.mustEnrollFactor(request);
        if (session) return { ...session, mustEnrollFactor: true };
        return { ...(await access.person(request)), mustEnrollFactor: false };
      },
      authorize: async ({ actor }) => actor.user,
    },
  };
}

/** Returns the path on this server in the query; null if there is none. */
export function targetOf(request: FastifyRequest): string | null {
  const { to } = request.query as { to?: unknown };
  return localPath(typeof to === 'string' ? to : null);
}
