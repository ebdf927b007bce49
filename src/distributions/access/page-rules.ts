/** Decides whether a distribution page admits a visit. Pure: visitor and time are arguments. */
import { type ClosedReason, closedReason } from '../../apps/distributions/page-state.ts';
import { isAllowedAddress } from '../../owners/policies/policies.ts';
import type { PageRules } from '../distribution-page.ts';

export interface Visit {
  /** Epoch milliseconds. */
  now: number;
  /** The client address, as reported by trusted proxies. Null if unknown, in which case no network is refused. */
  address: string | null;
  /** Signed in or using an API key, with access to the app of the page. */
  member: boolean;
  /** Manages the app, or is in a group that the page admits. Only used for members. */
  inGroup: boolean;
  signedIn: boolean;
  /** Has entered the current passcode of the page. */
  knowsPasscode: boolean;
}

export type AccessRefusal =
  | { kind: 'closed'; reason: ClosedReason }
  | { kind: 'wrong-network' }
  | { kind: 'passcode' }
  | { kind: 'sign-in' }
  /** Signed in but without access: for them, the page does not exist. */
  | { kind: 'no-access' };

export type AccessDecision = { kind: 'admitted' } | AccessRefusal;

export const decideVisit = (rules: PageRules, visit: Visit): AccessDecision =>
  visitRefusals(rules, visit)[0] ?? { kind: 'admitted' };

/**
 * Returns every rule that refuses the visit. Rules for everyone come first, so that nobody enters a passcode in vain. Members
 * need no passcode.
 */
export function visitRefusals(rules: PageRules, visit: Visit): AccessRefusal[] {
  return [...openingRefusals(rules, visit), ...personRefusals(rules, visit)];
}

function personRefusals(rules: PageRules, visit: Visit): AccessRefusal[] {
  const isMember = visit.member && (rules.access !== 'groups' || visit.inGroup);
  if (rules.access === 'unlisted' || isMember) return [];
  if (rules.access === 'passcode') return visit.knowsPasscode ? [] : [{ kind: 'passcode' }];
  return [{ kind: visit.signedIn ? 'no-access' : 'sign-in' }];
}

type OpeningRefusal = Extract<AccessRefusal, { kind: 'closed' | 'wrong-network' }>;

/** Checks the rules that also apply to signed links, whose holders were admitted when the links were created. Null if the page is open. */
export const decideOpening = (
  rules: PageRules,
  visit: Pick<Visit, 'now' | 'address'>,
): OpeningRefusal | null => openingRefusals(rules, visit)[0] ?? null;

function openingRefusals(
  rules: PageRules,
  { now, address }: Pick<Visit, 'now' | 'address'>,
): OpeningRefusal[] {
  const reason = closedReason(rules, now);
  const isAllowed =
    address === null ||
    [rules.networks, rules.workspaceNetworks ?? []].every((networks) => isAllowedAddress(networks, address));
  return [
    ...(reason ? [{ kind: 'closed', reason } as const] : []),
    ...(isAllowed ? [] : [{ kind: 'wrong-network' } as const]),
  ];
}
