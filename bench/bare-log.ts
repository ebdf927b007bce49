/** The log line of bare servers, with the same fields as Slipway’s. */
import { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify';

const options: FastifyServerOptions = {
  logger: { base: null },
  logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
  genReqId: () => crypto.randomUUID(),
};

export const logRequests = {
  options,
  add(server: FastifyInstance, caller: string): void {
    server.addHook('onResponse', (request, reply, done) => {
      const { method, routeOptions, log, socket } = request;
      const { statusCode: status, elapsedTime } = reply;
      const ms = Math.round(elapsedTime * 10) / 10;
      const facts = { method, route: routeOptions.url, status, ms, bytes: socket.bytesWritten };
      log.info(
        { ...facts, receivedBytes: socket.bytesRead, caller },
        `${method} ${routeOptions.url} ${status}`,
      );
      done();
    });
  },
};
