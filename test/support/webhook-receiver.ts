/** A webhook receiver that records raw requests and answers as a test defines. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export type Respond = (webhook: ReceivedWebhook, response: ServerResponse) => void;

export interface WebhookReceiver {
  port: number;
  /** With `127.0.0.1`. */
  address: string;
  received: ReceivedWebhook[];
  /** 204 by default. */
  respond: Respond;
  close(): Promise<void>;
}

export async function startWebhookReceiver(
  options: { path?: string; tls?: { key: string; cert: string } } = {},
): Promise<WebhookReceiver> {
  const take = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const webhook = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      };
      receiver.received.push(webhook);
      receiver.respond(webhook, response);
    });
  };
  const server = options.tls ? createTlsServer(options.tls, take) : createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    port,
    address: `http${options.tls ? 's' : ''}://127.0.0.1:${port}${options.path ?? '/hooks/a-path-that-is-a-secret'}`,
    received: [],
    respond: answer(204),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (_hook, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Implements the specification independently of the sender. */
export function isSignatureValid({ headers, body }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${expected}`);
}
