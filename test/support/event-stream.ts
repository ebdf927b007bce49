/** Reads server-sent events as a browser does, without reconnecting. */
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';

export interface ServerEvent {
  event: string;
  data: unknown;
}

export interface EventStreamReader {
  status: number;
  headers: IncomingHttpHeaders;
  /** Everything received so far. */
  text(): string;
  events(): ServerEvent[];
  /** Resolves when the server has ended the response properly. */
  ended: Promise<void>;
  isEnded(): boolean;
  destroy(): void;
}

export async function openEventStream(
  origin: string,
  path: string,
  headers: Record<string, string>,
): Promise<EventStreamReader> {
  const send = origin.startsWith('https:') ? tlsRequest : plainRequest;
  const request = send(`${origin}${path}`, { headers, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.once('end', resolve));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    events: () => text.split('\n\n').slice(0, -1).flatMap(parseEvent),
    ended,
    isEnded: () => response.complete,
    destroy: () => {
      request.destroy();
    },
  };
}

function parseEvent(block: string): ServerEvent[] {
  const event = /^event: (.*)$/m.exec(block)?.[1];
  return event === undefined ? [] : [{ event, data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null') }];
}
