/** Registers declared routes with Fastify and sends their answers. The server accepts no other routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHeldOpenBody, hasUnreadBody, sendContinue } from '../request-body.ts';
import { setCookies } from '../secure-cookies.ts';
import { sendBlob } from '../sending/send-blob.ts';
import { type Answer, type EventsResponse, redirect } from './answer.ts';
import { type Access, defineRoute, type Guards, isDefined, type Proceed, type Route } from './route.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    declared?: Route;
  }
  interface FastifyRequest {
    /** The remaining steps once the head of the request has been checked. */
    proceed: Proceed | null;
  }
}

export interface RouteRegistration {
  routes: readonly Route[];
  guards: Guards;
  sendPage(reply: FastifyReply, html: string): FastifyReply | Promise<FastifyReply>;
  /** How long to discard the body of a request that was answered early, in seconds. */
  refusedBodyDrainSeconds: number;
}

/** Throws for a declaration that contradicts itself. */
export function registerRoutes(server: FastifyInstance, registration: RouteRegistration): void {
  const { routes, guards, refusedBodyDrainSeconds } = registration;
  const errors = routes.flatMap((route) => errorsOf(route, routes));
  if (errors.length > 0) throw new Error(errors.join('\n'));
  server.decorateRequest('proceed', null);
  for (const route of [...routes, ...redirectsOfForms(routes)]) {
    server.route({
      method: route.method,
      url: route.path,
      ...(route.maxBodyBytes === undefined ? {} : { bodyLimit: route.maxBodyBytes }),
      config: {
        declared: route,
        readsBody: route.streamedBody !== undefined,
        rateLimitExempt: route.rateLimitExempt ?? false,
        eventStream: route.eventStream ?? false,
      },
      onRequest: async (request) => {
        request.proceed = await route.begin(request, guards);
      },
      handler: async (request, reply) => {
        const answer = await request.proceed?.(reply, () => sendContinue(request, reply));
        return answer && send(registration, request, reply, answer);
      },
      // A client that is still sending would miss an answer that ends the connection.
      onSend: async (request, reply, payload) => {
        const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
        if (!isText || !hasUnreadBody(request.raw)) return payload;
        reply.header('Content-Length', Buffer.byteLength(payload));
        return createHeldOpenBody(payload, request.raw, refusedBodyDrainSeconds);
      },
    });
  }
}

/** Returns the contradictions that types cannot express. */
function errorsOf(route: Route, all: readonly Route[]): string[] {
  const { method, path, access, form, page } = route;
  const { credentials } = access;
  const isPage = (one: string) => all.some((other) => other.method === 'GET' && other.path === one);
  const isDeclaredTwice = all.filter((other) => other.method === method && other.path === path).length > 1;
  const acceptsKeys = credentials.includes('key') || credentials.includes('key in form');
  const errors: [boolean, string][] = [
    [!isDefined(route), 'was not made by defineRoute'],
    [method === 'POST' && !form && !route.streamedBody, 'has neither a form nor a streamed body'],
    [method === 'GET' && form !== undefined, 'has a form but is a GET'],
    [
      form !== undefined && route.reauthentication === undefined,
      'does not say whether it requires re-authentication',
    ],
    [
      route.reauthentication === true && credentials.join() !== 'session',
      'requires re-authentication of callers who have no session',
    ],
    [!form && route.reauthentication !== undefined, 'has a rule for forms but no form'],
    [route.streamedBody !== undefined && route.rateLimit !== undefined, 'counts a body before it is read'],
    [
      route.rateLimit?.per === 'caller' && access.roles.includes('public'),
      'is limited per caller but allows anonymous callers',
    ],
    [acceptsKeys && route.keyScope === undefined, 'accepts keys but declares no scope'],
    [access.roles.length === 0, 'names no role'],
    [!access.roles.includes('public') && credentials.length === 0, 'names no credential'],
    [form !== undefined && credentials.includes('session') && page === undefined, 'names no page'],
    [page !== undefined && !isPage(page), `names ${page}, which is not a page`],
    [isDeclaredTwice, 'is declared twice'],
  ];
  return errors.filter(([isProblem]) => isProblem).map(([, problem]) => `${method} ${path} ${problem}`);
}

async function send(
  { sendPage }: RouteRegistration,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
) {
  if (answer.status !== undefined) reply.code(answer.status);
  reply.headers(answer.headers ?? {});
  setCookies(reply, answer.cookies ?? []);
  switch (answer.kind) {
    case 'html':
      return sendPage(reply, answer.html);
    case 'redirect':
      reply.header('Location', answer.location).code(answer.status ?? 303);
      return reply.send('');
    case 'json':
      reply.type('application/json; charset=utf-8');
      return reply.send(JSON.stringify(answer.value));
    case 'content':
      return reply.type(answer.contentType).send(answer.body);
    case 'blob':
      return sendBlob(request, reply, answer.blob);
    case 'events':
      return sendEvents(request, reply, answer);
    case 'empty':
      return reply.send();
  }
}

async function sendEvents(request: FastifyRequest, reply: FastifyReply, answer: EventsResponse) {
  const body = request.method === 'HEAD' ? null : await answer.open();
  reply
    .type('text/event-stream; charset=utf-8')
    // nginx would collect events in its buffers.
    .headers({ 'Cache-Control': 'private, no-store', 'X-Accel-Buffering': 'no' });
  if (body) request.releaseCapacity?.();
  return reply.send(body ?? '');
}

/** Redirects a GET of a form's path (a reload or a bookmark) to the page that contains the form. */
function redirectsOfForms(routes: readonly Route[]): Route[] {
  const pages = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
  return routes.flatMap((form) => {
    const { page } = form;
    if (page === undefined || pages.has(form.path)) return [];
    pages.add(form.path);
    return defineRoute({
      method: 'GET',
      path: form.path,
      summary: `Redirect to ${page}`,
      access: everyone,
      handle: async ({ params }) => redirect(fillPath(page, params)),
    });
  });
}

/** Anonymous: these routes identify no caller. */
const everyone: Access<unknown, null, null> = {
  roles: ['public'],
  credentials: [],
  others: 'missing',
  identify: async () => null,
  authorize: async () => null,
};

/** Fills the parameters of a request into a path. */
export function fillPath(path: string, params: unknown): string {
  const known = params as Readonly<Record<string, string>>;
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(known[name] ?? ''));
}
