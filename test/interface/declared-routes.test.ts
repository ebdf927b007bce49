/** Every declared route, called as every kind of caller: the declaration states the expected response. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { scopesOf } from '../../src/http/routes/route-checks.ts';
import { expectedOf, isForm, type Outcome, ownerPath } from '../support/declared-routes.ts';
import type { Answer } from '../support/http-client.ts';
import {
  type Caller,
  callers,
  persons,
  type RouteCallers,
  type RouteForm,
  startCallers,
} from '../support/route-callers.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

function outcomeOf({ status, headers, text }: Answer): Outcome | number {
  if (status === 303 && headers.location?.startsWith('/sign-in')) return 'sign in';
  if (status === 403 && /the form has expired/i.test(text)) return 'expired form';
  const known: Record<number, Outcome> = {
    404: 'missing',
    401: 'no key',
    403: 'forbidden',
    503: 'unavailable',
  };
  return known[status] ?? (status < 400 || [400, 409, 412].includes(status) ? 'in' : status);
}

describe('declared routes', { timeout: 400_000 }, async () => {
  const clock = { offsetMs: 0 };
  let slipway: TestService;
  let kit: RouteCallers;
  beforeAll(async () => {
    // Each route is called once with a revoked key.
    const limits = { wrongKeysPerHour: 10_000 };
    slipway = await startTestService({ blobs: 'memory', limits, now: () => Date.now() + clock.offsetMs });
    kit = await startCallers(slipway);
  });
  afterAll(() => slipway.close());

  const formOf = ({ method, access, operationId, streamedBody, looseForm }: Route): RouteForm | null => {
    if (method === 'GET') return null;
    if (access.credentials.includes('SCIM token'))
      return { fields: {}, multipart: false, operation: method, hasBody: method !== 'DELETE' };
    if ((operationId !== undefined && (!streamedBody || method !== 'POST')) || looseForm)
      return {
        fields: {},
        multipart: false,
        operation: method,
        hasBody: looseForm !== undefined || method !== 'DELETE',
      };
    return streamedBody ? { fields: { message: 'x' }, multipart: true } : { fields: {}, multipart: false };
  };

  /**
   * Routes with the same rule in one area share its code: all callers call the first one, and in `npm test` take turns at the others,
   * and at those that admit everyone.
   */
  const createCallersOf = () => {
    const turns = new Map<string, number>();
    return (route: Route): readonly Caller[] => {
      const { access, path } = route;
      const rule = `${JSON.stringify(access)} ${path.split('/', 2).join('/')} ${path.includes('/apps/')}`;
      const turn = turns.get(rule);
      turns.set(rule, (turn ?? 0) + 1);
      const isOpen = callers.every((caller) => expectedOf(route, caller) === 'in');
      if (runsEverything || (turn === undefined && !isOpen)) return callers;
      return callers.filter((_, at) => at % 8 === (turn ?? 0) % 8);
    };
  };

  it('admit exactly the declared callers, and no form without its token', async () => {
    const wrong: unknown[] = [];
    const callersOf = createCallersOf();
    for (const route of slipway.service.declared) {
      for (const caller of callersOf(route)) {
        const csrf = isForm(route) ? 'made up' : undefined;
        const seen = outcomeOf(await kit.call(caller, ownerPath(route, kit), formOf(route), csrf));
        const expected = expectedOf(route, caller);
        if (seen !== expected) wrong.push([route.method, route.path, caller, { expected, seen }]);
        if (expected !== 'expired form' || !(runsEverything || caller === 'owner')) continue;
        const withoutToken = outcomeOf(await kit.call(caller, ownerPath(route, kit), formOf(route), ''));
        if (withoutToken !== expected) wrong.push([route.method, route.path, caller, { withoutToken }]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('let a key call exactly the routes of its scopes', async () => {
    const issueKey = createIssueKey({ data: slipway.data, now: Date.now });
    const wrong: unknown[] = [];
    const keyed = slipway.service.declared.filter(({ keyScope }) => keyScope !== undefined);
    expect(keyed.length).toBeGreaterThan(25);
    for (const scope of ['upload', 'read', 'manage'] as const) {
      const { key } = await issueKey({
        ownerName: 'dev',
        ownerKind: 'user',
        name: scope,
        expiresAt: null,
        by: 'command-line',
        scopes: [scope],
      });
      for (const route of keyed) {
        const permitted = scopesOf(route).some(
          (one) => (scope === 'manage' && one !== 'admin') || one === scope,
        );
        const isOpen = route.access.roles.every((role) => role === 'public' || role === 'link holder');
        const refused = isOpen ? expectedOf(route, 'nobody') : 'forbidden';
        const expected = permitted ? expectedOf(route, 'developerKey') : refused;
        const path = ownerPath(route, kit);
        const seen = outcomeOf(await kit.callWithKey(key, path, formOf(route)));
        if (seen !== expected) wrong.push([route.method, route.path, scope, { expected, seen }]);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('require a proof of identity where declared, ten minutes after the last one', async () => {
    const protectedRoutes = slipway.service.declared.filter(({ reauthentication }) => reauthentication);
    expect(protectedRoutes.map(({ path }) => path).sort()).toEqual([...protectedPaths].sort());
    clock.offsetMs = 10 * 60_000;
    for (const route of protectedRoutes) {
      for (const caller of persons) {
        if (expectedOf(route, caller) !== 'expired form') continue;
        const answer = await kit.call(caller, ownerPath(route, kit), formOf(route));
        expect([route.path, caller, answer.status]).toEqual([route.path, caller, 403]);
        expect(answer.text).toContain('name="proof"');
      }
    }
  });
});

describe('declared forms', { timeout: 120_000 }, () => {
  let slipway: TestService;
  let kit: RouteCallers;
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory' });
    kit = await startCallers(slipway);
  });
  afterAll(() => slipway.close());

  it('answer whatever the fields of a form contain', async () => {
    const answered: string[] = [];
    const rare = ['', '-1', '1e309', '\u202e'];
    const texts = [
      'x'.repeat(60_000),
      '99999999999999999999',
      '__proto__',
      'a\r\nX: 1',
      ...(runsEverything ? rare : []),
    ];
    const forms = slipway.service.declared.filter((route) => isForm(route) && route.form);
    // Routes that end sessions or delete the objects of other routes come last.
    const isEnd = ({ path }: Route) => /sign-out|sessions|password|delete|remove|revoke|leave|end/.test(path);
    const ordered = [...forms.filter((one) => !isEnd(one)), ...forms.filter(isEnd)];
    for (const [turn, route] of ordered.entries()) {
      const caller = persons.find((person) => expectedOf(route, person) === 'expired form');
      if (!caller) continue;
      // In `npm test`, forms take turns at the texts.
      for (const text of texts.filter((_, at) => runsEverything || at % 2 === turn % 2)) {
        const fields = Object.fromEntries(Object.keys(route.form ?? {}).map((name) => [name, text]));
        const { status, headers } = await kit.call(caller, ownerPath(route, kit), {
          fields,
          multipart: false,
        });
        const isAnswer =
          status === 303 || /^text\/html|^application\/(json|x-pkcs12)/.test(headers['content-type'] ?? '');
        if (status >= 500 || !isAnswer) answered.push(`${status} ${route.path} ${text.slice(0, 20)}`);
        if (Object.keys(fields).length === 0) break;
      }
    }
    expect(answered).toEqual([]);
  });
});

/** Everything that grants lasting access or destroys data, listed independently of the declarations. */
const protectedPaths = [
  '/settings/keys/create',
  '/device/approve',
  '/cli/login/approve',
  '/organizations/:owner/keys/create',
  '/users/:owner/ci/create-key',
  '/users/:owner/ci/trust-repository',
  '/settings/keys/:key/rotate',
  '/organizations/:owner/keys/:key/rotate',
  '/users/:owner/platforms/:platform/apps/:package/delete',
  '/organizations/:owner/delete',
  '/users/:owner/delete',
  '/enterprises/:workspace/delete',
  '/enterprises/:workspace/policies/save',
  '/sign-in/sso/confirm/link',
  '/saml/confirm/link',
  '/enterprises/:workspace/saml/confirm/link',
  '/enterprises/:workspace/single-sign-on/save',
  '/enterprises/:workspace/single-sign-on/remove',
  '/enterprises/:workspace/single-sign-on/requirement/turn-on',
  '/enterprises/:workspace/single-sign-on/requirement/turn-off',
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
  '/administration/people/:person/disable',
  '/administration/invitations/create',
  '/organizations/:owner/invitations/create',
  '/organizations/:owner/invite-links/create',
  '/users/:owner/platforms/:platform/apps/:package/people/invite-links/create',
  '/organizations/:owner/people/add',
  '/organizations/:owner/people/:person/save',
  '/enterprises/:workspace/people/add',
  '/enterprises/:workspace/people/:person/save',
  '/enterprises/:workspace/provisioning/tokens/create',
  '/enterprises/:workspace/provisioning/domains/assign',
  '/enterprises/:workspace/provisioning/groups/assign',
  '/enterprises/:workspace/provisioning/mappings/add',
  '/enterprises/:workspace/access/:person/revoke',
  '/users/:owner/platforms/:platform/apps/:package/people/add',
  ...['/organizations/:owner', '/users/:owner'].flatMap((owner) =>
    [
      ...['confirm', 'export', 'import', 'rotate'].map((action) => `signing-keys/${action}`),
      ...['require', 'create', ':publisher/save', ':publisher/reset-pins'].map(
        (action) => `trusted-publishing/${action}`,
      ),
    ].map((path) => `${owner}/settings/${path}`),
  ),
  '/users/:owner/platforms/:platform/apps/:package/developer-verification/proof',
  '/users/:owner/platforms/:platform/apps/:package/require-trusted',
  ...[
    '/users/:owner/platforms/:platform/apps/:package/hooks',
    '/organizations/:owner/hooks',
    '/users/:owner/hooks',
  ].flatMap((webhooks) => [
    `${webhooks}/create`,
    `${webhooks}/:webhook/save`,
    `${webhooks}/:webhook/rotate-secret`,
  ]),
];
