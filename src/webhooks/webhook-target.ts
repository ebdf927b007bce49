/** Resolves the host of a webhook and checks that its IP addresses are allowed: on save and on every delivery. */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { DeliveryError } from './webhook.ts';
import { hostOf, readWebhookAddress } from './webhook-address.ts';
import type { WebhookNetworks } from './webhook-networks.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** All IP addresses of a host. Empty if it does not exist. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

export interface WebhookTarget {
  url: URL;
  /** Only these addresses were checked; connect to no others. */
  addresses: readonly ResolvedAddress[];
}

export type FindTarget = (address: string) => Promise<WebhookTarget | DeliveryError>;

const maxAddresses = 64;

/** Rejects a host if any of its addresses is not allowed, because its owner decides which one answers. */
export function createFindTarget(parts: { networks: WebhookNetworks; resolve: ResolveName }): FindTarget {
  return async (address) => {
    const read = readWebhookAddress(address);
    if ('problem' in read) return 'not-allowed';
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

const lookupTimeoutMs = 2000;

/**
 * Queries the configured DNS servers directly. The system resolver would block one of few threads while a remote DNS
 * server is slow.
 */
export function createResolveName(): ResolveName {
  const dns = new Resolver({ timeout: lookupTimeoutMs, tries: 2 });
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
