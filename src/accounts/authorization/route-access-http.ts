/** Access rules of routes for signed-in people, and helpers for the access rules of other features. */
import type { FastifyRequest } from 'fastify';
import { type AppError, NotFound, unauthenticated } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { acceptsPage } from '../../http/routes/client.ts';
import { SignInRequired } from '../../http/routes/guard-errors.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { coversOwner } from '../../owners/actor.ts';
import type { Owner, Project, User } from '../../owners/owner.ts';
import { admits, loadPermissions, type OwnerPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { securityPath, signInPath, welcomePath } from '../profile/account-paths.ts';
import type { Caller, Identify, Person } from './identify-http.ts';
import {
  createKeyAccess,
  type Decision,
  type KeyAccess,
  type PersonRule,
  type UserCaller,
} from './key-access-http.ts';

export interface RouteAccess extends KeyAccess {
  /** Anyone, signed in or not. */
  anyone: Access<unknown, Caller | null, null>;
  /** Anyone who is signed in; the subject is the person. */
  signedIn: PersonRule<unknown, User>;
  /** The User in the path themself, or the owner team of the Project; everyone else gets `NotFound`. */
  managedOwner: PersonRule<{ owner: string }, Owner>;
  /** Like `signedIn`, for operations that reach beyond the places of a restricted key; such a key gets `NotFound`. */
  unrestricted: PersonRule<unknown, User>;
  /** Every caller with a valid key. */
  anyKey: Decision<unknown, null, Caller>;
  /** Administrators; everyone else gets `NotFound`. */
  administrator: PersonRule<unknown, User>;
  /** A User by key only, for the API. A Project's key gets `refusal`. */
  userByKey(refusal: () => AppError): Access<unknown, Caller, User>;
  /** The Project in the path, for its owner team; everyone else gets `NotFound`. */
  managedProject: PersonRule<{ owner: string }, Project>;
  /** Like `managedProject`, for what would give rights to an auditor who sees it: invite links. */
  projectLinks: PersonRule<{ owner: string }, Project>;
  /** The Project in the path, for its owner team and administrators; everyone else gets `NotFound`. */
  administeredProject: PersonRule<{ owner: string }, Project>;
  /** For access rules of other features: requires a signed-in person. Throws `SignInRequired`, and `NotFound` for a key. */
  person(request: FastifyRequest): Promise<Person>;
  /** For access rules of other features: requires a key or a signed-in person. Throws `SignInRequired`. */
  caller(request: FastifyRequest): Promise<Caller>;
  /** Returns the error for an unidentified caller: `SignInRequired` for a page, otherwise `unauthenticated`. */
  signInRequired(request: FastifyRequest): Promise<AppError>;
}

export function createRouteAccess({ data, identify }: { data: Data; identify: Identify }): RouteAccess {
  const signInRequired = (request: FastifyRequest) => firstStepOf(identify, request);
  const callerOf = async (request: FastifyRequest): Promise<Caller> => {
    const caller = await identify.caller(request);
    if (caller) return caller;
    throw await signInRequired(request);
  };
  const personOf = async (request: FastifyRequest): Promise<Person> => {
    const { actor, sessionToken } = await callerOf(request);
    // API keys can't submit forms.
    if (actor.kind !== 'user' || sessionToken === null) throw new NotFound();
    return { actor, sessionToken };
  };
  const projectFor =
    (may: (permissions: OwnerPermissions) => boolean) =>
    async ({ actor }: UserCaller, { owner }: { owner: string }): Promise<Project> => {
      const project = await ownerQueries(data).findOwner(owner);
      if (project?.kind !== 'project') throw new NotFound();
      if (!admits(actor, await loadPermissions(data, actor, project), may)) throw new NotFound();
      return project;
    };
  const managesProject = projectFor(({ manages }) => manages);
  const forPeople = { credentials: ['session'], others: 'missing', identify: personOf } as const;
  return {
    ...createKeyAccess(identify),
    caller: callerOf,
    person: personOf,
    signInRequired,
    anyone: {
      roles: ['public'],
      credentials: [],
      others: 'missing',
      identify: (request) => identify.caller(request),
      authorize: async () => null,
    },
    signedIn: { ...forPeople, roles: ['signed in'], authorize: async ({ actor }) => actor.user },
    managedOwner: {
      ...forPeople,
      roles: ['owner team'],
      authorize: async ({ actor }, { owner: name }) => {
        const owner = await ownerQueries(data).findOwner(name);
        if (!owner) throw new NotFound();
        const isOwn = owner.id === actor.user.id && coversOwner(actor, owner.id);
        if (!isOwn && !admits(actor, await loadPermissions(data, actor, owner), ({ manages }) => manages))
          throw new NotFound();
        return owner;
      },
    },
    unrestricted: {
      ...forPeople,
      roles: ['signed in'],
      authorize: async ({ actor }: UserCaller) => {
        if (actor.restriction !== undefined) throw new NotFound();
        return actor.user;
      },
    },
    anyKey: { roles: ['key holder'], others: 'missing', authorize: async () => null },
    administrator: {
      ...forPeople,
      roles: ['administrator'],
      authorize: async ({ actor }) => {
        if (!actor.user.administrator) throw new NotFound();
        return actor.user;
      },
    },
    userByKey: (refusal) => ({
      roles: ['signed in'],
      credentials: ['key'],
      others: 'invalid',
      identify: async (request) => {
        const actor = await identify.requireActor(request);
        return { actor, sessionToken: null, keyScopes: actor.scopes };
      },
      authorize: async ({ actor }) => {
        if (actor.kind !== 'user') throw refusal();
        return actor.user;
      },
    }),
    managedProject: {
      ...forPeople,
      roles: ['owner team'],
      authorize: managesProject,
    },
    projectLinks: {
      ...forPeople,
      roles: ['owner team'],
      hiddenFromAuditors: true,
      // Also for an auditor who is a developer: what counts is what the person may change.
      authorize: ({ actor: { reading: _, ...actor }, ...caller }, params) =>
        managesProject({ ...caller, actor }, params),
    },
    administeredProject: {
      ...forPeople,
      roles: ['owner team', 'administrator'],
      authorize: projectFor(({ administers }) => administers),
    },
  };
}

/** The page to visit first: sign in, replace a temporary password, or set up a required second factor. */
async function firstStepOf(identify: Identify, request: FastifyRequest): Promise<AppError> {
  if (!acceptsPage(request)) return unauthenticated();
  if (await identify.mustChangePassword(request)) return new SignInRequired(welcomePath);
  if (await identify.mustEnrollFactor(request)) return new SignInRequired(securityPath);
  return new SignInRequired(signInPath);
}
