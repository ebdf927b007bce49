/** Every limit on how often something may be done, put together for `service.ts`. */
import type { Data } from '../data.ts';
import { TooManyRequests } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { networkOf } from './client-network.ts';
import type { Identify } from './identify-http.ts';
import { createRequestLimit, type RequestLimit } from './limit-requests-http.ts';
import type { RateConfig } from './rate-config.ts';
import type { TellRefused } from './refused-kind.ts';
import { createSharedRates, type SharedRates } from './shared-rates.ts';

export interface RateLimiting extends Pick<RequestLimit, 'admit' | 'proven'> {
  attempts: Attempts;
  shared: SharedRates;
  /** Counts a key that opens nothing, by its network. Throws `too_many`. */
  countWrongKey(address: string): Promise<void>;
  /** The same, but nobody looks up whose a request is that was refused for being one too many: that throws `too_many`. */
  sparing(identify: Identify): Identify;
}

export function createRateLimiting(parts: {
  data: Data;
  rates: RateConfig;
  wrongKeysPerHour: number;
  originOf: OriginOf;
  now: () => number;
  refused: TellRefused;
}): RateLimiting {
  const { data, rates, now, refused } = parts;
  const requests = createRequestLimit({ rates, originOf: parts.originOf, now, refused });
  const shared = createSharedRates({ data, now, refused });
  return {
    attempts: createAttempts({ data, now, refused: (kind) => refused(kind, null) }),
    shared,
    admit: requests.admit,
    proven: requests.proven,
    countWrongKey: (address) => {
      const network = networkOf(address);
      return shared.take([
        {
          kind: 'wrong-key',
          subject: ['wrong key from', network],
          most: parts.wrongKeysPerHour,
          refusal: 'you are not authenticated: too many wrong keys came from your network',
          from: network,
        },
      ]);
    },
    sparing: (identify) => ({
      ...identify,
      caller: async (request) => {
        if (requests.wasRefused(request))
          throw new TooManyRequests('the request was refused before anybody was asked', 0);
        return identify.caller(request);
      },
    }),
  };
}
