/** Which network a client counts as, for limits on how often something may be asked from one place. */
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';

/**
 * An address in its canonical form: without its zone, and without the port and brackets that some proxies forward with it; an
 * IPv4 address as such also where it comes as `::ffff:…` (RFC 4291, section 2.5.5.2).
 */
export function plainAddress(address: string): string {
  if (isIPv4(address)) return address;
  const [unzoned = ''] = address.split('%', 1);
  const bare = isIP(unzoned) === 0 ? (SocketAddress.parse(unzoned)?.address ?? unzoned) : unzoned;
  if (!isIPv6(bare)) return bare;
  const { address: canonical } = new SocketAddress({ address: bare, family: 'ipv6' });
  return canonical.replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * An IPv4 address itself; of an IPv6 address its /64, because whoever has one address of a /64 mostly has them all
 * (RFC 6177, section 2).
 */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [front = '', back] = plain.toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const first = groups(front);
  const last = groups(back ?? '');
  // A dotted end stands for two groups.
  const length = first.length + last.length + (plain.includes('.') ? 1 : 0);
  const zeros = back === undefined ? [] : Array.from({ length: 8 - length }, () => '0');
  const whole = [...first, ...zeros, ...last].slice(0, 4);
  return `${whole.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** RFC 1122, section 3.2.1.3 and RFC 4291, section 2.5.3. */
export function isThisMachine(address: string): boolean {
  const plain = plainAddress(address);
  return plain === '::1' || plain.startsWith('127.');
}
