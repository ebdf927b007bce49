/**
 * Limits connections in total and per network, so that idle and slow ones never use up the process’s file descriptors. A new
 * connection over a limit closes the one that has been idle longest. A connection without an admitted request counts as idle;
 * because admitted requests have a lower limit, there is always an idle one.
 */
import type { Server as NodeServer, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface ConnectionLimits {
  maxConnections: number;
  /** Null for no limit. */
  maxPerNetwork: number | null;
  /** Null for exempt addresses, such as a proxy with the requests of all clients. */
  networkOf(address: string): string | null;
}

export interface Connections {
  /** Counts a request in progress, which a closing server waits for. Returns a function to call after the response. */
  follow(response: ServerResponse): () => void;
  /** Marks the connection’s request as admitted, so that it does not count as idle. Returns a function that undoes this. */
  hold(request: FastifyRequest): () => void;
  /** Whether a response is being written, so that nothing else may be written to the connection. */
  isAnswering(socket: Socket): boolean;
}

interface Connection {
  network: string | null;
  /** All requests in progress, including admitted ones. */
  responses: Set<ServerResponse>;
  admitted: number;
}

export function createConnections(server: FastifyInstance, limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>();
  /** In the order in which they became idle. */
  const spare = new Set<Socket>();
  const counts = new Map<string, number>();

  const count = (network: string | null, change: number): number => {
    if (network === null) return 0;
    const total = (counts.get(network) ?? 0) + change;
    if (total === 0) counts.delete(network);
    else counts.set(network, total);
    return total;
  };
  const closeSpare = (network: string | null) => {
    for (const socket of spare) {
      if (network !== null && connections.get(socket)?.network !== network) continue;
      forget(socket);
      socket.destroy();
      return;
    }
  };
  const forget = (socket: Socket) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connections.delete(socket);
    spare.delete(socket);
    count(connection.network, -1);
  };
  const node: NodeServer = server.server;
  node.on('connection', (socket: Socket) => {
    const network = limits.networkOf(socket.remoteAddress ?? '');
    connections.set(socket, { network, responses: new Set(), admitted: 0 });
    spare.add(socket);
    socket.once('close', () => forget(socket));
    if (count(network, 1) > (limits.maxPerNetwork ?? Number.POSITIVE_INFINITY)) closeSpare(network);
    if (connections.size > limits.maxConnections) closeSpare(null);
  });
  // Node closes connections that have received a response, but waits for those that have not sent a request yet.
  server.addHook('preClose', async () => {
    for (const [socket, { responses }] of connections) if (responses.size === 0) socket.destroy();
  });
  return {
    follow: (response) => {
      const connection = connections.get(response.req.socket);
      connection?.responses.add(response);
      return () => connection?.responses.delete(response);
    },
    hold: ({ raw: { socket } }) => {
      const connection = connections.get(socket);
      if (connection) connection.admitted++;
      spare.delete(socket);
      return () => {
        if (connection) connection.admitted--;
        if (connection?.admitted === 0 && connections.has(socket)) spare.add(socket);
      };
    },
    isAnswering: (socket) =>
      [...(connections.get(socket)?.responses ?? [])].some(
        ({ headersSent, writableFinished }) => headersSent && !writableFinished,
      ),
  };
}
