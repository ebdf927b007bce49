/** A raw HTTP client that hides no faults: one connection per request, or a socket that a test writes to. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, request as nodeRequest } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** Sends a request over its own connection, which closes with the response. Of an event stream, returns only the head. */
export async function send(port: number, path: string, options: RequestOptions = {}): Promise<Answer> {
  const request = nodeRequest({
    host: '127.0.0.1',
    port,
    path,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
    agent: false,
  });
  request.end(options.body);
  const [response] = await once(request, 'response');
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    request.destroy();
    return { status: response.statusCode, headers: response.headers, body: Buffer.alloc(0), text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return { status: response.statusCode, headers: response.headers, body, text: body.toString() };
}

/** Parses the JSON body of a response as the expected type. */
export function json<T = Record<string, unknown>>(answer: Pick<Answer, 'text'>): T {
  return JSON.parse(answer.text) as T;
}

export interface RawAnswer {
  /** Interim status codes. */
  interim: number[];
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  text: string;
}

export interface RawConnection {
  socket: Socket;
  /** Resolves when the kernel has accepted the bytes, or the connection is closed. */
  write(bytes: string | Buffer): Promise<void>;
  /** Returns the next final response. Rejects if the connection ends before it is complete. */
  answer(): Promise<RawAnswer>;
  /** Received bytes that have not been read as a response. */
  unread(): Buffer;
  /** Resolves when the other side has closed. */
  closed: Promise<void>;
  destroy(): void;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = Buffer.alloc(0);
  let ended = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resume of [...waiting]) resume();
    waiting.clear();
  };
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    const finish = () => {
      ended = true;
      wake();
      resolve();
    };
    socket.once('end', finish);
    socket.once('close', finish);
  });
  await once(socket, 'connect');
  const more = async () => {
    if (ended) throw new Error(`the connection ended after: ${received.toString('latin1').slice(0, 500)}`);
    await new Promise<void>((resolve) => waiting.add(resolve));
  };
  const readUntil = async (end: () => number): Promise<Buffer> => {
    let length = end();
    while (length < 0 || received.length < length) {
      await more();
      length = end();
    }
    const bytes = received.subarray(0, length);
    received = received.subarray(length);
    return bytes;
  };
  const readHead = async () => {
    const bytes = await readUntil(() => {
      const position = received.indexOf('\r\n\r\n');
      return position < 0 ? -1 : position + 4;
    });
    return parseHead(bytes.toString('latin1'));
  };
  return {
    socket,
    closed,
    unread: () => received,
    destroy: () => void socket.destroy(),
    write: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed || !socket.writable) resolve();
        else {
          const done = () => {
            socket.off('close', done);
            resolve();
          };
          socket.once('close', done);
          socket.write(bytes, done);
        }
      }),
    answer: async () => {
      const interim: number[] = [];
      let head = await readHead();
      while (head.status < 200) {
        interim.push(head.status);
        head = await readHead();
      }
      const length = Number(head.headers['content-length'] ?? 0);
      const chunked = head.headers['transfer-encoding'] === 'chunked';
      const body = chunked ? await readChunks(readUntil, () => received) : await readUntil(() => length);
      return { interim, ...head, text: body.toString() };
    },
  };
}

async function readChunks(
  readUntil: (end: () => number) => Promise<Buffer>,
  received: () => Buffer,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const line = await readUntil(() => {
      const position = received().indexOf('\r\n');
      return position < 0 ? -1 : position + 2;
    });
    const size = Number.parseInt(line.toString('latin1'), 16);
    const chunk = await readUntil(() => size + 2);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, size));
  }
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const [first = '', ...lines] = text.trimEnd().split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`no status line: ${first}`);
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status, headers: Object.fromEntries(headers) };
}

/** Builds one request as bytes. */
export function rawRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Buffer = '',
): Buffer {
  const all = { Host: '127.0.0.1', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
}

/** Encodes the body with chunked transfer coding. */
export function chunkedBody(body: Buffer, chunkBytes = 64 * 1024): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
