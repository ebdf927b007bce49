/** What violates the policies of a Workspace, without changing anything. */
import type { Data } from '../../db/data.ts';
import type { Workspace } from '../../owners/owner.ts';
import { activePolicies, type PolicyName, type PolicyValues } from '../../owners/policies/policies.ts';
import type { ListedViolation, Violation } from './policy-violation.ts';
import { policyViolationQueries } from './policy-violation-queries.ts';

/** Violations of each policy that are listed. */
export const maxListedViolations = 1000;

export interface PolicyReview {
  /** The policies in force, in their order, with the number of violations. `more`: those that are not listed. */
  counts: { policy: PolicyName; count: number; more: number }[];
  violations: ListedViolation[];
}

export async function reviewPolicies(
  data: Data,
  { id }: Workspace,
  values: PolicyValues,
  now: number,
  limit = maxListedViolations,
): Promise<PolicyReview> {
  const review: PolicyReview = { counts: [], violations: [] };
  for (const policy of activePolicies(values)) {
    // The compiler cannot see that the query and the value belong together.
    const find = policyViolationQueries(data)[policy] as (
      workspaceId: string,
      value: unknown,
      now: number,
    ) => Promise<Violation[]>;
    const found = await find(id, values[policy], now);
    review.counts.push({ policy, count: found.length, more: Math.max(0, found.length - limit) });
    for (const violation of found.slice(0, limit)) review.violations.push({ ...violation, policy });
  }
  return review;
}
