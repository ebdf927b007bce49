/**
 * Lets the server close beside clients that are connected and ask for nothing. Node closes connections that have had
 * their answer, but waits for those that have not asked yet, such as the spare ones that browsers open.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export function closeQuietSockets(server: FastifyInstance): void {
  const requestsUnderWay = new Map<Socket, number>();
  const count = (socket: Socket, change: number) => {
    const current = requestsUnderWay.get(socket);
    if (current !== undefined) requestsUnderWay.set(socket, current + change);
  };
  const follow = ({ socket }: IncomingMessage, response: ServerResponse) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  };
  server.server.on('connection', (socket: Socket) => {
    requestsUnderWay.set(socket, 0);
    socket.once('close', () => requestsUnderWay.delete(socket));
  });
  server.server.on('request', follow);
  server.server.on('checkContinue', follow);
  server.addHook('preClose', async () => {
    for (const [socket, requests] of requestsUnderWay) if (requests === 0) socket.destroy();
  });
}
