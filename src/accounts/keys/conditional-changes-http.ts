/** Runs changes of one resource that have `If-Match` one at a time, on all nodes, so that only one of them finds its ETag. */
import { AppError } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { idempotentRequestQueries } from './idempotent-request-queries.ts';
import { abandonedAfterMs } from './idempotent-requests-http.ts';

export type RunExclusively = <Result>(resource: string, run: () => Promise<Result>) => Promise<Result>;

/** Instead of an owner: a resource is claimed like a request that has no answer yet. */
const claimant = 'If-Match';

/** Throws `precondition_failed` while the resource is being changed. */
export function createRunExclusively(deps: { data: Data; now: () => number }): RunExclusively {
  const queries = idempotentRequestQueries(deps.data);
  return async (resource, run) => {
    const now = deps.now();
    const abandoned = now - abandonedAfterMs;
    const claim = { ownerId: claimant, key: resource, digest: '', now };
    if (!(await queries.claim(claim, { expired: abandoned, abandoned })))
      throw new AppError('precondition_failed', 'the resource is being changed by another request');
    try {
      return await run();
    } finally {
      await queries.release(claimant, resource);
    }
  };
}
