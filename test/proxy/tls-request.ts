/** One HTTPS request over a separate connection, with everything received before the response. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';

export interface TlsAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  text: string;
  /** Whether the server requested the body by `100 Continue`. */
  continued: boolean;
  /** How many bytes of the body had been sent when the response arrived. */
  sentBytes: number;
}

export interface TlsOptions {
  method?: string;
  headers?: Record<string, string>;
  /** Sent in chunks; with `Expect: 100-continue` among the headers, when it is requested. */
  body?: Buffer;
}

const pieceBytes = 256 * 1024;

export async function tlsRequest(url: string, options: TlsOptions = {}): Promise<TlsAnswer> {
  const { method = 'GET', headers = {}, body } = options;
  const client = request(url, {
    method,
    // With `close`, servers close the connection right after an early response, which can then be lost.
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
      // Called when the chunk is sent, and when the connection has failed.
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
