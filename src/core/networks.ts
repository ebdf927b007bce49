/** Networks in settings and on pages: an IP address, or a CIDR such as `10.0.0.0/8` (RFC 4632; RFC 4291, section 2.3). */
import { BlockList, isIP } from 'node:net';

interface Network {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

/** Returns null for anything else, including zones (`fe80::1%eth0`). */
export function parseNetwork(text: string): Network | null {
  const [address = '', bitsText, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0 || address.includes('%')) return null;
  const widest = family === 4 ? 32 : 128;
  const bits = bitsText === undefined ? widest : Number(bitsText);
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return null;
  if (bits > widest) return null;
  return { address, bits, family: family === 4 ? 'ipv4' : 'ipv6' };
}

/**
 * Returns a function that tells whether an address is in one of the networks, which must be valid. IPv4 networks include the
 * corresponding `::ffff:…` addresses. Returns false for anything that is not an address.
 */
export function createNetworkList(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (network) list.addSubnet(network.address, network.bits, network.family);
  }
  return (address) => {
    const family = isIP(address ?? '');
    return family !== 0 && list.check(address ?? '', family === 6 ? 'ipv6' : 'ipv4');
  };
}
