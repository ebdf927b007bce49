/** Determines the public origin of generated addresses. */

import type { FastifyRequest } from 'fastify';
import { invalid } from '../core/errors.ts';
import { httpTexts } from './http-texts.ts';

export type OriginOf = (request: FastifyRequest) => string;

const hostName = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/**
 * The configured origin; without one, the request’s own scheme and Host (or those forwarded by a trusted proxy). Throws `invalid`
 * for an invalid Host, which would otherwise appear in addresses.
 */
export function createOriginOf(publicUrl: string | null): OriginOf {
  return (request) => {
    if (publicUrl !== null) return publicUrl;
    const host =
      request.host ||
      `${withBrackets(request.socket.localAddress ?? 'localhost')}:${request.socket.localPort ?? 80}`;
    if (!hostName.test(host)) throw invalid(httpTexts.head.host);
    return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  };
}

/** Puts an IPv6 address in brackets before a port (RFC 3986, section 3.2.2). */
function withBrackets(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
