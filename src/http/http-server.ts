/** The HTTP server: limits, headers, and one format for all errors. It knows no features; their route modules are passed in. */

import {
  createServer,
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { formatBytes } from '../core/byte-size.ts';
import { AppError, invalid, NotFound, tooLarge } from '../core/errors.ts';
import type { Language } from '../core/language/languages.ts';
import type { StaticFiles } from '../web/shell/static-files.ts';
import { maxJsonBytes } from './api/input.ts';
import { normalizeMethod, normalizeTarget } from './api-address.ts';
import { type ConnectionLimits, type Connections, createConnections } from './connections.ts';
import { type ErrorAnswerDeps, MethodNotAllowed, sendError, writeRawResponse } from './error-response.ts';
import { httpTexts } from './http-texts.ts';
import { readLooseForm } from './loose-form.ts';
import { hasBody, readShortBody, sendContinue } from './request-body.ts';
import { createRequestIds, requestIdHeader } from './request-ids.ts';
import { addLanguageHooks } from './request-language.ts';
import { type FollowedRequest, followRequest, type ObserveRequest } from './request-log.ts';
import { decodeBody, isDecodableQuery, parseUrlencoded } from './routes/decode-text.ts';
import { type RouteRegistration, registerRoutes } from './routes/register-routes.ts';
import type { Route } from './routes/route.ts';
import type { MethodAndPath, RouteTable } from './routes/route-table.ts';
import { assetPath, countHosts, createAssetSender, type SendAsset } from './sending/asset-answers.ts';
import { addCompression } from './sending/compress-responses.ts';
import { createTransferWatch, type TransferLimits, type TransferWatch } from './sending/transfer-rate.ts';

export type Server = FastifyInstance;

export interface HttpServerDeps extends ErrorAnswerDeps {
  logger: FastifyBaseLogger;
  trustedProxies: readonly string[];
  /** The default language, for browsers that request no supported language. */
  language: Language;
  transfers: TransferLimits;
  connections: ConnectionLimits;
  /** Throws `unauthenticated` under /api unless the request has a valid key. Called before an unknown address results in a 404. */
  checkKnown(request: FastifyRequest): Promise<void>;
  admission: RequestAdmission;
  files: StaticFiles;
  /** Called for every request when its response is complete. */
  observeRequest: ObserveRequest;
  /** The routes of every feature. */
  routes: readonly (readonly Route[])[];
  guards: RouteRegistration['guards'];
  sendPage: RouteRegistration['sendPage'];
}

export interface RequestAdmission {
  /** Adds the request properties that the limits use. */
  decorate(server: Server): void;
  /** Called for every request that counts. Returns a function that releases the capacity. Throws `TooManyRequests` or `Overloaded`. */
  admit(request: FastifyRequest): () => void;
}

const maxFormBytes = 64 * 1024;
const headersTimeoutMs = 60_000;
/** How often Node looks for connections that exceeded the timeout of the request headers. */
const headersCheckMs = 2000;
const keepAliveTimeoutMs = 65_000;
/** Unanswered requests per connection; browsers and proxies send one at a time. */
const maxPipelinedRequests = 8;

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Releases the request's share of the limits on concurrent requests, for a response that stays open and idle. Its connection
     * may then be closed in favor of others.
     */
    releaseCapacity: (() => void) | null;
  }
}

