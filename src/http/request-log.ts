/** One log line per request, and the same facts for the metrics. Excludes addresses and headers, which contain keys. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type CallerKind = 'user' | 'project' | 'nobody';

export interface RequestFacts {
  method: string;
  /** The pattern of the route, as `/users/:owner`; null when no route matched. */
  route: string | null;
  status: number;
  /** From the head of the request to the last byte of the response. */
  ms: number;
  /** Sent, including the head. */
  bytes: number;
  /** Received on the connection, including the head; of a body that is cut off, the part that arrived. */
  receivedBytes: number;
  caller: CallerKind;
  /** The connection ended before the response did. */
  cut: boolean;
}

export type ObserveRequest = (facts: RequestFacts) => void;

declare module 'fastify' {
  interface FastifyRequest {
    callerKind: CallerKind;
    /** For a path that does not support the method: the pattern of its routes. */
    otherRoute: string | null;
  }
}

/**
 * A connection carries requests one after the other; these are its counters when the last one ended. They belong to
 * the socket, which outlives its requests.
 */
const counted = new WeakMap<Socket, { bytesRead: number; bytesWritten: number }>();

/** Called after the key or the session of a request has been checked. */
export function recordCaller(request: FastifyRequest, caller: CallerKind): void {
  request.callerKind = caller;
}

/** Must be called once, with the head of the request. Writes the log line when the response is complete or cut off. */
export function followRequest(request: FastifyRequest, reply: FastifyReply, observe: ObserveRequest): void {
  const { raw: response } = reply;
  const { socket } = request.raw;
  const startedAt = performance.now();
  const { bytesRead, bytesWritten } = counted.get(socket) ?? { bytesRead: 0, bytesWritten: 0 };
  response.once('close', () => {
    counted.set(socket, { bytesRead: socket.bytesRead, bytesWritten: socket.bytesWritten });
    const facts: RequestFacts = {
      method: request.method,
      route: request.routeOptions.url ?? request.otherRoute ?? null,
      status: response.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      bytes: socket.bytesWritten - bytesWritten,
      receivedBytes: socket.bytesRead - bytesRead,
      // A request without a route has no decorators.
      caller: request.callerKind ?? 'nobody',
      cut: !response.writableFinished,
    };
    const { cut, ...line } = facts;
    request.log.info(cut ? facts : line, `${facts.method} ${facts.route ?? '(no route)'} ${facts.status}`);
    // The duration of an event stream would distort the metrics.
    const isStream = request.routeOptions.config?.eventStream && facts.status === 200;
    if (!isStream) observe(facts);
  });
}
