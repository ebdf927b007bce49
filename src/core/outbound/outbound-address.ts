/** Validates URLs that people enter and this server requests, without resolving their host. */

export type AddressError = 'form' | 'scheme' | 'login' | 'port' | 'long';

export type ReadAddress = { url: URL } | { problem: AddressError };

/**
 * Accepts http or https without credentials, on port 80, 443, or 1024 and above, which excludes other protocols. Removes the
 * fragment, which is never sent.
 */
export function readOutboundAddress(text: string, maxLength: number): ReadAddress {
  if (text.length > maxLength) return { problem: 'long' };
  const url = URL.parse(text.trim());
  if (!url || url.hostname === '') return { problem: 'form' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'scheme' };
  if (url.username !== '' || url.password !== '') return { problem: 'login' };
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1024) return { problem: 'port' };
  url.hash = '';
  // Percent-encoding can increase the length.
  return url.href.length > maxLength ? { problem: 'long' } : { url };
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Whether the host is this machine: such traffic can't be intercepted, so it needs no encryption. */
export const isLocal = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Returns the host for sockets and resolvers: IPv6 addresses have no brackets. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1');
