/** Registers declared routes with Fastify and sends their answers. The server accepts no other routes. */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../../core/errors.ts';
import { createHeldOpenBody, hasUnreadBody, sendContinue } from '../request-body.ts';
import { setCookies } from '../secure-cookies.ts';
import { isRefusal } from '../sending/access-watch.ts';
import { isStream, responseCoding } from '../sending/compress-responses.ts';
import { etagIn, etagOf, etagsOf, isKnownEtag } from '../sending/content-coding.ts';
import { sendBlob } from '../sending/send-blob.ts';
import {
  type Answer,
  asciiAddress,
  type BlobContentResponse,
  type EventsResponse,
  type HtmlResponse,
  redirect,
} from './answer.ts';
import { defineRoute, isDefined, type Proceed, type Route } from './route.ts';
import type { Access, Guards } from './route-facts.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for an address without a route. */
    declared: Route | null;
    /** The remaining steps, after the headers of the request have been checked. */
    proceed: Proceed | null;
    /** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10); null without a limit. */
    rateLimitHeaders: Readonly<Record<string, string>> | null;
  }
}

export interface RouteRegistration {
  routes: readonly Route[];
  guards: Guards;
  sendPage(reply: FastifyReply, page: HtmlResponse): FastifyReply;
  /** How long the body of a request that was answered early is discarded, in seconds. */
  refusedBodyDrainSeconds: number;
}

/** Returns all routes. Throws for contradictions in a declaration. */
export function registerRoutes(server: FastifyInstance, registration: RouteRegistration): RouteTable {
  const { routes, guards, refusedBodyDrainSeconds } = registration;
  const declared = Map.groupBy(routes, ({ method, path }) => `${method} ${path}`);
  const errors = routes.flatMap((route) => errorsOf(route, declared));
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const table = createRouteTable([...routes, ...redirectsOfForms(routes)]);
  const representations = new Map(
    routes.filter(({ method }) => method === 'GET').map((route) => [route.path, route]),
  );
  const begin = (route: Route, request: FastifyRequest, done: (error?: Error) => void) => {
    route.begin(request, guards).then((proceed) => {
      request.proceed = proceed;
      done();
    }, done);
  };
  server.decorateRequest('declared', null);
  server.decorateRequest('proceed', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const found = request.is404 ? null : table.find(request.method, request.url);
    request.declared = found?.route ?? null;
    request.params = found?.params ?? {};
    done();
  });
  server.route({
    method: server.supportedMethods,
    url: '*',
    onRequest: (request, _reply, done) => {
      const route = routeOf(request);
      if (awaitsKey(route, request)) return done();
      begin(route, request, done);
    },
    preHandler: (request, _reply, done) =>
      request.proceed ? done() : begin(routeOf(request), request, done),
    // Calls back, because a promise of the reply would wait until it is sent.
    handler: (request, reply) => {
      const route = routeOf(request);
      const proceed = () => request.proceed?.(reply, () => sendContinue(request, reply));
      const run = async () =>
        route.rateLimitExempt === true ? proceed() : guards.refundUnserved(async () => proceed());
      const answered = isChange(route)
        ? changeIfMatching(representations.get(route.path), guards, request, reply, run)
        : run();
      answered
        .then((answer) => answer && send(registration, request, reply, answer))
        .catch((error: unknown) => sendFailure(request, reply, error));
    },
    // A client that is still sending would miss an answer that ends the connection.
    onSend: (request, reply, payload, done) => {
      const { declared } = request;
      if (!declared) return done(null, payload);
      if (declared.answerHeaders) reply.headers(declared.answerHeaders);
      if (declared.operationId !== undefined) reply.headers(request.rateLimitHeaders ?? {});
      const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
      if (request.method === 'HEAD') return done(null, omitBody(reply, payload));
      if (!isText || !hasUnreadBody(request.raw)) return done(null, payload);
      reply.header('Content-Length', Buffer.byteLength(payload));
      done(null, createHeldOpenBody(payload, request.raw, refusedBodyDrainSeconds));
    },
  });
  server.addHook('onRoute', ({ method, url }) => {
    throw new Error(`${method} ${url} is not declared`);
  });
  return table;
}

/** Throws `NotFound` for an address without a route. */
function routeOf({ declared }: FastifyRequest): Route {
  if (!declared) throw new NotFound();
  return declared;
}

