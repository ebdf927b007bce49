/** The sender of a request, and the properties of a request that handlers can read in addition to their declared input. */
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyScope } from '../../core/key-scope.ts';
import type { OriginOf } from '../request-origin.ts';

/** Null for an anonymous caller. */
export type RouteCaller = {
  /** Null if a key was used. */
  sessionToken: string | null;
  /** Scopes of the key; absent for sessions. */
  keyScopes?: readonly KeyScope[];
} | null;

export interface Client {
  /** IP address; behind trusted proxies, the forwarded one. */
  readonly address: string;
  /** Empty if the header is absent. */
  readonly userAgent: string;
  readonly method: string;
  /** Path and query as requested. */
  readonly target: string;
  /** Whether the client accepts HTML, like a browser that navigates. */
  readonly wantsPage: boolean;
  /** Whether the request comes from a script and not from the browser itself, as stated by the browser. */
  readonly byScript: boolean;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The public origin of this server. Throws `invalid` if the Host header is not a host name. */
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
  /** From Content-Length; 0 if the body is chunked. */
  readonly announcedBytes: number;
  /** Allows a client that sent `Expect: 100-continue` to send the body. */
  accept(): void;
  /** Call it with the form's `csrf` field before any other part has an effect, unless the route is exempt. Throws `Forbidden`. */
  checkFormToken(token: string): void;
  /**
   * Counts the request for the rate limit of its route, if it has one, at most once. Await it after checking the form token, and
   * before receiving a file or answering. Throws `TooManyRequests`.
   */
  admit(): Promise<void>;
  /** Call it with the scopes of a key in the body, before the key has an effect. Throws `Forbidden`. */
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

/** From Content-Length; 0 if the body is chunked or absent. */
export function announcedBytesOf(request: FastifyRequest): number {
  return Number(request.headers['content-length'] ?? 0);
}
