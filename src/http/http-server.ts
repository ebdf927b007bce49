/** The HTTP machinery: limits, headers, one shape for every refusal. Knows no feature; route modules bring those. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import cookie from '@fastify/cookie';
import formBody from '@fastify/formbody';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { AppError, invalid, NotFound } from '../errors.ts';
import { isApiAddress } from './api-address.ts';
import { defectBody, errorBody, renderingOf } from './error-reply.ts';
import { closeQuietSockets } from './quiet-sockets.ts';
import { awaitsContinue, bodyHeldOpen, hasUnreadBody, sendContinue } from './request-body.ts';
import { createRequestIds, requestIdHeader } from './request-ids.ts';
import { followRequest, type ObserveRequest } from './request-log.ts';
import { SignInRequired } from './routes/guard-errors.ts';
import { fillPath, type RouteRegistration, registerRoutes } from './routes/register-routes.ts';
import type { Route } from './routes/route.ts';
import { pagePolicy } from './security-headers.ts';

export type Server = FastifyInstance;
export type RouteModule = (server: Server) => void | Promise<void>;

export interface HttpServerParts {
  logger: FastifyBaseLogger;
  trustedProxies: readonly string[];
  /** What every answer begins with, see `firstHeaders`. */
  firstHeaders: Readonly<Record<string, string>>;
  refusedBodyDrainSeconds: number;
  /** Throws `unauthenticated` under /api unless the request carries a good key; asked before an unknown address is 404. */
  checkKnown(request: FastifyRequest): Promise<void>;
  /** Throws `too_many` for a request that is one too many of its caller; asked of all but those that do not count. */
  admit(request: FastifyRequest): void;
  /** Told of every request when its answer is out. */
  observeRequest: ObserveRequest;
  /** What an error that is no refusal may be told as; null: it is a defect. */
  refusalOf(error: unknown): AppError | null;
  /** An error as a page, for people. */
  renderErrorPage(request: FastifyRequest, refusal: ShownRefusal): Promise<string>;
  /** Declared routes, and modules that have not been declared yet. */
  routes: readonly (RouteModule | readonly Route[])[];
  guards: RouteRegistration['guards'];
  sendPage: RouteRegistration['sendPage'];
}

export interface ShownRefusal {
  /** Null where it was no `AppError`. */
  error: AppError | null;
  status: number;
  message: string;
  /** When it is worth asking again; null where nobody can say. */
  retryAfterSeconds: number | null;
}

const maxFormBytes = 64 * 1024;
const maxAddressSegmentLength = 1024;
const headersTimeoutMs = 60_000;
const keepAliveTimeoutMs = 65_000;
const shortBodyTimeoutMs = 60_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself and says when the client may send it. */
    readsBody?: boolean;
    /** Costs next to nothing: no limit on requests counts it. */
    uncounted?: boolean;
  }
}

/** One method at one path. */
interface MethodAndPath {
  method: string;
  address: string;
}

/** Returns the server, every method and path that it answers, and the declarations among them. */
export async function createHttpServer(
  parts: HttpServerParts,
): Promise<{ server: Server; routes: MethodAndPath[]; declared: readonly Route[] }> {
  const server = Fastify({
    loggerInstance: parts.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    genReqId: createRequestIds(parts.trustedProxies),
    trustProxy: parts.trustedProxies.length > 0 ? [...parts.trustedProxies] : false,
    bodyLimit: maxFormBytes,
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxAddressSegmentLength },
    serverFactory: createNodeServer,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      void refuseUnroutable(
        parts,
        error.code,
        request as unknown as FastifyRequest,
        reply as unknown as FastifyReply,
      );
    },
  }) as unknown as Server;
  await server.register(cookie);
  await server.register(formBody, { bodyLimit: maxFormBytes });
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('*', (_request, _payload, done) => done(null));
  closeQuietSockets(server);
  addRequestHooks(server, parts);
  addErrorHandlers(server, parts);
  server.decorateRequest('continueSent', false);
  const modules = parts.routes.filter((routes): routes is RouteModule => typeof routes === 'function');
  const declared = parts.routes.flatMap((routes) => (typeof routes === 'function' ? [] : routes));
  server.decorate('declaredRoutes', declared);
  const methods = collectMethods(server);
  for (const routes of modules) await server.register(async (scope) => routes(scope));
  await server.register(async (scope) => registerRoutes(scope as Server, { ...parts, routes: declared }));
  const routes = [...methods].flatMap(([address, known]) =>
    [...known].map((method) => ({ method, address })),
  );
  server.after(() => refuseOtherMethods(server, methods));
  return { server, routes, declared };
}

