/** The expected response of a declared route to each caller of `route-callers.ts`, derived from the declaration. */

import type { Route } from '../../src/http/routes/route.ts';
import { carriesFormToken, scopesOf } from '../../src/http/routes/route-checks.ts';
import type { Credential, Role } from '../../src/http/routes/route-facts.ts';
import { type Caller, callers, deliveryOf, keyHolders, persons, type RouteCallers } from './route-callers.ts';

/**
 * The holders of each role for the Project `crew`, its app and its page, which most paths below name. Exceptions are
 * the User `olga` (caller `owner`) and the Workspace `harbour`.
 */
const holders: Readonly<Record<Role, readonly Caller[]>> = {
  public: callers,
  'link holder': callers,
  'signed in': [...persons, 'developerKey', 'auditorKey', 'administratorKey'],
  'key holder': keyHolders,
  tester: ['owner', 'developer', 'tester', 'auditor', 'auditorKey', 'developerKey', 'projectKey'],
  developer: ['owner', 'developer', 'developerKey', 'projectKey'],
  'owner team': ['owner'],
  // No caller manages a group.
  'group manager': [],
  'workspace guest': ['elsewhere', 'harbour'],
  // No caller is only a member.
  'workspace member': [],
  'workspace owner': ['harbour'],
  // No caller has a SCIM token.
  directory: [],
  administrator: ['administrator', 'administratorKey'],
};
const ofUser: Partial<Record<Role, readonly Caller[]>> = {
  tester: ['owner'],
  developer: ['owner'],
  'owner team': ['owner'],
};

/** The response to permitted callers where the fixture has no data, by method and path. */
const admittedAs: Readonly<Record<string, Outcome>> = {
  // No caller has entered a password.
  'GET /sign-in/second-factor': 'sign in',
  'POST /sign-in/second-factor/use-code': 'sign in',
  'POST /sign-in/second-factor/use-recovery-code': 'sign in',
  // Passkeys need https and a host name.
  'POST /sign-in/passkey/options': 'missing',
  'POST /sign-in/passkey': 'missing',
  // Sign-up is closed, as it is by default.
  'GET /sign-up': 'missing',
  'POST /sign-up': 'missing',
  // No caller has a temporary password: all are redirected.
  'POST /welcome': 'in',
  'GET /settings/email/:token': 'missing',
  'POST /invitation/:token/join': 'missing',
  // There is no link, and the app is one of a Project.
  'GET /organizations/:owner/invite-links/:invitation': 'missing',
  'GET /users/:owner/platforms/:platform/apps/:package/people/invite-links': 'missing',
  'GET /users/:owner/platforms/:platform/apps/:package/people/invite-links/:invitation': 'missing',
  ...Object.fromEntries(
    ['GET', 'PATCH', 'DELETE'].map((method) => [`${method} /api/v1/uploads/:upload`, 'missing']),
  ),
  // No caller has begun an upload.
  'POST /users/:owner/upload/resumable/:upload': 'missing',
  'POST /organizations/:owner/upload/resumable/:upload': 'missing',
  'POST /users/:owner/platforms/:platform/apps/:package/upload/resumable/:upload': 'missing',
  'GET /api/v1/apps/:owner/:platform/:package/pages/by-name/:name': 'missing',
  'PUT /api/v1/apps/:owner/:platform/:package/pages/by-name/:name': 'missing',
  'GET /api/v1/apps/:owner/:platform/:package/invite-links': 'missing',
  // No program waits with this code or key, and the page needs a port.
  'GET /api/sessions/codes/:code': 'no key',
  'GET /cli/credential': 'in',
  // There are no keystores and shared teams, and `crew` is in no Workspace.
  'GET /api/users/:owner/platforms/:platform/apps/:package/keystores': 'missing',
  'GET /api/users/:owner/platforms/:platform/apps/:package/keystores/download': 'missing',
  'GET /api/enterprises/:workspace/organizations/:owner/users': 'missing',
  // No provider is configured.
  'GET /sign-in/sso': 'missing',
  'GET /sign-in/sso/callback': 'missing',
  'GET /sign-in/sso/link': 'missing',
  'GET /sign-in/sso/confirm': 'missing',
  'GET /sign-in/sso/confirm-access': 'missing',
  'POST /sign-in/sso/confirm/link': 'missing',
  'GET /saml/metadata': 'missing',
  'GET /saml/sign-in': 'missing',
  'POST /saml/acs': 'missing',
  'GET /saml/finish': 'missing',
  'GET /saml/sign-out': 'missing',
  'GET /saml/logout': 'missing',
  'GET /saml/link': 'missing',
  'GET /saml/confirm': 'missing',
  'GET /saml/confirm-access': 'missing',
  'POST /saml/confirm/link': 'missing',
  'GET /api/v1/owners/:owner/keys/:key': 'missing',
  'GET /api/v1/workspaces/:workspace/single-sign-on': 'missing',
  'PUT /api/v1/workspaces/:workspace/single-sign-on': 'missing',
  'DELETE /api/v1/workspaces/:workspace/single-sign-on': 'missing',
  'GET /api/v1/workspaces/:workspace/access/people/:person': 'missing',
  'GET /enterprises/:workspace/saml/metadata': 'missing',
  'GET /enterprises/:workspace/saml/sign-in': 'missing',
  'POST /enterprises/:workspace/saml/acs': 'missing',
  'GET /enterprises/:workspace/saml/finish': 'missing',
  'GET /enterprises/:workspace/saml/sign-out': 'missing',
  'GET /enterprises/:workspace/saml/logout': 'missing',
  'GET /enterprises/:workspace/saml/link': 'missing',
  'GET /enterprises/:workspace/saml/confirm': 'missing',
  'GET /enterprises/:workspace/saml/confirm-access': 'missing',
  'POST /enterprises/:workspace/saml/confirm/link': 'missing',
  'POST /settings/single-sign-on/unlink': 'missing',
  // Without the signed ticket or challenge from the page.
  'GET /distributions/:accessKey/:revision/manifest.plist': 'missing',
  'GET /distributions/:accessKey/:revision/icon': 'missing',
  'POST /distributions/:accessKey/device': 'missing',
  // Exists once the project is built.
  'GET /cli/slipway.mjs': 'unavailable',
};

