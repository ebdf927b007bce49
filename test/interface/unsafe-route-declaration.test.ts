import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { sendError } from '../../src/http/error-response.ts';
import { html, redirect } from '../../src/http/routes/answer.ts';
import type { StreamedBody } from '../../src/http/routes/client.ts';
import { registerRoutes } from '../../src/http/routes/register-routes.ts';
import { defineRoute, type Route } from '../../src/http/routes/route.ts';
import type { Guards } from '../../src/http/routes/route-facts.ts';

const everyone = {
  roles: ['public' as const],
  credentials: [],
  others: 'missing' as const,
  identify: async () => null,
  authorize: async () => null,
};
const forPeople = { ...everyone, roles: ['signed in' as const], credentials: ['session' as const] };
const base = { path: '/x', summary: '', handle: async () => html('') } as const;

const register = (...routes: Route[]) =>
  registerRoutes(Fastify(), {
    routes,
    guards: { refundUnserved: (run: () => unknown) => run() } as never,
    refusedBodyDrainSeconds: 1,
    sendPage: (reply) => reply,
  });

it('route registration refuses declarations that leave a rule open', () => {
  const post = { ...base, method: 'POST', access: forPeople } as const;
  const page = defineRoute({ ...base, method: 'GET', access: forPeople });
  expect(() => register(defineRoute(post))).toThrow('has neither a form nor a JSON body nor a streamed body');
  expect(() => register(defineRoute({ ...post, form: {} }))).toThrow('re-authentication');
  expect(() => register(defineRoute({ ...post, form: {}, reauthentication: true }))).toThrow('names no page');
  expect(() => register(defineRoute({ ...post, page: '/y', form: {}, reauthentication: true }))).toThrow(
    'names /y, which is not a page',
  );
  const open = { ...post, access: everyone, form: {}, reauthentication: true };
  expect(() => register(defineRoute(open))).toThrow('callers who have no session');
  const byKey = { ...base, method: 'GET', access: { ...forPeople, credentials: ['key'] } } as const;
  expect(() => register(defineRoute(byKey))).toThrow('accepts keys but declares no scope');
  expect(() => register(page, page)).toThrow('is declared twice');
  const operation = { ...base, path: '/api/v1/x', access: everyone, operationId: 'x' } as const;
  expect(() => register(defineRoute({ ...operation, method: 'PUT', json: {} }))).toThrow(
    'changes a resource that GET does not show',
  );
  expect(() => register(defineRoute({ ...operation, method: 'GET', path: '/x' }))).toThrow(
    'is an operation exactly under /api/v1',
  );
  const handMade = { ...base, method: 'GET', access: everyone, begin: async () => async () => html('') };
  expect(() => register(handMade as unknown as Route)).toThrow('was not made by defineRoute');
  expect(() => register(page)).not.toThrow();
});

it('a key without the scope is treated as anonymous where anonymous callers are allowed, and is refused elsewhere', async () => {
  const byKey = { identify: async () => ({ sessionToken: null, keyScopes: ['upload' as const] }) };
  const get = { ...base, method: 'GET', keyScope: 'read' } as const;
  const server = Fastify();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  registerRoutes(server, {
    guards: { refundUnserved: (run: () => unknown) => run() } as never,
    refusedBodyDrainSeconds: 1,
    sendPage: (reply, { html }) => reply.send(html()),
    routes: [
      defineRoute({
        ...get,
        path: '/open',
        access: { ...everyone, ...byKey, authorize: async (caller) => caller },
        handle: async ({ caller, subject }) => html(`${caller} ${subject}`),
      }),
      defineRoute({ ...get, path: '/closed', access: { ...forPeople, ...byKey, credentials: ['key'] } }),
    ],
  });
  expect((await server.inject('/open')).body).toBe('null null');
  expect((await server.inject('/closed')).body).toContain('the key does not have the scope read');
});

it.each([
  ['has not checked the form token of its body', undefined, async () => undefined],
  [
    'has not counted its body',
    { name: 'uploads', limit: 1, windowMs: 1000, per: 'network', refusal: 'requests' } as const,
    async (body: StreamedBody) => body.checkFormToken(''),
  ],
  ['counts a body before its form token', undefined, async (body: StreamedBody) => body.admit()],
])('a streamed body fails if its handler %s', async (problem, rateLimit, read) => {
  const server = Fastify();
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  const upload = defineRoute({
    ...base,
    method: 'POST',
    path: '/upload',
    access: everyone,
    streamedBody: { describes: {} },
    ...(rateLimit ? { rateLimit } : {}),
    handle: async ({ body }) => {
      await read(body);
      return base.handle();
    },
  });
  const guards = {
    refundUnserved: (run: () => unknown) => run(),
    checkFormOrigin: () => undefined,
    checkFormToken: () => undefined,
    originOf: () => 'http://test',
  } as unknown as Guards;
  registerRoutes(server, {
    routes: [upload],
    guards,
    refusedBodyDrainSeconds: 1,
    sendPage: (reply) => reply,
  });
  const answer = await server.inject({
    method: 'POST',
    url: '/upload',
    payload: 'x=y',
    headers: { 'content-type': 'multipart/form-data' },
  });
  expect([answer.statusCode, answer.json().message]).toEqual([500, `/upload ${problem}`]);
});

it('an answer with a header that cannot be sent is an error in the documented shape', async () => {
  const answers = {
    header: html('', { headers: { 'X-Text': '\u65e5\u672c' } }),
    redirect: redirect('/\u65e5\u672c\nX: y?q=a b&c=%20'),
  };
  const server = Fastify();
  const errors = {
    refusedBodyDrainSeconds: 1,
    defaultHeaders: {},
    refusalOf: () => null,
    renderRefusalAt: () => undefined,
  };
  server.setErrorHandler((error, request, reply) =>
    sendError({ ...errors, pagePolicy: '', renderErrorPage: async () => '' }, error, request, reply),
  );
  registerRoutes(server, {
    guards: { refundUnserved: (run: () => unknown) => run() } as never,
    refusedBodyDrainSeconds: 1,
    sendPage: (reply, { html }) => reply.send(html()),
    routes: (['header', 'redirect'] as const).map((name) =>
      defineRoute({
        ...base,
        method: 'GET',
        path: `/${name}`,
        access: everyone,
        handle: async () => answers[name],
      }),
    ),
  });
  const refused = await server.inject('/header');
  expect(refused.headers['x-text']).toBeUndefined();
  expect([refused.statusCode, refused.json()]).toEqual([
    500,
    expect.objectContaining({ error: true, error_type: expect.any(String) }),
  ]);
  const { statusCode, headers } = await server.inject('/redirect');
  expect([statusCode, headers.location]).toEqual([303, '/%E6%97%A5%E6%9C%AC%0AX:%20y?q=a%20b&c=%20']);
  await server.close();
});