/** Returns contradictions that types cannot express. */
function errorsOf(route: Route, declared: ReadonlyMap<string, readonly Route[]>): string[] {
  const { method, path, access, form, page } = route;
  const { credentials } = access;
  const isPage = (one: string) => declared.has(`GET ${one}`);
  const isDeclaredTwice = (declared.get(`${method} ${path}`)?.length ?? 0) > 1;
  const acceptsKeys = credentials.includes('key') || credentials.includes('key in form');
  const errors: [boolean, string][] = [
    [!isDefined(route), 'was not made by defineRoute'],
    [
      method === 'POST' && !form && !route.json && !route.streamedBody,
      'has neither a form nor a JSON body nor a streamed body',
    ],
    [
      route.looseForm !== undefined && (form === undefined || credentials.some((one) => one !== 'key')),
      'has a loose form but no form, or admits others than keys',
    ],
    [method === 'GET' && (form ?? route.json) !== undefined, 'has a body but is a GET'],
    [route.json !== undefined && route.operationId === undefined, 'has a JSON body but is no operation'],
    [route.operationId !== undefined && form !== undefined, 'is an operation with a form'],
    [isChange(route) && !isPage(path), 'changes a resource that GET does not show, which If-Match needs'],
    [isOperationPath(path) !== (route.operationId !== undefined), 'is an operation exactly under /api/v1'],
    [
      form !== undefined && route.reauthentication === undefined,
      'does not say whether it requires re-authentication',
    ],
    [
      route.reauthentication === true && credentials.join() !== 'session',
      'requires re-authentication of callers who have no session',
    ],
    [
      !form && route.reauthentication !== undefined && !route.confirmation,
      'has a rule for forms but no form',
    ],
    [
      route.streamedBody !== undefined && route.reauthentication === true && !route.confirmation,
      'cannot be sent again after re-authentication',
    ],
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

/** Returns no reply: waiting for one waits until it is sent. */
function send(
  { sendPage, guards }: RouteRegistration,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<void> | undefined {
  const status = answer.status ?? request.declared?.status;
  if (status !== undefined) reply.code(status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.cookies) setCookies(reply, answer.cookies);
  switch (answer.kind) {
    case 'html':
      sendPage(reply, answer);
      return;
    case 'redirect':
      reply.header('Location', asciiAddress(answer.location)).code(answer.status ?? 303);
      reply.send('');
      return;
    case 'json': {
      const text = JSON.stringify(answer.value);
      reply.type('application/json; charset=utf-8');
      if (request.declared?.operationId === undefined) reply.send(text);
      else sendRepresentation(request, reply, text);
      return;
    }
    case 'content':
      reply.type(answer.contentType).send(answer.body);
      return;
    case 'blob':
      watchBlob(guards, request, reply, answer);
      return sendBlob(request, reply, answer.blob);
    case 'events':
      return sendEvents(request, reply, answer);
    case 'empty':
      reply.send();
      return;
  }
}

/** Ends the connection of a client that may not receive the rest. Bytes that the system has accepted can still arrive. */
function watchBlob(
  { watchAccess }: Guards,
  request: FastifyRequest,
  { raw }: FastifyReply,
  { reauthorize }: BlobContentResponse,
): void {
  if (!reauthorize) return;
  const refuse = (error: unknown) => {
    if (!isRefusal(error)) return;
    request.log.info(`request ${request.id} was cut off: its caller may not receive the rest`);
    raw.socket?.resetAndDestroy();
  };
  raw.once('close', watchAccess({ reauthorize, refuse }));
}

/** A HEAD request gets the length of what GET would answer; of a stream, its own Content-Length. */
function omitBody(reply: FastifyReply, payload: unknown): null {
  if (isStream(payload)) payload.on('error', () => undefined).resume();
  else reply.header('Content-Length', Buffer.byteLength((payload ?? '') as string | Uint8Array));
  return null;
}

function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  if (reply.sent) request.log.error({ err: error }, `request ${request.id} failed after its response began`);
  else reply.send(error);
}

/** Whether the key, if there is one, can only be in the body. */
const awaitsKey = ({ looseForm }: Route, { headers, query }: FastifyRequest) =>
  looseForm === true && headers.authorization === undefined && !Object.hasOwn(query as object, 'token');
const isOperationPath = (path: string) => path.startsWith('/api/v1/');
const isChange = ({ method, operationId }: Route) =>
  operationId !== undefined && !['GET', 'POST', 'OPTIONS'].includes(method);

/** Sends JSON with its ETag, or 304 (RFC 9110, section 13.1.2). */
function sendRepresentation(request: FastifyRequest, reply: FastifyReply, text: string) {
  if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'private, no-cache');
  if (request.method === 'POST') return reply.send(text);
  const etag = etagOf(text);
  reply.header('ETag', etagIn(responseCoding(request, reply, Buffer.byteLength(text)), etag));
  const isKnown = request.method === 'GET' && isKnownEtag(request.headers['if-none-match'], etag);
  return isKnown ? reply.code(304).send() : reply.send(text);
}

/**
 * Compares `If-Match` with the ETag of the representation at the same address, and then runs the change. Only one of several such
 * changes of a resource matches the ETag. A change without `If-Match` that happens between the comparison and this change is not
 * noticed. Throws `precondition_failed`.
 */
async function changeIfMatching(
  representation: Route | undefined,
  guards: Guards,
  request: FastifyRequest,
  reply: FastifyReply,
  change: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const expected = request.headers['if-match'];
  if (expected === undefined || !representation) return change();
  const find = async () => {
    const get: FastifyRequest = Object.create(request, { method: { value: 'GET' }, query: { value: {} } });
    const proceed = await representation.begin(get, guards);
    return proceed(reply, () => undefined);
  };
  if (expected.trim() === '*') {
    await find();
    return change();
  }
  return guards.exclusively(resourceOf(representation, request), async () => {
    const current = await find();
    const tags = expected.split(',').map((tag) => tag.trim());
    const known = current.kind === 'json' ? etagsOf(etagOf(JSON.stringify(current.value))) : [];
    if (known.some((etag) => tags.includes(etag))) return change();
    throw new AppError('precondition_failed', 'the resource has changed since its ETag was read');
  });
}

/** Lower case, because owners are found in any case. */
const resourceOf = ({ path }: Route, { params }: FastifyRequest) =>
  hash('sha256', JSON.stringify([path, params]).toLowerCase());

async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: EventsResponse,
): Promise<void> {
  const body = request.method === 'HEAD' ? null : await answer.open();
  reply
    .type('text/event-stream; charset=utf-8')
    // nginx would otherwise buffer events.
    .headers({ 'Cache-Control': 'private, no-store', 'X-Accel-Buffering': 'no' });
  if (body) request.releaseCapacity?.();
  reply.send(body ?? '');
}

/** Redirects a GET of a form's path (after a reload or from a bookmark) to the page that contains the form. */
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

/** These routes do not identify the caller. */
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