/** Routes that identify no caller, not even by a revoked key. */
const asksNobody = new Set([
  ...[
    '/assets/:name',
    '/branding/:name',
    '/favicon.ico',
    '/robots.txt',
    '/cli/slipway.mjs',
    '/cli/install',
    '/dashboard',
    '/healthz',
    '/readyz',
  ],
  '/api/openapi.json',
  '/qr',
]);

/** Paths under a User belong to `olga`, but an app is always one of `crew`. */
const isUsers = (path: string) => path.startsWith('/users/:owner') && !path.includes('/apps/');

/** A link is part of the path, or no caller in the fixture has one. */
const holdersOf = (role: Role, { method, path, access }: Route): readonly Caller[] => {
  if (role === 'link holder' && !path.includes(':accessKey')) return [];
  if (isUsers(path) && ofUser[role]) return ofUser[role];
  const isAudited = method === 'GET' && (role === 'developer' || role === 'owner team');
  return isAudited && !access.hiddenFromAuditors
    ? [...holders[role], 'auditor', 'auditorKey']
    : holders[role];
};

/** Returns the callers with one of the roles of a route of `crew`. */
export const admittedCallers = (route: Route): Caller[] =>
  route.access.roles.flatMap((role) => holdersOf(role, route));

const credentialOf = (caller: Caller): Credential | null => {
  if ((persons as readonly Caller[]).includes(caller)) return 'session';
  return (keyHolders as readonly Caller[]).includes(caller) ? 'key' : null;
};

export type Outcome = 'in' | 'missing' | 'sign in' | 'no key' | 'forbidden' | 'expired form' | 'unavailable';

export const isForm = (route: Route) => carriesFormToken(route);

