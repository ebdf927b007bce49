/** One line in the log for each request, and the same facts for the metrics. No address and no header: those hold keys. */
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type CallerKind = 'user' | 'project' | 'nobody';

export interface RequestFacts {
  method: string;
  /** The pattern of the route, as `/users/:owner`; null where no route was found. */
  route: string | null;
  status: number;
  /** From the head of the request to the last byte of the answer. */
  ms: number;
  /** Sent, with head. */
  bytes: number;
  /** Taken from the connection, with head; of a body that is cut off, what came of it. */
  receivedBytes: number;
  caller: CallerKind;
  /** The connection ended before the answer did. */
  cut: boolean;
}

export type ObserveRequest = (facts: RequestFacts) => void;

declare module 'fastify' {
  interface FastifyRequest {
    callerKind: CallerKind;
    /** Of a path that has no such method: the pattern of its routes. */
    otherRoute: string | null;
  }
}

/**
 * A connection carries one request after the other: its numbers when the last one ended. State of a socket, which outlives the
 * requests on it and has no place for such properties.
 */
const counted = new WeakMap<Socket, { bytesRead: number; bytesWritten: number }>();

/** Said by who has judged the key or the session of a request. */
export function noteCaller(request: FastifyRequest, caller: CallerKind): void {
  request.callerKind = caller;
}

/** To be called once, with the head of the request. Writes its line when the answer is out or cut off. */
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
      // A request without a route is not decorated.
      caller: request.callerKind ?? 'nobody',
      cut: !response.writableFinished,
    };
    const { cut, ...line } = facts;
    request.log.info(cut ? facts : line, `${facts.method} ${facts.route ?? '(no route)'} ${facts.status}`);
    observe(facts);
  });
}
