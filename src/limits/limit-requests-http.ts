/**
 * How many requests one caller may make of this node: by its key or session once that was found good here, else by its
 * network. In memory and without a statement, so that what is refused costs next to nothing; what must hold for all nodes
 * together is counted elsewhere (`shared-rates.ts`).
 */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { TooManyRequests } from '../core/errors.ts';
import { isApiAddress } from '../http/api-address.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import { createTokenBuckets } from '../http/token-buckets.ts';
import { isThisMachine, networkOf } from './client-network.ts';
import type { RateConfig } from './rate-config.ts';
import type { TellRefused } from './refused-kind.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key or session that it carries, and which bucket paid for it: until the credential is found good, its network's. */
    unprovenCaller: { caller: string; network: string } | null;
    /** Refused for being one too many: what answers it costs no statement either. */
    wasRateLimited: boolean;
  }
}

export interface RequestLimit {
  /** Counts the request against its apparent caller. Returns whether its key or session was valid on an earlier request. Throws `too_many`. */
  admit(request: FastifyRequest): boolean;
  /** The request's key or session is good: from now on it has a bucket of its own, whatever its network does. */
  proven(request: FastifyRequest): void;
}

/** As many minutes' worth of requests may come at once: a page with all its parts, phones behind one address. */
export const burstMinutes = 2;
/** Of each kind: keys and sessions, networks. About 10 MB when all are there. */
export const maxTrackedCallers = 50_000;

export function createRequestLimit(parts: {
  rates: RateConfig;
  originOf: OriginOf;
  now: () => number;
  refused: TellRefused;
}): RequestLimit {
  const { rates, originOf, now, refused } = parts;
  const perMinute = rates.requestsPerMinute;
  if (perMinute === null) return unlimited;
  const rate = { perMinute, most: perMinute * burstMinutes, maxCallers: maxTrackedCallers };
  const callers = createTokenBuckets(rate);
  const networks = createTokenBuckets(rate);
  const isExempt = (request: FastifyRequest) => !rates.countsThisMachine && isThisMachine(request.ip);
  const refuse = (request: FastifyRequest, words: string, waitMs: number) => {
    request.wasRateLimited = true;
    return new TooManyRequests(`too many requests ${words}`, Math.ceil(waitMs / 1000));
  };
  const admitNetwork = (request: FastifyRequest, caller: string | null) => {
    const network = networkOf(request.ip);
    const waitMs = networks.take(network, now());
    if (caller !== null) request.unprovenCaller = { caller, network };
    if (waitMs === 0 || isExempt(request)) return;
    refused('request-by-network', network);
    throw refuse(request, 'from your network', waitMs);
  };
  return {
    admit: (request) => {
      const shown = credentialOf(originOf, request);
      const caller = shown && hash('sha256', shown, 'base64url');
      if (caller === null || !callers.has(caller)) {
        admitNetwork(request, caller);
        return false;
      }
      const waitMs = callers.take(caller, now());
      if (waitMs === 0 || isExempt(request)) return true;
      refused('request-by-caller', null);
      throw refuse(request, 'with one key or session', waitMs);
    },
    proven: (request) => {
      const known = request.unprovenCaller;
      if (!known) return;
      request.unprovenCaller = null;
      networks.refund(known.network);
      callers.take(known.caller, now());
    },
  };
}

const unlimited: RequestLimit = {
  // Without a limit, callers are not tracked, so all are treated as proven.
  admit: () => true,
  proven: () => undefined,
};

/** The key or the session's token, as `identify-http.ts` would look for it; not yet judged. */
function credentialOf(originOf: OriginOf, request: FastifyRequest): string | null {
  const header = request.headers.authorization?.trim();
  // The last word, however it is introduced: one key has one bucket.
  if (header) return header.slice(Math.max(header.lastIndexOf(' '), header.lastIndexOf('\t')) + 1);
  if (isApiAddress(request.url)) {
    const { token } = (request.query ?? {}) as Record<string, unknown>;
    return typeof token === 'string' && token !== '' ? token.trim() : null;
  }
  try {
    return readSessionCookie(request.cookies, () => originOf(request)) ?? null;
  } catch {
    // A Host that is none: refused in its turn.
    return null;
  }
}
