/** Networks that requests to addresses entered by people may reach: the public internet, and those allowed by an administrator. */
import { isIP } from 'node:net';
import { createNetworkList } from '../networks.ts';

export interface OutboundNetworks {
  /** `encrypted`: over https. Otherwise, only networks allowed by an administrator are reachable. */
  mayReach(address: string, encrypted: boolean): boolean;
  /** Whether the address is on the public internet. */
  isPublic(address: string): boolean;
}

/**
 * See https://www.iana.org/assignments/iana-ipv4-special-registry; also multicast and 6to4 relays. None are hosts on the public
 * internet.
 */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/**
 * Global unicast (https://www.iana.org/assignments/ipv6-address-space). Excludes everything that contains IPv4 addresses
 * (`::ffff:…`, `::…`, NAT64's `64:ff9b::…`), loopback, link-local, unique local and multicast.
 */
const globalIpv6 = '2000::/3';

/**
 * Excluded from global unicast: protocol assignments with Teredo, documentation and 6to4
 * (https://www.iana.org/assignments/iana-ipv6-special-registry).
 */
const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** Cloud metadata services, which return credentials to any caller on the machine. Unreachable even within an allowed network. */
const metadata = [
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
];

/** `allowed`: IP addresses or CIDRs. */
export function createOutboundNetworks(allowed: readonly string[]): OutboundNetworks {
  const isNever = createNetworkList(metadata);
  const isSpecial = createNetworkList([...specialIpv4, ...specialIpv6]);
  const isGlobal = createNetworkList([globalIpv6]);
  const isAllowed = createNetworkList(allowed);
  // A zone identifies a local network interface, which no public host has.
  const isHost = (address: string) => isIP(address) !== 0 && !address.includes('%') && !isNever(address);
  const isPublic = (address: string) =>
    isHost(address) && !isSpecial(address) && (isIP(address) === 4 || isGlobal(address));
  return {
    isPublic,
    mayReach: (address, encrypted) =>
      isHost(address) && (isAllowed(address) || (encrypted && isPublic(address))),
  };
}
