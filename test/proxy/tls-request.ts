/** One HTTPS request over a connection of its own, with what came before the answer. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface TlsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** Whether the body was asked for by `100 Continue`. */
  continued: boolean;
  /** How much of the body had been sent when the answer came. */
  sentBytes: number;
}

export interface TlsOptions {
  method?: string;
  headers?: Record<string, string>;
  /** Sent piece by piece; with `Expect: 100-continue` among the headers, when it is asked for. */
  body?: Buffer;
}

const pieceBytes = 256 * 1024;

export async function tlsRequest(url: string, options: TlsOptions = {}): Promise<TlsAnswer> {
  const { method = 'GET', headers = {}, body } = options;
  const client = request(url, {
    method,
    // Told `close`, servers cut the connection right after an early answer, and the answer can be lost with it.
    headers: {
      Connection: 'keep-alive',
      ...headers,
      ...(body ? { 'Content-Length': String(body.length) } : {}),
    },
    agent: false,
  });
  let continued = false;
  let sentBytes = 0;
  let answered = false;
  const sendBody = async () => {
    for (let at = 0; body && at < body.length && !answered; at += pieceBytes) {
      const piece = body.subarray(at, at + pieceBytes);
      // Called when the piece is on its way, and when the connection has broken.
      await new Promise<void>((resolve) => client.write(piece, () => resolve()));
      sentBytes += piece.length;
    }
    if (!answered) client.end();
  };
  client.once('response', () => {
    answered = true;
  });
  const response = once(client, 'response');
  if (headers.Expect) {
    client.once('continue', () => {
      continued = true;
      void sendBody().catch(() => undefined);
    });
    client.flushHeaders();
  } else {
    void sendBody().catch(() => undefined);
  }
  const [answer] = await response;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  client.on('error', () => undefined).destroy();
  const bytes = Buffer.concat(chunks);
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: bytes,
    text: bytes.toString(),
    continued,
    sentBytes,
  };
}
