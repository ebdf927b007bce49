/** Whether a visit may enter a distribution page. Pure: who is asking and the time are passed in. */
import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from '../../limits/client-network.ts';
import type { PageRules } from '../distribution-page.ts';

export interface Visit {
  /** Epoch milliseconds. */
  now: number;
  /** The client's address, as the proxies in front are believed. */
  address: string;
  /** Signed in, or with a key, and in sight of the page's app. */
  member: boolean;
  signedIn: boolean;
  /** Has given the page's present passcode. */
  knowsPasscode: boolean;
}

export type AccessDecision =
  | { kind: 'admitted' }
  | { kind: 'closed'; reason: 'inactive' | 'expired' }
  | { kind: 'wrong-network' }
  | { kind: 'passcode' }
  | { kind: 'sign-in' }
  /** Signed in and no member: for them the page is not there. */
  | { kind: 'stranger' };

/** What holds whoever it is comes first, so that nobody is asked for a passcode in vain. Members need no passcode. */
export function decideVisit(rules: PageRules, visit: Visit): AccessDecision {
  const closed = decideOpening(rules, visit);
  if (closed) return closed;
  if (rules.access === 'unlisted' || visit.member) return { kind: 'admitted' };
  if (rules.access === 'passcode') return { kind: visit.knowsPasscode ? 'admitted' : 'passcode' };
  return { kind: visit.signedIn ? 'stranger' : 'sign-in' };
}

/** The part that holds for a signed link too, whose holder was admitted when it was made; null: the page is open. */
export function decideOpening(
  rules: PageRules,
  visit: Pick<Visit, 'now' | 'address'>,
): AccessDecision | null {
  if (!rules.active) return { kind: 'closed', reason: 'inactive' };
  if (rules.expiresAt !== null && rules.expiresAt <= visit.now) return { kind: 'closed', reason: 'expired' };
  return isWithin(rules.networks, visit.address) ? null : { kind: 'wrong-network' };
}

/** No networks mean every network. */
function isWithin(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true;
  const plain = canonicalAddress(address);
  const family = isIP(plain);
  if (family === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const parsed = parseNetwork(network);
    if (parsed) list.addSubnet(parsed.address, parsed.bits, parsed.family);
  }
  return list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

export interface Network {
  address: string;
  bits: number;
  family: 'ipv4' | 'ipv6';
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address; null for anything else. */
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
