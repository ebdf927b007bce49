import { BlockList, isIP } from 'node:net';

/** Returns a function that tells whether an address is in the list of addresses and CIDRs. */
export function createTrustedProxies(proxies: readonly string[]): (address: string | undefined) => boolean {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return (address) =>
    address !== undefined && trusted.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
