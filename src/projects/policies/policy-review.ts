/** What violates the policies of a Workspace, without changing anything. */
import type { Data } from '../../db/data.ts';
import type { Workspace } from '../../owners/owner.ts';
import { activePolicies, type PolicyName, type PolicyValues } from '../../owners/policies/policies.ts';
import type { ListedViolation, Violation } from './policy-violation.ts';
import { policyViolationQueries } from './policy-violation-queries.ts';

export interface PolicyReview {
  /** The policies in force, in their order, with the number of violations. */
  counts: { policy: PolicyName; count: number }[];
  violations: ListedViolation[];
}

export async function reviewPolicies(
  data: Data,
  { id }: Workspace,
  values: PolicyValues,
  now: number,
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
    review.counts.push({ policy, count: found.length });
    for (const violation of found) review.violations.push({ ...violation, policy });
  }
  return review;
}
