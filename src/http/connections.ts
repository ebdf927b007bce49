/**
 * Limits connections in total and per network, so that idle and slow ones never exhaust the process’s descriptors: a
 * new connection over a limit closes the one that has been idle longest. Every connection without an admitted
 * request counts as idle; since admitted requests have a lower limit, there always is one.
 */
import type { Server as NodeServer } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

export interface ConnectionLimits {
  maxConnections: number;
  /** Null: no limit. */
  maxPerNetwork: number | null;
  /** Null: exempt, like a proxy that carries every client’s requests. */
  networkOf(address: string): string | null;
}

export interface Connections {
  /**
   * Counts a request in progress, for which a closing server waits. Returns a function that ends it after the
   * response.
   */
  follow(request: FastifyRequest, reply: FastifyReply): () => void;
  /** Marks the connection’s request as admitted, so that it is not idle. Returns a function that ends that. */
  hold(request: FastifyRequest): () => void;
  /** Whether a response is being written, so that nothing else may be written to the connection. */
  isAnswering(socket: Socket): boolean;
}

interface Connection {
  network: string | null;
  /** In progress, including admitted ones. */
  replies: Set<FastifyReply>;
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
    connections.set(socket, { network, replies: new Set(), admitted: 0 });
    spare.add(socket);
    socket.once('close', () => forget(socket));
    if (count(network, 1) > (limits.maxPerNetwork ?? Number.POSITIVE_INFINITY)) closeSpare(network);
    if (connections.size > limits.maxConnections) closeSpare(null);
  });
  // Node closes connections that have received a response, but waits for those that have not sent a request yet.
  server.addHook('preClose', async () => {
    for (const [socket, { replies }] of connections) if (replies.size === 0) socket.destroy();
  });
  return {
    follow: ({ raw: { socket } }, reply) => {
      const connection = connections.get(socket);
      connection?.replies.add(reply);
      return () => connection?.replies.delete(reply);
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
      [...(connections.get(socket)?.replies ?? [])].some(
        ({ raw }) => raw.headersSent && !raw.writableFinished,
      ),
  };
}
