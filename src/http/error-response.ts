/** Converts errors to responses: status, headers, and an HTML page or the documented JSON. */
import { STATUS_CODES, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import { currentLocale } from '../core/language/current-language.ts';
import { problemOf, problemType } from './api/problem.ts';
import { isApiAddress } from './api-address.ts';
import { errorBody, errorRenderingOf, internalErrorBody } from './error-body.ts';
import { httpTexts } from './http-texts.ts';
import { awaitsContinue, createHeldOpenBody, hasUnreadBody } from './request-body.ts';
import { asciiAddress } from './routes/answer.ts';
import { SignInRequired } from './routes/guard-errors.ts';
import { fillPath } from './routes/register-routes.ts';
import type { RouteFacts } from './routes/route-facts.ts';

export interface ErrorAnswerDeps {
  refusedBodyDrainSeconds: number;
  /** The headers of every response; see `defaultHeaders`. */
  defaultHeaders: Readonly<Record<string, string>>;
  /** Converts a known error of a lower layer; null if it is a bug. */
  refusalOf(error: unknown): AppError | null;
  /** Renders errors at an address without a route, in an interface with another format. */
  renderRefusalAt(url: string): RouteFacts['renderRefusal'];
  /** Value of `Content-Security-Policy` for pages. */
  pagePolicy: string;
  /** Renders an error page. */
  renderErrorPage(request: FastifyRequest, refusal: ErrorDetails): Promise<string>;
}

export interface ErrorDetails {
  /** Null unless it was an `AppError`. */
  error: AppError | null;
  status: number;
  message: string;
  /** Seconds until a retry; null if unknown. */
  retryAfterSeconds: number | null;
}

/** The path does not support the method (RFC 9110, section 15.5.6). */
export class MethodNotAllowed extends AppError {
  override name = 'MethodNotAllowed';
  readonly allow: string;

  constructor(allowed: readonly string[]) {
    const allow = allowed.join(', ');
    super('method_not_allowed', httpTexts.head.method({ methods: allow }));
    this.allow = allow;
  }
}

/** The node has reached its capacity. Counted in a metric instead of being logged as an error. */
export class Overloaded extends AppError {
  override name = 'Overloaded';

  constructor() {
    super('unavailable', httpTexts.busy, {
      retryAfterSeconds: defaultRetryAfterSeconds,
    });
  }
}

const defaultRetryAfterSeconds = 5;

/** Sends an error response through Fastify’s reply. */
export function sendError(
  deps: ErrorAnswerDeps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  if (error instanceof SignInRequired) {
    const { declared } = request;
    const page = declared?.page && fillPath(declared.page, request.params);
    return reply.redirect(asciiAddress(error.locationFor(page ?? request.url)), 303);
  }
  removeUnsendable(reply);
  const refusal = error instanceof AppError ? error : (deps.refusalOf(error) ?? ofFramework(error));
  const status = refusal ? errorRenderingOf(refusal.kind).status : 500;
  if (status >= 500 && !(refusal instanceof Overloaded))
    request.log.error({ err: error }, `request ${request.id} failed`);
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  if (refusal instanceof MethodNotAllowed) reply.header('Allow', refusal.allow);
  const retryAfterSeconds = refusal?.retryAfterSeconds ?? null;
  if (status === 429 || retryAfterSeconds !== null)
    reply.header('Retry-After', retryAfterSeconds ?? defaultRetryAfterSeconds);
  // The connection is closed without waiting for the rest of the body.
  if (status === 408) reply.header('Connection', 'close');
  return send(deps, request, reply, { error: refusal, status, retryAfterSeconds });
}

/** Removes headers that Node refuses to send: every further answer would also fail, and Fastify would answer in its own format. */
function removeUnsendable(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    try {
      for (const one of [value].flat()) validateHeaderValue(name, String(one));
    } catch {
      reply.removeHeader(name);
    }
  }
}

/** Maps Fastify’s own errors. */
function ofFramework(error: unknown): AppError | null {
  const { statusCode: status, message } = (error ?? {}) as { statusCode?: number; message?: string };
  if (!status || status < 400 || status >= 500) return null;
  return new AppError('invalid', message ?? httpTexts.form.malformed);
}

async function send(
  deps: ErrorAnswerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Omit<ErrorDetails, 'message'>,
): Promise<FastifyReply> {
  const { type, text } = await represent(deps, request, refusal);
  reply.code(refusal.status).type(type).header('Cache-Control', 'no-store');
  if (type === htmlType)
    reply.headers({ 'Content-Security-Policy': deps.pagePolicy, 'Content-Language': currentLocale() });
  if (!hasUnreadBody(request.raw)) return reply.send(text);
  // A client that waits for 100 Continue has sent no body that would have to be drained, so the connection can be closed.
  if (awaitsContinue(request)) reply.header('Connection', 'close');
  reply.header('Content-Length', Buffer.byteLength(text));
  // A client that exceeded its time only needs enough time to read the response.
  const seconds = refusal.status === 408 ? responseReadSeconds : deps.refusedBodyDrainSeconds;
  return reply.send(createHeldOpenBody(text, request.raw, Math.min(seconds, deps.refusedBodyDrainSeconds)));
}

const responseReadSeconds = 2;

const htmlType = 'text/html; charset=utf-8';
const jsonType = 'application/json; charset=utf-8';

/** The only function that chooses between an error page and JSON. */
async function represent(
  deps: ErrorAnswerDeps,
  request: FastifyRequest,
  refusal: Omit<ErrorDetails, 'message'>,
): Promise<{ type: string; text: string }> {
  if (request.declared?.operationId !== undefined)
    return { type: problemType, text: JSON.stringify(problemOf(refusal.error, request.id)) };
  const body = refusal.error ? errorBody(refusal.error) : internalErrorBody();
  const renderRefusal = request.declared?.renderRefusal ?? deps.renderRefusalAt(request.url);
  if (renderRefusal) return renderRefusal(refusal.error, body.message);
  const wantsPage = !isApiAddress(request.url) && request.headers.accept?.includes('text/html');
  // A page needs a valid Host for its links. Without one, the answer is JSON.
  const page = wantsPage
    ? await deps.renderErrorPage(request, { ...refusal, message: body.message }).catch(() => null)
    : null;
  return page === null ? { type: jsonType, text: JSON.stringify(body) } : { type: htmlType, text: page };
}

/** Writes an error response directly to a socket, and closes it. */
export function writeRawResponse(
  { defaultHeaders }: Pick<ErrorAnswerDeps, 'defaultHeaders'>,
  socket: Pick<Socket, 'end'>,
  error: AppError,
): void {
  const text = JSON.stringify(errorBody(error));
  const headers = {
    ...defaultHeaders,
    ...(error instanceof MethodNotAllowed ? { Allow: error.allow } : {}),
    'Content-Type': jsonType,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = errorRenderingOf(error.kind);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
}
