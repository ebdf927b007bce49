/** Maps client addresses to the networks to which rate limits apply. */
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * Returns an address in canonical form: without a zone, without the port and brackets that some proxies add, and with
 * `::ffff:…` (RFC 4291, section 2.5.5.2) as plain IPv4.
 */
export function canonicalAddress(address: string): string {
  if (isIPv4(address)) return address;
  const [unzoned = ''] = address.split('%', 1);
  const bare = isIP(unzoned) === 0 ? (SocketAddress.parse(unzoned)?.address ?? unzoned) : unzoned;
  if (!isIPv6(bare)) return bare;
  const { address: canonical } = new SocketAddress({ address: bare, family: 'ipv6' });
  return canonical.replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * Returns an IPv4 address unchanged and the /64 of an IPv6 address, because a client usually controls a whole /64 (RFC
 * 6177, section 2).
 */
export function networkOf(address: string): string {
  const plain = canonicalAddress(address);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [front = '', back] = plain.toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const first = groups(front);
  const last = groups(back ?? '');
  // A dotted IPv4 suffix is as long as two groups.
  const length = first.length + last.length + (plain.includes('.') ? 1 : 0);
  const zeros = back === undefined ? [] : Array.from({ length: 8 - length }, () => '0');
  const whole = [...first, ...zeros, ...last].slice(0, 4);
  return `${whole.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * Returns the /48 of a network from `networkOf`, which is the size that sites often have (RFC 6177, section 2). Returns an IPv4
 * address unchanged.
 */
export function siteOf(network: string): string {
  return network.endsWith('/64') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

/**
 * How much more a site may do than one of its networks: sites use several networks, but their thousands must not be a way around
 * a limit.
 */
export const siteFactor = 5;

/** The share of a common total that one site can use: half of what the others leave, so that nobody can use it up. */
export const shareOf = (total: number, ofOthers: number) => Math.ceil((total - ofOthers) / 2);

/** RFC 1122, section 3.2.1.3 and RFC 4291, section 2.5.3. */
export function isLoopback(address: string): boolean {
  const plain = canonicalAddress(address);
  return plain === '::1' || plain.startsWith('127.');
}