/** Returns the declared response for this caller, who sends a form with an invalid token. */
export function expectedOf(route: Route, caller: Caller): Outcome {
  const { path, access } = route;
  const isApi = path.startsWith('/api/');
  if (access.credentials.includes('SCIM token')) return 'no key';
  const credential = credentialOf(caller);
  // Only the link counts: the caller is not identified.
  const isLinkAlone = access.credentials.join() === 'link';
  if (caller === 'revokedKey' && !isLinkAlone && !asksNobody.has(path)) return 'no key';
  const isMadeUp = access.roles.join() === 'link holder' && !path.includes(':accessKey');
  if (isMadeUp) return 'missing';
  const admitted = admittedAs[`${route.method} ${path}`] ?? (isForm(route) ? 'expired form' : 'in');
  if (access.roles.includes('public') || isLinkAlone) return admitted;
  // The API ignores sessions.
  if (credential === null || (isApi && credential === 'session')) {
    if (access.roles.includes('link holder') && path.includes(':accessKey')) return admitted;
    return access.anonymous ?? (isApi ? 'no key' : 'sign in');
  }
  // Only administrators' keys have the scope, which is checked first.
  if (scopesOf(route).join() === 'admin' && caller !== 'administratorKey') return 'forbidden';
  if (access.usersOnly && (caller === 'projectKey' || caller === 'otherProjectKey')) return 'forbidden';
  const isAdmitted =
    access.credentials.includes(credential) &&
    access.roles.some((role) => holdersOf(role, route).includes(caller));
  if (isAdmitted) return admitted;
  // 400, which counts as permitted here.
  return access.others === 'invalid' ? 'in' : access.others;
}

function webhookIn(path: string, { names }: RouteCallers): string | undefined {
  if (isUsers(path)) return names.ownWebhook;
  return path.includes('/apps/') ? names.appWebhook : names.webhook;
}

function personIn(path: string, { names }: RouteCallers): string | undefined {
  if (path.includes('/workspaces/:workspace/people')) return 'hanna';
  if (path.startsWith('/api/v1/')) return 'tess';
  if (path.includes('/enterprises/:workspace/access/')) return names.workspaceMember;
  return /\/removal$|\/access\/:person$/.test(path) ? names.member : names.person;
}

/** Fills in every parameter; fails for an unknown one. */
export function ownerPath({ path }: Route, kit: RouteCallers): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const values: Record<string, string | undefined> = {
      owner: isUsers(path) ? 'olga' : 'crew',
      workspace: 'harbour',
      platform: 'android',
      package: kit.names.app,
      revision: '1',
      build: /\/(simulator|builds\/:build\/manifest)/.test(path) ? kit.names.iosBuild : kit.names.build,
      accessKey: path.includes('/device') ? kit.names.iosPage : kit.names.page,
      device: isUsers(path) ? kit.names.ownDevice : kit.names.device,
      webhook: webhookIn(path, kit),
      publisher: isUsers(path) ? kit.names.ownPublisher : kit.names.publisher,
      person: personIn(path, kit),
      group: isUsers(path) ? kit.names.ownGroup : kit.names.group,
      mail: kit.names.mail,
      job: 'made-up',
      delivery: deliveryOf(webhookIn(path, kit)),
      feedback: kit.names.feedback,
      symbols: kit.names.symbols,
      number: '1',
      key: 'made-up',
      session: 'made-up',
      passkey: 'made-up',
      invitation: 'made-up',
      token: 'made-up',
      name: path.startsWith('/branding/') ? '1-7a1fa2.css' : 'slipway.css',
      team: 'tester',
      code: 'BCDFGHJK',
      user: 'tess',
      outcome: 'made-up',
      logo: 'made-up',
      upload: 'made-up',
      check: 'play-target-api-36',
      id: 'made-up',
      type: 'User',
      schema: 'made-up',
      domain: 'example.com',
      mapping: 'made-up',
      claimed: 'made-up',
      rule: path.startsWith('/api/') ? 'play-page-size-updates' : 'added-1',
    };
    const value = values[name];
    if (!value) throw new Error(`no value for :${name} of ${path}`);
    return value;
  });
  if (path.endsWith('/compare')) return `${filled}?from=1&to=1`;
  return path.endsWith('/update')
    ? `${filled}?platform=android&package=${kit.names.app}&version_code=0`
    : filled;
}
