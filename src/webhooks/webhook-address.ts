/** Validates webhook URLs without resolving their host. */
import { maxWebhookAddressLength } from './webhook.ts';

export type AddressError = 'form' | 'scheme' | 'login' | 'port' | 'long';

export type ReadAddress = { url: URL } | { problem: AddressError };

/**
 * Accepts http or https without credentials, on port 80, 443, or 1024 and above, which excludes other protocols. Removes the
 * fragment, which is never sent.
 */
export function readWebhookAddress(text: string): ReadAddress {
  if (text.length > maxWebhookAddressLength) return { problem: 'long' };
  const url = URL.parse(text.trim());
  if (!url || url.hostname === '') return { problem: 'form' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'scheme' };
  if (url.username !== '' || url.password !== '') return { problem: 'login' };
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1024) return { problem: 'port' };
  url.hash = '';
  // Percent-encoding can increase the length.
  return url.href.length > maxWebhookAddressLength ? { problem: 'long' } : { url };
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Returns the host for sockets and resolvers: IPv6 addresses have no brackets. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1');

const shownPathLength = 4;

/** Returns the origin and, for a long path, its last characters. The rest stays secret: `https://webhooks.example.com/…x7Qp`. */
export function shortAddress(url: URL): string {
  const rest = `${url.pathname}${url.search}`;
  if (rest === '/') return url.origin;
  return `${url.origin}/…${rest.length > 5 * shownPathLength ? rest.slice(-shownPathLength) : ''}`;
}
