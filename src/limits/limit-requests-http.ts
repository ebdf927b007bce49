/**
 * Limits the requests per minute of a caller on this node: per API key or session after it has proved valid here, otherwise per
 * network. Works in memory without database access, so refusing costs next to nothing. Limits across all nodes are in
 * `shared-rates.ts`. Not `@fastify/rate-limit`, which has no separate budget for proven callers.
 */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { TooManyRequests } from '../core/errors.ts';
import type { LimitRefusal } from '../core/limit-refusal.ts';
import { acceptsKeyInQuery } from '../http/api-address.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import { createTokenBuckets, type TokenBuckets } from '../http/token-buckets.ts';
import { isLoopback, networkOf, siteFactor, siteOf } from './client-network.ts';
import type { RateConfig } from './rate-config.ts';
import type { OnRefused } from './rate-limit-kind.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The key or session of the request, and the network from which its token was taken, until the credential is verified. */
    unprovenCaller: { caller: string; network: string } | null;
    /** The request was rate limited and must be answered without database access. */
    wasRateLimited: boolean;
  }
}

export interface RequestLimit {
  /**
   * Counts the request against its apparent caller. Returns whether its key or session was valid on an earlier request.
   * Throws `TooManyRequests`.
   */
  admit(request: FastifyRequest): boolean;
  /**
   * Moves a request with a verified key or session from its network's bucket to its own. A directory, which synchronizes thousands of
   * people at once, has a larger one.
   */
  proven(request: FastifyRequest, kind?: 'directory'): void;
}

/** How many minutes' worth of requests are allowed in a burst, for pages with many assets and phones behind one address. */
export const burstMinutes = 2;
/** How many times the requests of a key a directory may send: one for each of 10,000 people in a minute. */
const directoryFactor = 10;
/** Applies to keys and sessions and to networks separately. Both full maps take about 10 MB. */
export const maxTrackedCallers = 50_000;

export function createRequestLimit(deps: {
  rates: RateConfig;
  originOf: OriginOf;
  now: () => number;
  refused: OnRefused;
}): RequestLimit {
  const { rates, originOf, now, refused } = deps;
  const perMinute = rates.requestsPerMinute;
  if (perMinute === null) return unlimited;
  const rate = { perMinute, max: perMinute * burstMinutes, maxCallers: maxTrackedCallers };
  const callers = createTokenBuckets(rate);
  const directories = createTokenBuckets({
    ...rate,
    perMinute: rate.perMinute * directoryFactor,
    max: rate.max * directoryFactor,
  });
  const networks = createTokenBuckets(rate);
  const sites = createTokenBuckets({
    ...rate,
    perMinute: rate.perMinute * siteFactor,
    max: rate.max * siteFactor,
  });
  const takeFrom = (network: string): number => {
    const site = siteOf(network);
    const waitMs = networks.take(network, now());
    if (waitMs > 0 || site === network) return waitMs;
    const siteWaitMs = sites.take(site, now());
    if (siteWaitMs > 0) networks.refund(network);
    return siteWaitMs;
  };
  const isExempt = (request: FastifyRequest) => !rates.countsLoopback && isLoopback(request.ip);
  const refuse = (request: FastifyRequest, refusal: LimitRefusal, waitMs: number) => {
    request.wasRateLimited = true;
    return new TooManyRequests(refusal, Math.ceil(waitMs / 1000));
  };
  const show = (request: FastifyRequest, buckets: TokenBuckets, caller: string) => {
    const { left, fullInMs } = buckets.stateOf(caller, now());
    request.rateLimitHeaders = {
      'RateLimit-Policy': `"requests";q=${rate.max};w=${burstMinutes * 60}`,
      RateLimit: `"requests";r=${left};t=${Math.ceil(fullInMs / 1000)}`,
    };
  };
  const admitNetwork = (request: FastifyRequest, caller: string | null) => {
    const network = networkOf(request.ip);
    const waitMs = takeFrom(network);
    show(request, networks, network);
    if (caller !== null) request.unprovenCaller = { caller, network };
    if (waitMs === 0 || isExempt(request)) return;
    refused('request-by-network', network);
    throw refuse(request, 'requestsFromNetwork', waitMs);
  };
  return {
    admit: (request) => {
      const shown = credentialOf(originOf, request);
      const caller = shown && hash('sha256', shown, 'base64url');
      const own = caller === null ? undefined : [callers, directories].find((one) => one.has(caller));
      if (caller === null || !own) {
        admitNetwork(request, caller);
        return false;
      }
      const waitMs = own.take(caller, now());
      show(request, own, caller);
      if (waitMs === 0 || isExempt(request)) return true;
      refused('request-by-caller', null);
      throw refuse(request, 'requestsWithOneKey', waitMs);
    },
    proven: (request, kind) => {
      const known = request.unprovenCaller;
      if (!known) return;
      request.unprovenCaller = null;
      networks.refund(known.network);
      sites.refund(siteOf(known.network));
      const own = kind === 'directory' ? directories : callers;
      own.take(known.caller, now());
      show(request, own, known.caller);
    },
  };
}

const unlimited: RequestLimit = {
  // Without a limit, callers are not tracked, so everyone counts as proven.
  admit: () => true,
  proven: () => undefined,
};

/** Returns the API key or session token without verifying it, found as in `accounts/authorization/identify-http.ts`. */
function credentialOf(originOf: OriginOf, request: FastifyRequest): string | null {
  const header = request.headers.authorization?.trim();
  // Uses the last word, regardless of the scheme, so that each key has one bucket.
  if (header) return header.slice(Math.max(header.lastIndexOf(' '), header.lastIndexOf('\t')) + 1);
  if (acceptsKeyInQuery(request.url)) {
    const { token } = (request.query ?? {}) as Record<string, unknown>;
    return typeof token === 'string' && token !== '' ? token.trim() : null;
  }
  try {
    return readSessionCookie(request.cookies, () => originOf(request)) ?? null;
  } catch {
    // An invalid Host header is refused later.
    return null;
  }
}
