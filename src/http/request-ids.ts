import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createNetworkList } from '../core/networks.ts';

/** The id of a request in the log, in its response and on error pages. */
export const requestIdHeader = 'X-Request-Id';

/** Accepts UUIDs, the ids of nginx and Caddy, and trace ids; needs no escaping in logs and pages. */
const wellFormed = /^[A-Za-z0-9][A-Za-z0-9._:=-]{0,127}$/;

/** Uses a well-formed id from a trusted proxy, otherwise creates one. `proxies` are CIDRs. */
export function createRequestIds(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createNetworkList(proxies);
  return (request) => {
    const sent = request.headers['x-request-id'];
    if (typeof sent === 'string' && wellFormed.test(sent) && isTrusted(request.socket.remoteAddress)) {
      return sent;
    }
    return randomUUID();
  };
}
