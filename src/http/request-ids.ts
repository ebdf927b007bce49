/** What a request is called in the log, in its answer and on error pages. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createTrustedProxies } from './trusted-proxies.ts';

export const requestIdHeader = 'X-Request-Id';

/** Such as UUIDs, what nginx and Caddy make, and trace ids; nothing that a log or a page would have to escape. */
const wellFormed = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,127}$/;

/** The id that a trusted proxy sends is taken over when it is well-formed; else one is made. `proxies` are CIDRs. */
export function createRequestIds(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createTrustedProxies(proxies);
  return (request) => {
    const sent = request.headers['x-request-id'];
    if (typeof sent === 'string' && wellFormed.test(sent) && isTrusted(request.socket.remoteAddress)) {
      return sent;
    }
    return randomUUID();
  };
}
