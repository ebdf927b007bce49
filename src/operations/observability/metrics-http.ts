/** Serves `/metrics` on a separate address. It requires no key, so the address must only be reachable from the machine or its network. */
import { createServer, type RequestListener } from 'node:http';
import { unavailable } from '../../core/errors.ts';
import { textFormat } from './metrics.ts';
import type { MetricsAddress } from './metrics-config.ts';

export interface MetricsListener {
  listen(): Promise<void>;
  close(): Promise<void>;
}

const requestTimeoutMs = 10_000;
const maxHeaderBytes = 8 * 1024;

export function createMetricsListener(address: MetricsAddress, text: () => Promise<string>): MetricsListener {
  const answer: RequestListener = (request, response) => {
    const path = request.url?.split('?', 1)[0];
    if (path !== '/metrics') {
      response
        .writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
        .end('metrics are at /metrics\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    } else {
      text().then(
        (body) => response.writeHead(200, { 'Content-Type': textFormat }).end(body),
        () => response.writeHead(500).end(),
      );
    }
  };
  const server = createServer(
    { requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs, maxHeaderSize: maxHeaderBytes },
    answer,
  );
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        const { host, port } = address;
        server.once('error', (error) => {
          reject(unavailable(`SLIPWAY_METRICS: cannot listen on ${host}:${port}: ${error.message}`, error));
        });
        server.listen(port, host, resolve);
      }),
    close: async () => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
