/** The id of a request in the log, in its response and on error pages. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createTrustedProxies } from './trusted-proxies.ts';

export const requestIdHeader = 'X-Request-Id';

/** Matches UUIDs, the ids of nginx and Caddy, and trace ids; needs no escaping in logs and pages. */
const wellFormed = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,127}$/;

/** Uses a well-formed id from a trusted proxy, or creates one. `proxies` are CIDRs. */
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