function createNodeServer(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const node = createServer({
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  node.on('request', handler);
  node.on('checkContinue', handler);
  node.on('checkExpectation', handler);
  return node;
}

function addRequestHooks(server: Server, parts: HttpServerParts) {
  server.addHook('onRequest', async (request, reply) => {
    welcome(parts, request, reply);
    if (!request.routeOptions.config?.uncounted) parts.admit(request);
    // Nothing has a name with a zero in it, and PostgreSQL would fail to look for one.
    if (Object.values(request.params ?? {}).some((value) => String(value).includes('\0'))) {
      await parts.checkKnown(request);
      throw new NotFound();
    }
  });
  server.addHook('preParsing', async (request, reply) => {
    if (request.routeOptions.config?.readsBody) return;
    sendContinue(request, reply);
    if (request.raw.complete) return;
    const deadline = setTimeout(() => request.raw.destroy(), shortBodyTimeoutMs);
    request.raw.once('close', () => clearTimeout(deadline)).once('end', () => clearTimeout(deadline));
  });
}

/** What every request gets, whatever comes of it. */
function welcome(parts: HttpServerParts, request: FastifyRequest, reply: FastifyReply): void {
  followRequest(request, reply, parts.observeRequest);
  reply.headers(parts.firstHeaders).header(requestIdHeader, request.id);
}

function addErrorHandlers(server: Server, parts: HttpServerParts) {
  server.setErrorHandler(async (error, request, reply) => refuse(parts, error, request, reply));
  server.setNotFoundHandler(async (request) => {
    await parts.checkKnown(request);
    throw new NotFound();
  });
}

/** An address that no route could be looked up for: too long, or wrongly encoded. Comes before every hook. */
async function refuseUnroutable(
  parts: HttpServerParts,
  code: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const tooLong = code === 'FST_ERR_MAX_PARAM_LENGTH';
  const fault = tooLong ? new NotFound() : invalid('the address is wrongly encoded');
  welcome(parts, request, reply);
  // No hook has read them.
  request.cookies = request.server.parseCookie(request.headers.cookie ?? '');
  const known = await judgeUnroutable(parts, request).catch((error: unknown) => error);
  await refuse(parts, known ?? fault, request, reply);
}

async function judgeUnroutable(parts: HttpServerParts, request: FastifyRequest): Promise<void> {
  parts.admit(request);
  await parts.checkKnown(request);
}

function refuse(parts: HttpServerParts, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (error instanceof SignInRequired) {
    const { declared } = request.routeOptions.config;
    const page = declared?.page && fillPath(declared.page, request.params);
    return reply.redirect(error.locationFor(page ?? request.url), 303);
  }
  const refusal = error instanceof AppError ? error : parts.refusalOf(error);
  const { status, body } = renderError(refusal ?? error);
  if (status >= 500) request.log.error({ err: error }, `request ${request.id} failed`);
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  const retryAfterSeconds = refusal?.retryAfterSeconds ?? null;
  if (status === 429) reply.header('Retry-After', retryAfterSeconds ?? usualRetryAfterSeconds);
  return sendRefusal(parts, request, reply, { error: refusal, status, body, retryAfterSeconds });
}

const usualRetryAfterSeconds = 5;

function renderError(error: unknown): { status: number; body: { message: string } } {
  if (error instanceof AppError) return { status: renderingOf(error.kind).status, body: errorBody(error) };
  const { statusCode: status, message } = (error ?? {}) as { statusCode?: number; message?: string };
  if (status && status >= 400 && status < 500) {
    const kind = status === 413 ? 'too_large' : 'invalid';
    return { status, body: errorBody(new AppError(kind, message ?? 'the request cannot be understood')) };
  }
  return { status: 500, body: defectBody };
}

async function sendRefusal(
  parts: HttpServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: {
    error: AppError | null;
    status: number;
    body: { message: string };
    retryAfterSeconds: number | null;
  },
): Promise<FastifyReply> {
  const { error, status, body, retryAfterSeconds } = refusal;
  const wantsPage = !isApiAddress(request.url) && request.headers.accept?.includes('text/html');
  // A page needs a good Host for its addresses; where even that is wrong, JSON will do.
  const page = wantsPage
    ? await parts
        .renderErrorPage(request, { error, status, message: body.message, retryAfterSeconds })
        .catch(() => null)
    : null;
  const text = page ?? JSON.stringify(body);
  reply
    .code(status)
    .type(page !== null ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8')
    .header('Cache-Control', 'no-store');
  if (page !== null) reply.header('Content-Security-Policy', pagePolicy);
  if (!hasUnreadBody(request.raw)) return reply.send(text);
  // A client that waits for 100 Continue has sent nothing: it is told to close, and nothing is left to read away.
  if (awaitsContinue(request)) reply.header('Connection', 'close');
  reply.header('Content-Length', Buffer.byteLength(text));
  return reply.send(bodyHeldOpen(text, request.raw, parts.refusedBodyDrainSeconds));
}

/** What Node cannot parse as HTTP still gets the documented shape. */
function answerClientError(error: Error & { code?: string }, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const [status, reason, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'the headers of the request are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'the request did not come in time']
        : [400, 'Bad Request', 'the request is not HTTP'];
  const body = JSON.stringify(errorBody(invalid(String(message))));
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.end(head + body);
}

type Methods = Map<string, Set<string>>;

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function collectMethods(server: Server): Methods {
  const methods: Methods = new Map();
  server.addHook('onRoute', (route) => {
    const known = methods.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) known.add(method);
    methods.set(route.url, known);
  });
  return methods;
}

/** An address that exists, asked with a method that it has not, is 405 and names those it has (RFC 9110, 15.5.6). */
function refuseOtherMethods(server: Server, methods: Methods) {
  for (const [url, known] of [...methods]) {
    const allowed = [...known].sort();
    if (url === '*' || allowed.length === 0) continue;
    const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.header('Allow', allowed.join(', '));
      throw new AppError('method_not_allowed', `this address answers ${allowed.join(', ')} only`);
    };
    server.route({
      method: knownMethods.filter((method) => !known.has(method)),
      url,
      onRequest: refuse,
      handler: refuse,
    });
  }
}
