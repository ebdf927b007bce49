/** Every declared route, called as every kind of caller: the declaration says what each must receive. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Credential, Role, Route } from '../../src/http/routes/route.ts';
import type { Answer } from '../support/http-client.ts';
import {
  type Caller,
  callers,
  keyHolders,
  persons,
  type RouteCallers,
  type RouteForm,
  startCallers,
} from '../support/route-callers.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/**
 * Who has which role for the Project `crew`, its app and its page, which is what most paths below name. The User `olga`
 * (caller `owner`) and the Workspace `harbour` are the exceptions.
 */
const holders: Readonly<Record<Role, readonly Caller[]>> = {
  public: callers,
  'link holder': callers,
  'signed in': [...persons, 'developerKey', 'administratorKey'],
  tester: ['owner', 'developer', 'tester', 'developerKey', 'projectKey'],
  developer: ['owner', 'developer', 'developerKey', 'projectKey'],
  'owner team': ['owner'],
  'workspace member': ['elsewhere', 'harbour'],
  'workspace owner': ['harbour'],
  administrator: ['administrator', 'administratorKey'],
};
const ofUser: Partial<Record<Role, readonly Caller[]>> = {
  tester: ['owner'],
  developer: ['owner'],
  'owner team': ['owner'],
};

/** What a caller that is let in receives where the fixture has nothing to show; by method and path. */
const admittedAs: Readonly<Record<string, Outcome>> = {
  // Nobody has given a password.
  'GET /sign-in/second-factor': 'sign in',
  // Passkeys need https and a host name.
  'POST /sign-in/passkey/options': 'missing',
  'POST /sign-in/passkey': 'missing',
  // Sign-up is closed, as it is by default.
  'GET /sign-up': 'missing',
  'POST /sign-up': 'missing',
  // Nobody there has a temporary password: everyone is redirected.
  'POST /welcome': 'in',
  'GET /settings/email/:token': 'missing',
  'POST /invitation/:token/join': 'missing',
  // No provider is configured.
  'GET /sign-in/sso': 'missing',
  'GET /sign-in/sso/callback': 'missing',
  'GET /sign-in/sso/link': 'missing',
  'GET /sign-in/sso/confirm': 'missing',
  'GET /sign-in/sso/confirm-access': 'missing',
  'POST /sign-in/sso/confirm/link': 'missing',
  'POST /settings/single-sign-on/unlink': 'missing',
};

/** Paths beneath a User are those of `olga`, but an app is always one of `crew`. */
const isUsers = (path: string) => path.startsWith('/users/:owner') && !path.includes('/apps/');

const holdersOf = (role: Role, path: string): readonly Caller[] =>
  (isUsers(path) ? ofUser[role] : undefined) ?? holders[role];

const credentialOf = (caller: Caller): Credential | null => {
  if ((persons as readonly Caller[]).includes(caller)) return 'session';
  return (keyHolders as readonly Caller[]).includes(caller) ? 'key' : null;
};

type Outcome = 'in' | 'missing' | 'sign in' | 'no key' | 'forbidden' | 'expired form';

const isForm = ({ method, csrfExempt }: Route) => method === 'POST' && csrfExempt === undefined;

/** What the declaration promises this caller, who sends a form with a made-up token. */
function expectedOf(route: Route, caller: Caller): Outcome {
  const { path, access } = route;
  const isApi = path.startsWith('/api/');
  const credential = credentialOf(caller);
  // The doctor's token is all that counts there.
  if (caller === 'revokedKey') return path.startsWith('/doctor/') ? 'missing' : 'no key';
  const isMadeUp = access.roles.join() === 'link holder' && !path.includes(':accessKey');
  if (isMadeUp) return 'missing';
  const admitted = admittedAs[`${route.method} ${path}`] ?? (isForm(route) ? 'expired form' : 'in');
  if (access.roles.includes('public')) return admitted;
  // A session is nothing to the API.
  if (credential === null || (isApi && credential === 'session')) {
    if (access.roles.includes('link holder') && path.includes(':accessKey')) return admitted;
    return access.anonymous ?? (isApi ? 'no key' : 'sign in');
  }
  const isAdmitted =
    access.credentials.includes(credential) &&
    access.roles.some((role) => holdersOf(role, path).includes(caller));
  if (isAdmitted) return admitted;
  return access.others === 'missing' ? 'missing' : 'forbidden';
}

