/** Turns errors into answers: status, headers, and an HTML page or the documented JSON. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatBytes } from '../core/byte-size.ts';
import { AppError, tooLarge } from '../core/errors.ts';
import { isApiAddress } from './api-address.ts';
import { defectBody, errorBody, renderingOf } from './error-reply.ts';
import { awaitsContinue, bodyHeldOpen, hasUnreadBody } from './request-body.ts';
import { SignInRequired } from './routes/guard-errors.ts';
import { fillPath } from './routes/register-routes.ts';
import { pagePolicy } from './security-headers.ts';

export interface ErrorAnswerParts {
  refusedBodyDrainSeconds: number;
  /** What every answer begins with, see `firstHeaders`. */
  firstHeaders: Readonly<Record<string, string>>;
  /** What an error that is no refusal may be told as; null: it is a defect. */
  refusalOf(error: unknown): AppError | null;
  /** An error as a page, for people. */
  renderErrorPage(request: FastifyRequest, refusal: ShownRefusal): Promise<string>;
}

export interface ShownRefusal {
  /** Null where it was no `AppError`. */
  error: AppError | null;
  status: number;
  message: string;
  /** Seconds until a retry; null when unknown. */
  retryAfterSeconds: number | null;
}

/** A method that the path does not have (RFC 9110, section 15.5.6). */
export class MethodNotAllowed extends AppError {
  override name = 'MethodNotAllowed';
  readonly allow: string;

  constructor(allowed: readonly string[]) {
    const allow = allowed.join(', ');
    super('method_not_allowed', `this address answers ${allow} only`);
    this.allow = allow;
  }
}

/** The node is at its capacity. Operators see it in a metric, not as a failure in the log. */
export class Overloaded extends AppError {
  override name = 'Overloaded';

  constructor() {
    super('unavailable', 'too many requests are under way: try again in a few seconds', {
      retryAfterSeconds: usualRetryAfterSeconds,
    });
  }
}

const usualRetryAfterSeconds = 5;

/** Answers a request for which Fastify has a reply. */
export function answerError(
  parts: ErrorAnswerParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  if (error instanceof SignInRequired) {
    const { declared } = request.routeOptions.config;
    const page = declared?.page && fillPath(declared.page, request.params);
    return reply.redirect(error.locationFor(page ?? request.url), 303);
  }
  const refusal = error instanceof AppError ? error : (parts.refusalOf(error) ?? ofFramework(error, request));
  const status = refusal ? renderingOf(refusal.kind).status : 500;
  if (status >= 500 && !(refusal instanceof Overloaded))
    request.log.error({ err: error }, `request ${request.id} failed`);
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
  if (refusal instanceof MethodNotAllowed) reply.header('Allow', refusal.allow);
  const retryAfterSeconds = refusal?.retryAfterSeconds ?? null;
  if (status === 429 || refusal instanceof Overloaded)
    reply.header('Retry-After', retryAfterSeconds ?? usualRetryAfterSeconds);
  // The rest of the body is not waited for.
  if (status === 408) reply.header('Connection', 'close');
  return send(parts, request, reply, { error: refusal, status, retryAfterSeconds });
}

/** What Fastify refuses by itself. */
function ofFramework(error: unknown, request: FastifyRequest): AppError | null {
  const { statusCode: status, message } = (error ?? {}) as { statusCode?: number; message?: string };
  if (!status || status < 400 || status >= 500) return null;
  if (status === 413)
    return tooLarge(`Form too large. The limit is ${formatBytes(request.routeOptions.bodyLimit)}.`);
  return new AppError('invalid', message ?? 'the request cannot be understood');
}

async function send(
  parts: ErrorAnswerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Omit<ShownRefusal, 'message'>,
): Promise<FastifyReply> {
  const { type, text } = await represent(parts, request, refusal);
  reply.code(refusal.status).type(type).header('Cache-Control', 'no-store');
  if (type === htmlType) reply.header('Content-Security-Policy', pagePolicy);
  if (!hasUnreadBody(request.raw)) return reply.send(text);
  // A client that waits for 100 Continue has sent no body, so there is nothing to drain: close the connection.
  if (awaitsContinue(request)) reply.header('Connection', 'close');
  reply.header('Content-Length', Buffer.byteLength(text));
  // A client that has been waited for long enough only needs time to read the answer.
  const seconds = refusal.status === 408 ? answerReadSeconds : parts.refusedBodyDrainSeconds;
  return reply.send(bodyHeldOpen(text, request.raw, Math.min(seconds, parts.refusedBodyDrainSeconds)));
}

const answerReadSeconds = 2;

const htmlType = 'text/html; charset=utf-8';
const jsonType = 'application/json; charset=utf-8';

/** The one place that decides on the representation of an error. */
async function represent(
  parts: ErrorAnswerParts,
  request: FastifyRequest,
  refusal: Omit<ShownRefusal, 'message'>,
): Promise<{ type: string; text: string }> {
  const body = refusal.error ? errorBody(refusal.error) : defectBody;
  const wantsPage = !isApiAddress(request.url) && request.headers.accept?.includes('text/html');
  // A page needs a good Host for its addresses; where even that is wrong, JSON will do.
  const page = wantsPage
    ? await parts.renderErrorPage(request, { ...refusal, message: body.message }).catch(() => null)
    : null;
  return page === null ? { type: jsonType, text: JSON.stringify(body) } : { type: htmlType, text: page };
}

/** Answers where there is no reply, by bytes on the socket, and closes. */
export function answerRaw(
  { firstHeaders }: Pick<ErrorAnswerParts, 'firstHeaders'>,
  socket: Pick<Socket, 'end'>,
  error: AppError,
): void {
  const text = JSON.stringify(errorBody(error));
  const headers = {
    ...firstHeaders,
    ...(error instanceof MethodNotAllowed ? { Allow: error.allow } : {}),
    'Content-Type': jsonType,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = renderingOf(error.kind);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
}
