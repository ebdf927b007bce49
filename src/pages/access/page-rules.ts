/** Decides whether a distribution page admits a visit. Pure: visitor and time are arguments. */
import { type ClosedReason, closedReason } from '../../apps/pages/page-state.ts';
import { createNetworkList } from '../../core/networks.ts';
import { canonicalAddress } from '../../limits/client-network.ts';
import type { PageRules } from '../distribution-page.ts';

export interface Visit {
  /** Epoch milliseconds. */
  now: number;
  /** The client address according to the trusted proxies. */
  address: string;
  /** Signed in or with an API key, and able to see the app of the page. */
  member: boolean;
  /** Manages the app, or is in a group that the page admits. Counts only for members. */
  inGroup: boolean;
  signedIn: boolean;
  /** Entered the current passcode of the page. */
  knowsPasscode: boolean;
}

export type AccessDecision =
  | { kind: 'admitted' }
  | { kind: 'closed'; reason: ClosedReason }
  | { kind: 'wrong-network' }
  | { kind: 'passcode' }
  | { kind: 'sign-in' }
  /** Signed in without access, for whom the page does not exist. */
  | { kind: 'stranger' };

/** Checks the rules for everyone first, so that nobody enters a passcode in vain. Members need no passcode. */
export function decideVisit(rules: PageRules, visit: Visit): AccessDecision {
  const closed = decideOpening(rules, visit);
  if (closed) return closed;
  const isMember = visit.member && (rules.access !== 'groups' || visit.inGroup);
  if (rules.access === 'unlisted' || isMember) return { kind: 'admitted' };
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
): Extract<AccessDecision, { kind: 'closed' | 'wrong-network' }> | null {
  const reason = closedReason(rules, visit.now);
  if (reason) return { kind: 'closed', reason };
  const isAllowed =
    rules.networks.length === 0 || createNetworkList(rules.networks)(canonicalAddress(visit.address));
  return isAllowed ? null : { kind: 'wrong-network' };
}
