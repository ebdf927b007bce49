/** Limits concurrent requests, in total and per network. In memory, per node. */
import type { FastifyRequest } from 'fastify';
import { TooManyRequests } from '../core/errors.ts';
import { Overloaded } from '../http/error-response.ts';
import { isLoopback, networkOf } from './client-network.ts';
import type { OnRefused } from './rate-limit-kind.ts';

export interface ConcurrencyLimits {
  maxRequests: number;
  /** Null: no limit. */
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
/** The rest is reserved for keys and sessions known to be valid, so anonymous requests can't use it up. */
const anonymousShare = 3 / 4;

export function createConcurrencyLimit(limits: ConcurrencyLimits, refused: OnRefused): ConcurrencyLimit {
  const byNetwork = new Map<string, number>();
  const maxPerNetwork = limits.maxRequestsPerAddress ?? Number.POSITIVE_INFINITY;
  const maxAnonymousRequests = Math.ceil(limits.maxRequests * anonymousShare);
  let total = 0;
  return {
    admit: (request, isProven) => {
      const network = networkOf(request.ip);
      const ofNetwork = byNetwork.get(network) ?? 0;
      const isExempt = !limits.countsLoopback && isLoopback(request.ip);
      if (ofNetwork >= maxPerNetwork && !isExempt) {
        refused('concurrent-by-network', network);
        request.wasRateLimited = true;
        throw new TooManyRequests('requestsAtOnce', retryAfterSeconds);
      }
      if (total >= (isProven ? limits.maxRequests : maxAnonymousRequests)) {
        refused('concurrent', null);
        request.wasRateLimited = true;
        throw new Overloaded();
      }
      total++;
      byNetwork.set(network, ofNetwork + 1);
      return () => {
        total--;
        const left = (byNetwork.get(network) ?? 1) - 1;
        if (left === 0) byNetwork.delete(network);
        else byNetwork.set(network, left);
      };
    },
  };
}
