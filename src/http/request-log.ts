/** Writes one log line per request, and passes the same facts to the metrics. Excludes addresses and headers, which contain keys. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';

export type CallerKind = 'user' | 'project' | 'directory' | 'nobody';

export interface RequestFacts {
  method: string;
  /** The pattern of the route, such as `/users/:owner`; null if no route matched. */
  route: string | null;
  status: number;
  /** From the request headers to the last byte of the response. */
  ms: number;
  /** Bytes sent, including headers. */
  bytes: number;
  /** Bytes received on the connection, including headers. Of an aborted body, only the part that arrived. */
  receivedBytes: number;
  caller: CallerKind;
  /** The connection ended before the response. */
  cut: boolean;
}

export type ObserveRequest = (facts: RequestFacts) => void;

declare module 'fastify' {
  interface FastifyRequest {
    callerKind: CallerKind;
    /** The pattern of the path's routes if none of them supports the method. */
    otherRoute: string | null;
  }
}

/**
 * The counters of each connection when its last request ended, because a connection carries several requests. Stored by socket,
 * which outlives its requests.
 */
const counted = new WeakMap<Socket, { bytesRead: number; bytesWritten: number }>();

/** Called after the key or the session of a request has been checked. */
export function recordCaller(request: FastifyRequest, caller: CallerKind): void {
  request.callerKind = caller;
}

/** A request, or what is known of one that is answered before the framework sees it. */
export type FollowedRequest = Pick<
  FastifyRequest,
  'raw' | 'id' | 'log' | 'method' | 'headers' | 'declared' | 'callerKind' | 'otherRoute' | 'continueSent'
>;

/** Call it once, when the headers have arrived. Returns a function to call when the response is complete or aborted, which writes the log line. */
export function followRequest(
  request: FollowedRequest,
  response: ServerResponse,
  { logger, observeRequest }: { logger: FastifyBaseLogger; observeRequest: ObserveRequest },
): () => void {
  const { socket } = request.raw;
  const startedAt = performance.now();
  const { bytesRead, bytesWritten } = counted.get(socket) ?? { bytesRead: 0, bytesWritten: 0 };
  return () => {
    counted.set(socket, { bytesRead: socket.bytesRead, bytesWritten: socket.bytesWritten });
    const facts: RequestFacts = {
      method: request.method,
      route: request.declared?.path ?? request.otherRoute ?? null,
      status: response.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      bytes: socket.bytesWritten - bytesWritten,
      receivedBytes: socket.bytesRead - bytesRead,
      // Without a route, the decorators are not set.
      caller: request.callerKind ?? 'nobody',
      cut: !response.writableFinished,
    };
    const { method, route, status, ms, bytes, receivedBytes, caller, cut } = facts;
    const line = { request: request.id, method, route, status, ms, bytes, receivedBytes, caller };
    logger.info(cut ? { ...line, cut } : line, `${method} ${route ?? '(no route)'} ${status}`);
    // The duration of an event stream would distort the metrics.
    const isStream = request.declared?.eventStream && facts.status === 200;
    if (!isStream) observeRequest(facts);
  };
}
