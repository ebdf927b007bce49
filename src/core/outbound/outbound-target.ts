/** Resolves the host of an address that a person entered, and checks that its IP addresses are allowed: when it is saved, and for every request. */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf, readOutboundAddress } from './outbound-address.ts';
import { createOutboundNetworks, type OutboundNetworks } from './outbound-networks.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Returns all IP addresses of a host. Returns none, or rejects, if it does not exist. */
export type ResolveName = (name: string) => Promise<readonly ResolvedAddress[]>;

export interface OutboundTarget {
  url: URL;
  /** The addresses that were checked. Do not connect to any other. */
  addresses: readonly ResolvedAddress[];
  /** Whether all of them are on the public internet. */
  isPublic: boolean;
}

export interface TargetFailure {
  fault: 'not-allowed' | 'no-such-name';
  /** The error of the network, if there was one. */
  detail: string | null;
}

export type FindTarget = (address: string) => Promise<OutboundTarget | TargetFailure>;

/** Replaces the internet, in tests and the demo. */
export interface OutboundEnvironment {
  /** Used in place of DNS and the allowed networks. */
  findTarget: FindTarget;
  resolve: ResolveName;
  /** Trusted certificate authorities. */
  authorities: readonly string[];
  /** For a whole request. */
  timeoutMs: number;
}

/** How this server sends requests to addresses that people enter. */
export type Outbound = Pick<OutboundEnvironment, 'findTarget'> & Partial<OutboundEnvironment>;

/** `networks`: those allowed by an administrator. */
export function createOutbound(
  networks: readonly string[],
  environment: Partial<OutboundEnvironment> = {},
): Outbound {
  const findTarget = createFindTarget({
    networks: createOutboundNetworks(networks),
    resolve: environment.resolve ?? createResolveName(),
  });
  return { findTarget, ...environment };
}

const maxAddresses = 64;
/** Longer than any that is stored. */
const maxAddressLength = 4096;

/** Rejects a host if any of its addresses is not allowed, because the owner of the host chooses which one answers. */
export function createFindTarget(parts: { networks: OutboundNetworks; resolve: ResolveName }): FindTarget {
  return async (address) => {
    const read = readOutboundAddress(address, maxAddressLength);
    const notAllowed = { fault: 'not-allowed', detail: null } as const;
    if ('problem' in read) return notAllowed;
    const { url } = read;
    const host = hostOf(url);
    const family = isIP(host);
    let detail: string | null = null;
    const addresses =
      family === 0
        ? await parts.resolve(host).catch((error: unknown) => {
            detail = error instanceof Error ? error.message : null;
            return [];
          })
        : [{ address: host, family: family === 6 ? 6 : 4 } as const];
    if (addresses.length === 0) return { fault: 'no-such-name', detail };
    const encrypted = url.protocol === 'https:';
    const all =
      addresses.length <= maxAddresses &&
      addresses.every((one) => parts.networks.mayReach(one.address, encrypted));
    const isPublic = addresses.every((one) => parts.networks.isPublic(one.address));
    return all ? { url, addresses, isPublic } : notAllowed;
  };
}

const lookupTimeoutMs = 2000;

/** Queries the configured DNS servers directly. The system resolver would block one of few threads while a remote DNS server is slow. */
export function createResolveName(): ResolveName {
  const dns = new Resolver({ timeout: lookupTimeoutMs, tries: 2 });
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
    const found = (answer: PromiseSettledResult<string[]>, family: 4 | 6) =>
      answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family }));
    return [...found(ipv4, 4), ...found(ipv6, 6)];
  };
}