/** Returns the server, all methods and paths that it serves, and the declarations. */
export async function createHttpServer(
  given: Omit<HttpServerDeps, 'renderRefusalAt'>,
): Promise<{ server: Server; routes: MethodAndPath[]; declared: readonly Route[] }> {
  const ownFormats = given.routes.flat().filter(({ renderRefusal }) => renderRefusal !== undefined);
  const deps: HttpServerDeps = {
    ...given,
    renderRefusalAt: (url) =>
      ownFormats.find(({ path }) => url.startsWith(path.slice(0, path.indexOf(':'))))?.renderRefusal,
  };
  const requestIdOf = createRequestIds(deps.trustedProxies);
  let sendAsset: SendAsset = () => false;
  const server = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    genReqId: requestIdOf,
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: 'idle',
    // Declarations parse requests and type responses, so Fastify does not have to load Ajv at every start.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    serverFactory: (handler) =>
      createNodeServer((...exchange) => sendAsset(...exchange) || handler(...exchange)),
    clientErrorHandler: (error, socket) => sendClientError(deps, connections, error, socket),
    frameworkErrors: (_error, request, reply) => {
      void inLanguage(request, () => sendUnroutable(enter, deps, request, reply));
    },
  });
  await server.register(cookie);
  server.addContentTypeParser('application/x-www-form-urlencoded', async (request: FastifyRequest) => {
    const maxBytes = request.declared?.maxBodyBytes ?? maxFormBytes;
    const refusal = () => tooLarge(httpTexts.form.long({ limit: formatBytes(maxBytes) }));
    return parseUrlencoded(
      await readShortBody(request.raw, maxBytes, refusal),
      request.headers['content-type'],
    );
  });
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('*', async (request: FastifyRequest) => {
    const { declared } = request;
    if (declared?.looseForm) return readLooseForm(request.raw);
    if (!declared?.json) return null;
    return decodeBody(await readShortBody(request.raw, declared.maxBodyBytes ?? maxJsonBytes));
  });
  const connections = createConnections(server, deps.connections);
  const transfers = createTransferWatch(deps.transfers);
  server.addHook('onClose', async () => transfers.close());
  const inLanguage = addLanguageHooks(server, deps.language);
  const declared = deps.routes.flat();
  const table = registerRoutes(server, { ...deps, routes: declared });
  const follow = createFollow(deps, connections, transfers);
  const enter = createRequestGate(deps, connections, follow);
  addRequestHooks(server, deps, enter, table);
  addCompression(server);
  server.setErrorHandler(async (error, request, reply) =>
    inLanguage(request, () => sendError(deps, error, request, reply)),
  );
  // Without a handler, Fastify would not run the hooks that choose the error.
  server.setNotFoundHandler(async () => {
    throw new NotFound();
  });
  server.decorateRequest('continueSent', false);
  server.decorateRequest('callerKind', 'nobody');
  server.decorateRequest('otherRoute', null);
  server.decorateRequest('releaseCapacity', null);
  deps.admission.decorate(server);
  rejectConnect(deps, server.server, table);
  const route = declared.find(({ path }) => path === assetPath);
  const { logger: log, files, defaultHeaders: headers } = deps;
  if (route) sendAsset = createAssetSender({ files, route, headers, requestIdOf, log, follow });
  return { server, routes: table.all(), declared };
}

/** Routes must not use Fastify’s schemas. */
const refuseSchemas = () => () => {
  throw new Error('routes declare their schemas with defineRoute');
};

const unanswered = Symbol('requests without an answer');
type CountedSocket = Socket & { [unanswered]?: number };

/**
 * Whether a connection has more unanswered requests than real clients send. Such a connection is closed, because Node reads
 * hundreds of pipelined requests at once before any other work runs.
 */
function isFlooding(socket: CountedSocket, response: ServerResponse): boolean {
  if (socket.destroyed) return true;
  const waiting = (socket[unanswered] ?? 0) + 1;
  if (waiting > maxPipelinedRequests) {
    socket.destroy();
    return true;
  }
  socket[unanswered] = waiting;
  // Node takes the socket from a request whose reading failed.
  response.on('close', () => {
    socket[unanswered] = (socket[unanswered] ?? 1) - 1;
  });
  return false;
}

function createNodeServer(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const node = createServer({
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    // Otherwise, Node would answer a request without a Host itself, with an empty body.
    requireHostHeader: false,
  });
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (isFlooding(request.socket, response)) return;
    // Comes first, so that routes, limits, logs and the lookup of keys use the same path.
    const { method = 'GET', url = '/', headers } = request;
    request.url = normalizeTarget(url);
    request.method = normalizeMethod(method, request.url, headers['x-http-method-override']);
    handler(request, response);
  };
  node.on('request', handle);
  node.on('checkContinue', handle);
  node.on('checkExpectation', handle);
  return node;
}

/** Runs for every request. Throws if the request must be refused based on its headers. */
type RequestGate = (request: FastifyRequest, reply: FastifyReply) => void;

/** Follows a request until its response ends. Returns functions to call at that moment. */
type Follow = (request: FollowedRequest, response: ServerResponse) => (() => void)[];

function createFollow(deps: HttpServerDeps, connections: Connections, transfers: TransferWatch): Follow {
  return (request, response) => {
    const ends = [
      followRequest(request, response, deps),
      connections.follow(response),
      transfers.follow(request, response),
    ];
    response.on('close', () => {
      for (const end of ends) end();
    });
    return ends;
  };
}

