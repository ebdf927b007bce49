/** Combines all rate limits. */
import type { Claims } from '../claims/claims.ts';
import { AppError } from '../core/errors.ts';
import { createNetworkList } from '../core/networks.ts';
import type { Data } from '../db/data.ts';
import type { ConnectionLimits } from '../http/connections.ts';
import type { RequestAdmission } from '../http/http-server.ts';
import type { RequestCapacity } from '../http/request-capacity-config.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { attemptQueries } from './attempt-queries.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { isLoopback, networkOf } from './client-network.ts';
import { type ConcurrencyLimits, createConcurrencyLimit } from './concurrent-requests-http.ts';
import { createRequestLimit, type RequestLimit } from './limit-requests-http.ts';
import type { RateConfig } from './rate-config.ts';
import type { OnRefused } from './rate-limit-kind.ts';
import { createSharedRates, type SharedRates } from './shared-rates.ts';

export interface RateLimiting extends Pick<RequestLimit, 'proven'> {
  admission: RequestAdmission;
  connections: ConnectionLimits;
  attempts: Attempts;
  shared: SharedRates;
  /** Counts an invalid API key against its network. Throws `TooManyRequests`. */
  countWrongKey(address: string): Promise<void>;
}

/** Connections allowed per concurrent request of a network. Beyond that, the oldest idle connection is closed. */
const connectionsPerRequest = 2;

export function createRateLimiting(deps: {
  data: Data;
  claims: Claims;
  config: {
    rates: RateConfig;
    /** CIDRs. */
    trustedProxies: readonly string[];
    limits: { wrongKeysPerHour: number };
  };
  originOf: OriginOf;
  capacity: ConcurrencyLimits & RequestCapacity;
  now: () => number;
  refused: OnRefused;
  /** Converts an error of the database or file store; null if it is a bug. */
  refusalOf: (error: unknown) => AppError | null;
  log: { warn(facts: object, text: string): void };
}): RateLimiting {
  const { data, config, now, refused } = deps;
  const { rates, limits } = config;
  const requests = createRequestLimit({ rates, originOf: deps.originOf, now, refused });
  const concurrency = createConcurrencyLimit(deps.capacity, refused);
  const shared = createSharedRates({ queries: attemptQueries(data), now, refused });
  const isProxy = createNetworkList(config.trustedProxies);
  const { capacity } = deps;
  const isUnavailable = (error: unknown) => {
    const refusal = error instanceof AppError ? error : deps.refusalOf(error);
    return refusal?.kind === 'unavailable' || refusal?.kind === 'no_space';
  };
  return {
    connections: {
      maxConnections: capacity.maxConnections,
      maxPerNetwork: capacity.maxRequestsPerAddress && capacity.maxRequestsPerAddress * connectionsPerRequest,
      networkOf: (address) => {
        const isExempt = isProxy(address) || (!capacity.countsLoopback && isLoopback(address));
        return isExempt ? null : networkOf(address);
      },
    },
    attempts: createAttempts({
      data,
      claims: deps.claims,
      now,
      refused: (kind) => refused(kind, null),
      isUnavailable,
    }),
    shared,
    admission: {
      decorate: (server) => {
        server.decorateRequest('unprovenCaller', null);
        server.decorateRequest('wasRateLimited', false);
        server.decorateRequest('rateLimitHeaders', null);
      },
      admit: (request) => concurrency.admit(request, requests.admit(request)),
    },
    proven: requests.proven,
    countWrongKey: (address) => {
      const network = networkOf(address);
      deps.log.warn({ event: 'key.refused', network }, 'refused an API key');
      return shared.take([
        {
          kind: 'wrong-key',
          subject: ['wrong key from', network],
          limit: limits.wrongKeysPerHour,
          refusal: 'wrongKeys',
          from: network,
        },
      ]);
    },
  };
}
