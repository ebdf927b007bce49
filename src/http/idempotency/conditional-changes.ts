/** Runs changes of one resource with `If-Match` one at a time, across all nodes, so that only one of them matches its ETag. */

import type { Claims } from '../../claims/claims.ts';
import { AppError } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { idempotentRequestQueries } from './idempotent-request-queries.ts';

export type RunExclusively = <Result>(resource: string, run: () => Promise<Result>) => Promise<Result>;

/** Used in place of an owner: a resource is claimed like a request without an answer. */
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
      // If another request had claimed the resource, this releases nothing.
      await release();
    }
  };
}