function createRequestGate(deps: HttpServerDeps, connections: Connections, follow: Follow): RequestGate {
  return (request, reply) => {
    const ends = follow(request, reply.raw);
    reply.headers(deps.defaultHeaders).header(requestIdHeader, request.id);
    if (!request.declared?.rateLimitExempt) {
      const admitted = [deps.admission.admit(request), connections.hold(request)];
      request.releaseCapacity = () => {
        for (const end of admitted.splice(0)) end();
      };
      ends.push(request.releaseCapacity);
    }
    checkHead(request.raw);
  };
}

function checkHead({ rawHeaders, httpVersion, headers, method, url = '' }: IncomingMessage): void {
  const hosts = countHosts(rawHeaders);
  if (hosts > 1) throw invalid(httpTexts.head.hosts);
  if (hosts === 0 && httpVersion !== '1.0') throw invalid(httpTexts.head.noHost);
  const expected = headers.expect?.trim().toLowerCase();
  if (expected !== undefined && expected !== '100-continue')
    throw new AppError('expectation_failed', httpTexts.head.expectation);
  const queryAt = url.indexOf('?');
  // Other sites add arbitrary parameters to the address of a page, where they have no effect.
  const namesNothing = (method === 'GET' || method === 'HEAD') && !url.startsWith('/api/');
  if (queryAt !== -1 && !namesNothing && !isDecodableQuery(url.slice(queryAt)))
    throw invalid(httpTexts.address);
}

/** Hooks call back instead of returning promises, because every request runs them: an eighth of the cost of a static file. */
function addRequestHooks(server: Server, deps: HttpServerDeps, enter: RequestGate, table: RouteTable) {
  server.addHook('onRequest', (request, reply, done) => {
    enter(request, reply);
    if (request.declared && !hasNul(request.params)) return done();
    const known = request.declared ? null : table.methodsAt(request.url);
    if (known) {
      request.otherRoute = known.address;
      throw new MethodNotAllowed(known.methods);
    }
    deps.checkKnown(request).then(() => done(new NotFound()), done);
  });
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { 'content-type': type, 'content-length': length, 'transfer-encoding': coding } = request.headers;
    refuseCompressed(request, reply);
    if (request.method === 'POST' && type !== undefined && length === undefined && coding === undefined)
      throw new AppError('length_required', httpTexts.head.length);
    if (!request.declared?.streamedBody) sendContinue(request, reply);
    done(null, payload);
  });
}

/** Names never contain a NUL, and PostgreSQL would fail on one. */
function hasNul(params: unknown): boolean {
  for (const name in params as object)
    if (String((params as Record<string, unknown>)[name]).includes('\0')) return true;
  return false;
}

/** RFC 9110, section 15.5.16: 415 also for an unsupported content coding. */
function refuseCompressed(request: FastifyRequest, reply: FastifyReply): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity' || !hasBody(request.raw)) return;
  reply.header('Accept-Encoding', 'identity');
  throw new AppError('unsupported_media_type', httpTexts.body.compressed({ coding: coding.slice(0, 40) }));
}

/** Answers an address that the router cannot look up because it has an invalid encoding. Runs before all hooks. */
async function sendUnroutable(
  enter: RequestGate,
  deps: HttpServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // No hook has parsed the query and the cookies yet.
  request.cookies = request.server.parseCookie(request.headers.cookie ?? '');
  const refusal = await (async () => {
    enter(request, reply);
    await deps.checkKnown(request);
    return invalid(httpTexts.address);
  })().catch((error: unknown) => error);
  await sendError(deps, refusal, request, reply);
}

/** Answers input that Node cannot parse as HTTP, in the documented format. */
function sendClientError(
  deps: HttpServerDeps,
  connections: Connections,
  { code }: Error & { code?: string },
  socket: Socket,
) {
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  if (connections.isAnswering(socket)) socket.destroy();
  else if (code === 'HPE_HEADER_OVERFLOW')
    writeRawResponse(deps, socket, new AppError('headers_too_large', httpTexts.head.large));
  else if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    writeRawResponse(deps, socket, new AppError('too_slow', httpTexts.head.late));
  else writeRawResponse(deps, socket, invalid(httpTexts.head.invalid));
}

/** CONNECT is a method for proxies, which Node passes on with the bare socket. */
function rejectConnect(deps: HttpServerDeps, node: NodeServer, table: RouteTable): void {
  node.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    const known = url.startsWith('/') ? table.methodsAt(normalizeTarget(url)) : null;
    writeRawResponse(deps, socket, new MethodNotAllowed(known?.methods ?? ['GET', 'HEAD', 'POST']));
  });
}
