/** Which addresses a webhook's address leads to, and whether webhooks may go there: asked when it is saved and at every delivery. */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { DeliveryError } from './webhook.ts';
import { hostOf, readWebhookAddress } from './webhook-address.ts';
import type { WebhookNetworks } from './webhook-networks.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All addresses of a name; none when there is no such name. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

export interface WebhookTarget {
  url: URL;
  /** Every one was judged; to connect to any other would be to connect to nobody knows whom. */
  addresses: readonly ResolvedAddress[];
}

export type FindTarget = (address: string) => Promise<WebhookTarget | DeliveryError>;

const maxAddresses = 64;

/** Refuses a name of whose addresses one may not be reached, for which of them answers is up to whoever owns the name. */
export function createFindTarget(parts: { networks: WebhookNetworks; resolve: ResolveName }): FindTarget {
  return async (address) => {
    const read = readWebhookAddress(address);
    if ('fault' in read) return 'not-allowed';
    const { url } = read;
    const host = hostOf(url);
    const family = isIP(host);
    const addresses =
      family === 0 ? await parts.resolve(host) : [{ address: host, family: family === 6 ? 6 : 4 } as const];
    if (addresses.length === 0) return 'no-such-name';
    const encrypted = url.protocol === 'https:';
    const all =
      addresses.length <= maxAddresses &&
      addresses.every((one) => parts.networks.mayReach(one.address, encrypted));
    return all ? { url, addresses } : 'not-allowed';
  };
}

const questionTimeoutMs = 2000;

/**
 * Asks the machine's DNS servers, and not the system, whose resolver would hold one of few threads for as long as somebody
 * else's DNS server takes to answer.
 */
export function createResolveName(): ResolveName {
  const dns = new Resolver({ timeout: questionTimeoutMs, tries: 2 });
  return async (name) => {
    const [ipv4, ipv6] = await Promise.all([
      dns.resolve4(name).catch(() => []),
      dns.resolve6(name).catch(() => []),
    ]);
    return [
      ...ipv4.map((address) => ({ address, family: 4 as const })),
      ...ipv6.map((address) => ({ address, family: 6 as const })),
    ];
  };
}
