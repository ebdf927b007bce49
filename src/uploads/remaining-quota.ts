/** How much more an Owner may store, judged before a body is received; what counts in the end is judged with the rows. */
import type { Data } from '../db/data.ts';
import type { Owner } from '../owners/owner.ts';
import { quotaReached } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { idempotencyQueries } from './idempotency-queries.ts';

export interface ExpectedUpload {
  /** Of the files alone, at least; 0 when the sender does not say. */
  leastBytes: number;
  idempotencyKey: string | null;
}

/** Bytes that a file may have; Infinity without a limit. Throws `forbidden` when what is announced cannot fit. */
export async function checkRemainingQuota(
  data: Data,
  owner: Owner,
  expected: ExpectedUpload,
  now: number,
): Promise<number> {
  const bounds = await quotaQueries(data).quotaUsagesOf(owner.id);
  if (bounds.length === 0) return Number.POSITIVE_INFINITY;
  const { idempotencyKey } = expected;
  // The answer to a job that tries again is what the first one led to, and takes no room.
  if (idempotencyKey !== null && (await idempotencyQueries(data).find(owner.id, idempotencyKey, now))) {
    return Number.POSITIVE_INFINITY;
  }
  const remainingBytes = Math.min(
    ...bounds.map(({ quota, usage }) => (quota.maxStorageBytes ?? Number.POSITIVE_INFINITY) - usage.bytes),
  );
  const full = bounds.some(({ quota, usage }) => quota.maxBuilds !== null && usage.builds >= quota.maxBuilds);
  if (full || remainingBytes <= 0 || expected.leastBytes > remainingBytes) throw quotaReached();
  return remainingBytes;
}
