/** The baseline for pages and their files: the same bytes and headers from memory, and the log line. `node bench/bare-files.ts PORT ANSWERS` */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { logRequests } from './bare-log.ts';

interface StoredAnswer {
  path: string;
  status: number;
  headers: [string, string][];
  bytes: number;
}

const [port, list = ''] = process.argv.slice(2);
const server = Fastify(logRequests.options);
logRequests.add(server, 'nobody');
server.get('/healthz', async () => 'ok');
for (const { path, status, headers, bytes } of JSON.parse(readFileSync(list, 'utf8')) as StoredAnswer[]) {
  const [head, body] = [Object.fromEntries(headers), Buffer.alloc(bytes, 'a')];
  server.get(path, (_request, reply) => {
    reply.code(status).headers(head);
    reply.send(status === 304 ? undefined : body);
  });
}
await server.listen({ host: '127.0.0.1', port: Number(port) });
