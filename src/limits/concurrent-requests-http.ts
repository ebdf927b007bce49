/** Limits concurrent requests: in total, per network and per site. In memory, per node. */
import type { FastifyRequest } from 'fastify';
import { TooManyRequests } from '../core/errors.ts';
import { Overloaded } from '../http/error-response.ts';
import { isLoopback, networkOf, shareOf, siteOf } from './client-network.ts';
import type { OnRefused } from './rate-limit-kind.ts';

export interface ConcurrencyLimits {
  maxRequests: number;
  /** Null for no limit. */
  maxRequestsPerAddress: number | null;
  countsLoopback: boolean;
}

export interface ConcurrencyLimit {
  /**
   * Counts the request until the returned function is called. `isProven`: its key or session was valid on an earlier request. Throws
   * `TooManyRequests` or `Overloaded`.
   */
  admit(request: FastifyRequest, isProven: boolean): () => void;
}

const retryAfterSeconds = 5;
/** The rest is reserved for keys and sessions known to be valid, so that anonymous requests cannot use it up. */
const anonymousShare = 3 / 4;

export function createConcurrencyLimit(limits: ConcurrencyLimits, refused: OnRefused): ConcurrencyLimit {
  const byNetwork = new Map<string, number>();
  /** Number of requests that are not proven. */
  const bySite = new Map<string, number>();
  const maxPerNetwork = limits.maxRequestsPerAddress ?? Number.POSITIVE_INFINITY;
  const maxAnonymousRequests = Math.ceil(limits.maxRequests * anonymousShare);
  let total = 0;
  let anonymous = 0;
  return {
    admit: (request, isProven) => {
      const network = networkOf(request.ip);
      const site = siteOf(network);
      const ofSite = bySite.get(site) ?? 0;
      const isExempt = !limits.countsLoopback && isLoopback(request.ip);
      const refuseNetwork = () => {
        refused('concurrent-by-network', network);
        request.wasRateLimited = true;
        throw new TooManyRequests('requestsAtOnce', retryAfterSeconds);
      };
      if ((byNetwork.get(network) ?? 0) >= maxPerNetwork && !isExempt) refuseNetwork();
      if (total >= (isProven ? limits.maxRequests : maxAnonymousRequests)) {
        refused('concurrent', null);
        request.wasRateLimited = true;
        throw new Overloaded();
      }
      // A site has thousands of networks, and must not use up the capacity shared by all.
      const isOverShare = ofSite >= shareOf(maxAnonymousRequests, anonymous - ofSite);
      if (isOverShare && !isProven && !isExempt) refuseNetwork();
      const change = (by: 1 | -1) => {
        total += by;
        addTo(byNetwork, network, by);
        if (isProven) return;
        anonymous += by;
        addTo(bySite, site, by);
      };
      change(1);
      return () => change(-1);
    },
  };
}

function addTo(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
