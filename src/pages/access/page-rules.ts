/** Decides whether a distribution page admits a visit. Pure: visitor and time are arguments. */
import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from '../../limits/client-network.ts';
import type { PageRules } from '../distribution-page.ts';

export interface Visit {
  /** Epoch milliseconds. */
  now: number;
  /** The client address according to the trusted proxies. */
  address: string;
  /** Signed in or with an API key, and able to see the app of the page. */
  member: boolean;
  signedIn: boolean;
  /** Entered the current passcode of the page. */
  knowsPasscode: boolean;
}

export type AccessDecision =
  | { kind: 'admitted' }
  | { kind: 'closed'; reason: 'inactive' | 'expired' }
  | { kind: 'wrong-network' }
  | { kind: 'passcode' }
  | { kind: 'sign-in' }
  /** Signed in without access, for whom the page does not exist. */
  | { kind: 'stranger' };

/** Checks the rules for everyone first, so that nobody enters a passcode in vain. Members need no passcode. */
export function decideVisit(rules: PageRules, visit: Visit): AccessDecision {
  const closed = decideOpening(rules, visit);
  if (closed) return closed;
  if (rules.access === 'unlisted' || visit.member) return { kind: 'admitted' };
  if (rules.access === 'passcode') return { kind: visit.knowsPasscode ? 'admitted' : 'passcode' };
  return { kind: visit.signedIn ? 'stranger' : 'sign-in' };
}

/**
 * Checks the rules that also apply to signed links, whose holders were admitted when they were created. Null if the
 * page is open.
 */
export function decideOpening(
  rules: PageRules,
  visit: Pick<Visit, 'now' | 'address'>,
): AccessDecision | null {
  if (!rules.active) return { kind: 'closed', reason: 'inactive' };
  if (rules.expiresAt !== null && rules.expiresAt <= visit.now) return { kind: 'closed', reason: 'expired' };
  return isWithin(rules.networks, visit.address) ? null : { kind: 'wrong-network' };
}

/** An empty list allows every network. */
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

/** Parses `10.0.0.0/8`, `2001:db8::/32` or one address. Null for anything else. */
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