function outcomeOf({ status, headers, text }: Answer): Outcome | number {
  if (status === 303 && headers.location?.startsWith('/sign-in')) return 'sign in';
  if (status === 403 && /the form has expired/i.test(text)) return 'expired form';
  const known: Record<number, Outcome> = { 404: 'missing', 401: 'no key', 403: 'forbidden' };
  return known[status] ?? (status < 400 || [400, 409].includes(status) ? 'in' : status);
}

describe('every declared route', async () => {
  const clock = { offsetMs: 0 };
  let slipway: TestService;
  let kit: RouteCallers;
  beforeAll(async () => {
    slipway = await startTestService({ now: () => Date.now() + clock.offsetMs });
    kit = await startCallers(slipway);
  });
  afterAll(() => slipway.close());

  /** A value for every parameter; a new parameter without one fails. */
  const pathOf = ({ path }: Route) =>
    path.replace(/:(\w+)/g, (_, name: string) => {
      const values: Record<string, string | undefined> = {
        owner: isUsers(path) ? 'olga' : 'crew',
        workspace: 'harbour',
        platform: 'android',
        package: kit.names.app,
        revision: '1',
        build: kit.names.build,
        accessKey: path.includes('/device') ? kit.names.iosPage : kit.names.page,
        device: isUsers(path) ? kit.names.ownDevice : kit.names.device,
        hook: isUsers(path)
          ? kit.names.ownHook
          : path.includes('/apps/')
            ? kit.names.appHook
            : kit.names.hook,
        person: kit.names.person,
        mail: kit.names.mail,
        job: 'made-up',
        delivery: 'made-up',
        key: 'made-up',
        session: 'made-up',
        passkey: 'made-up',
        invitation: 'made-up',
        token: 'made-up',
        name: 'slipway.css',
        outcome: 'made-up',
      };
      const value = values[name];
      if (value === undefined) throw new Error(`no value for :${name} of ${path}`);
      return value;
    });
  const formOf = ({ method, streamedBody }: Route): RouteForm | null => {
    if (method === 'GET') return null;
    return streamedBody ? { fields: { message: 'x' }, multipart: true } : { fields: {}, multipart: false };
  };

  it('admits exactly the callers that its declaration names, and no form without its token', async () => {
    const wrong: unknown[] = [];
    for (const route of slipway.service.declared) {
      for (const caller of callers) {
        const csrf = isForm(route) ? 'made up' : undefined;
        const seen = outcomeOf(await kit.call(caller, pathOf(route), formOf(route), csrf));
        const expected = expectedOf(route, caller);
        if (seen !== expected) wrong.push([route.method, route.path, caller, { expected, seen }]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('asks for a proof of identity where its declaration says so, ten minutes after the last one', async () => {
    const protectedRoutes = slipway.service.declared.filter(({ reauthentication }) => reauthentication);
    expect(protectedRoutes.map(({ path }) => path).sort()).toEqual([...protectedPaths].sort());
    clock.offsetMs = 10 * 60_000;
    for (const route of protectedRoutes) {
      for (const caller of persons) {
        if (expectedOf(route, caller) !== 'expired form') continue;
        const answer = await kit.call(caller, pathOf(route), formOf(route));
        expect([route.path, caller, answer.status]).toEqual([route.path, caller, 403]);
        expect(answer.text).toContain('name="proof"');
      }
    }
  });
});

/** Everything that grants lasting access or destroys data: a second opinion beside the declarations. */
const protectedPaths = [
  '/settings/keys/create',
  '/organizations/:owner/keys/create',
  '/sign-in/sso/confirm/link',
  '/settings/email/change',
  '/settings/email/:token/confirm',
  '/settings/security/app/enable',
  '/settings/security/app/disable',
  '/settings/security/passkeys/create',
  '/settings/security/passkeys/add',
  '/settings/security/passkeys/:passkey/remove',
  '/settings/security/recovery-codes/create',
  '/administration/people/:person/reset-link/create',
  '/administration/people/:person/reset-link/send',
  '/administration/people/:person/factors/reset',
  '/administration/people/:person/administrator/grant',
  '/administration/people/:person/administrator/remove',
  '/administration/people/:person/enable',
  ...[
    '/users/:owner/platforms/:platform/apps/:package/hooks',
    '/organizations/:owner/hooks',
    '/users/:owner/hooks',
  ].flatMap((hooks) => [`${hooks}/create`, `${hooks}/:hook/save`, `${hooks}/:hook/rotate-secret`]),
];
