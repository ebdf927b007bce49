/** Addresses of webhooks, as far as they can be judged without asking for the name in them. */
import { maxWebhookAddressLength } from './webhook.ts';

export type AddressFault = 'form' | 'scheme' | 'login' | 'port' | 'long';

export type ReadAddress = { url: URL } | { fault: AddressFault };

/**
 * http or https, no user or password in it, and a port that is no other protocol's: 80, 443, or 1024 and above. The
 * fragment, which is never sent, goes.
 */
export function readWebhookAddress(text: string): ReadAddress {
  if (text.length > maxWebhookAddressLength) return { fault: 'long' };
  const url = URL.parse(text.trim());
  if (!url || url.hostname === '') return { fault: 'form' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { fault: 'scheme' };
  if (url.username !== '' || url.password !== '') return { fault: 'login' };
  const port = portOf(url);
  if (port !== 80 && port !== 443 && port < 1024) return { fault: 'port' };
  url.hash = '';
  // Percent-encoding makes it longer.
  return url.href.length > maxWebhookAddressLength ? { fault: 'long' } : { url };
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host as sockets and resolvers take it: an IPv6 address without its brackets. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1');

const shownPathLength = 4;

/** The origin, and the end of the path where it is long enough to keep the rest a secret: `https://webhooks.example.com/…x7Qp`. */
export function shortAddress(url: URL): string {
  const rest = `${url.pathname}${url.search}`;
  if (rest === '/') return url.origin;
  return `${url.origin}/…${rest.length > 5 * shownPathLength ? rest.slice(-shownPathLength) : ''}`;
}
