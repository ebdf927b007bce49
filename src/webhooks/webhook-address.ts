/** How the URL of a webhook is shown. */
import { type ReadAddress, readOutboundAddress } from '../core/outbound/outbound-address.ts';
import { maxWebhookAddressLength } from './webhook.ts';

export const readWebhookAddress = (text: string): ReadAddress =>
  readOutboundAddress(text, maxWebhookAddressLength);

const shownPathLength = 4;

/** Returns the origin and, for a long path, its last characters. The rest stays secret: `https://webhooks.example.com/…x7Qp`. */
export function shortAddress(url: URL): string {
  const rest = `${url.pathname}${url.search}`;
  if (rest === '/') return url.origin;
  return `${url.origin}/…${rest.length > 5 * shownPathLength ? rest.slice(-shownPathLength) : ''}`;
}
