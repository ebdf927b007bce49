/** The sender of a request, and what handlers can read of the request besides their declared input. */
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../../core/key-scope.ts';
import type { OriginOf } from '../request-origin.ts';

/** Null: anonymous. */
export type RouteCaller = {
  /** Null when a key was used. */
  sessionToken: string | null;
  /** Scopes of the key; absent for sessions. */
  keyScopes?: readonly KeyScope[];
} | null;

export interface Client {
  /** IP address, behind trusted proxies the forwarded one. */
  readonly address: string;
  /** Empty when the header is absent. */
  readonly userAgent: string;
  readonly method: string;
  /** Path and query as requested. */
  readonly target: string;
  /** Whether the client accepts HTML, as browsers do when they navigate. */
  readonly wantsPage: boolean;
  /** Whether a script asked and not the browser itself, as far as the browser says. */
  readonly byScript: boolean;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The public origin of this server. Throws `invalid` when the Host header is not a host name. */
  readonly origin: string;
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
}

export function clientOf(request: FastifyRequest, originOf: OriginOf): Client {
  return {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    method: request.method,
    target: request.url,
    wantsPage: acceptsPage(request),
    byScript: request.headers['sec-fetch-dest'] === 'empty',
    cookies: request.cookies,
    requestId: request.id,
    log: request.log,
    get origin() {
      return originOf(request);
    },
  };
}

export function acceptsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') ?? false;
}

/** The body of a route that reads it as it arrives. */
export interface StreamedBody {
  readonly message: IncomingMessage;
  /** From Content-Length; 0 when the body is chunked. */
  readonly announcedBytes: number;
  /** Lets a client that sent `Expect: 100-continue` send the body. */
  accept(): void;
  /** Must be called with the form's `csrf` field before any other part has an effect, unless the route is exempt. Throws `Forbidden`. */
  checkFormToken(token: string): void;
  /**
   * Counts the request once for the rate limit of its route, if that has one. Must be awaited after the form token was checked, and
   * before any file is received and any answer. Throws `TooManyRequests`.
   */
  admit(): Promise<void>;
  /** Must be called with the scopes of a key that arrives in the body, before it has an effect. Throws `Forbidden`. */
  checkKeyScopes(scopes: readonly KeyScope[]): void;
  /** Resolves when the answer has been sent or the client has disconnected. */
  readonly answered: Promise<void>;
}

export function streamedBodyOf(
  request: FastifyRequest,
  reply: FastifyReply,
  checks: Pick<StreamedBody, 'accept' | 'checkFormToken' | 'admit' | 'checkKeyScopes'>,
): StreamedBody {
  const { raw } = reply;
  return {
    message: request.raw,
    announcedBytes: announcedBytesOf(request),
    ...checks,
    answered: new Promise((resolve) => {
      if (raw.closed) resolve();
      else raw.once('close', resolve);
    }),
  };
}

/** From Content-Length; 0 when the body is chunked or there is none. */
export function announcedBytesOf(request: FastifyRequest): number {
  return Number(request.headers['content-length'] ?? 0);
}
