/** Runs changes of one resource that have `If-Match` one at a time, on all nodes, so that only one of them finds its ETag. */

import type { Claims } from '../../claims/claims.ts';
import { AppError } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { idempotentRequestQueries } from './idempotent-request-queries.ts';

export type RunExclusively = <Result>(resource: string, run: () => Promise<Result>) => Promise<Result>;

/** Instead of an owner: a resource is claimed like a request that has no answer yet. */
const claimant = 'If-Match';

/** Throws `precondition_failed` while the resource is being changed. */
export function createRunExclusively(deps: {
  data: Data;
  claims: Claims;
  now: () => number;
}): RunExclusively {
  const { claims } = deps;
  const queries = idempotentRequestQueries(deps.data);
  return async (resource, run) => {
    const now = deps.now();
    const claim = claims.begin();
    const release = () => claims.settle(claim, () => queries.release(claim));
    const request = { ownerId: claimant, key: resource, digest: '', now, claim };
    try {
      if (!(await queries.claim(request, 0)))
        throw new AppError('precondition_failed', 'the resource is being changed by another request');
      return await run();
    } finally {
      // Holds nothing if the resource was claimed by another request.
      await release();
    }
  };
}
