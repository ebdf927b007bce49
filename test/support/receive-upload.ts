/** A server of the upload interface that answers as a test defines, and records requests. */
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Busboy } from '@fastify/busboy';

export interface ReceivedPart {
  name: string;
  /** The value of a field. */
  value?: string;
  /** The name of a file. */
  fileName?: string;
  contentType?: string;
  bytes?: Buffer;
}

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** Received body bytes, including bodies that were never parsed. */
  bodyBytes: number;
  /** Empty unless the whole form was received. */
  parts: ReceivedPart[];
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  received: Received;
  /** Sends `100 Continue` if the client requested it. */
  goAhead(): void;
  readForm(): Promise<void>;
}

export type Reply = (exchange: Exchange) => void | Promise<void>;

export interface Receiver {
  url: string;
  received: Received[];
  /** Replies to questions about checks, of which the last repeats; without any, the server has no checks. */
  checks: Reply[];
  checkRequests: Received[];
  server: Server;
  close(): Promise<void>;
}

/** The n-th request gets the n-th reply; the last reply repeats. */
export async function receiveUploads(
  replies: readonly Reply[],
  make = createServer as ServerMaker,
): Promise<Receiver> {
  const received: Received[] = [];
  const checks: Reply[] = [];
  const checkRequests: Received[] = [];
  const handle =
    (expects: boolean): RequestListener =>
    async (request, response) => {
      const entry: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        bodyBytes: 0,
        parts: [],
      };
      const isAboutChecks = entry.method === 'GET' && entry.path.endsWith('/checks');
      const reply = isAboutChecks
        ? (checks[Math.min(checkRequests.length, checks.length - 1)] ?? refuse(404))
        : replies[Math.min(received.length, replies.length - 1)];
      (isAboutChecks ? checkRequests : received).push(entry);
      request.on('error', () => {});
      await reply?.({
        request,
        response,
        received: entry,
        goAhead: () => expects && response.writeContinue(),
        readForm: async () => {
          if (expects) response.writeContinue();
          entry.parts = await readParts(request, entry);
        },
      });
    };
  const server = make(handle(false));
  server.on('checkContinue', handle(true));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    checks,
    checkRequests,
    server,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type ServerMaker = (listener: RequestListener) => Server;

async function readParts(request: IncomingMessage, entry: Received): Promise<ReceivedPart[]> {
  const parts: ReceivedPart[] = [];
  const form = Busboy({
    headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
    preservePath: true,
  });
  form.on('field', (name, value) => parts.push({ name, value }));
  form.on('file', (name, stream, fileName, _encoding, contentType) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => parts.push({ name, fileName, contentType, bytes: Buffer.concat(chunks) }));
  });
  request.on('data', (chunk: Buffer) => {
    entry.bodyBytes += chunk.length;
  });
  request.pipe(form);
  await once(form, 'finish');
  return parts;
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': typeof body === 'string' ? 'text/html' : 'application/json' });
  response.end(text);
}

export const accept =
  (body: unknown = uploadedBody()): Reply =>
  async ({ readForm, response }) => {
    await readForm();
    answer(response, 200, body);
  };

/** Answers without reading the body. */
export const refuse =
  (
    status: number,
    body: unknown = errorBody(`refused with ${status}`),
    headers: Record<string, string> = {},
  ): Reply =>
  ({ response }) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(response, status, body);
  };

/** What the server says about the checks of a build. */
export const checksReply = (
  state: 'waiting' | 'analyzed' | 'failed',
  ...checks: { id?: string; category: string; state: string; line: string; acceptance?: object }[]
): Reply => refuse(200, { state, summary: null, checks });

/** Reads `bytes` of the body, and then calls `then`. */
export const afterBodyBytes =
  (bytes: number, then: (exchange: Exchange) => void): Reply =>
  (exchange) => {
    exchange.goAhead();
    let done = false;
    exchange.request.on('data', (chunk: Buffer) => {
      exchange.received.bodyBytes += chunk.length;
      if (done || exchange.received.bodyBytes < bytes) return;
      done = true;
      then(exchange);
    });
  };

export const breakConnection = ({ request }: Exchange) => void request.socket.destroy();

export const errorBody = (message: string) => ({ error: true, message, because: message });

export const uploadedBody = (more: Record<string, unknown> = {}) => ({
  error: false,
  results: {
    name: 'Demo',
    package_name: 'com.example.demo',
    os_name: 'Android',
    path: '/users/acme/apps/com.example.demo',
    revision: 7,
    version_code: '45',
    version_name: '1.2.3',
    ...more,
  },
});
