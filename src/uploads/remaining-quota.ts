/** Checks the storage quota before the body is received. The final check happens in the transaction. */
import type { Connection } from '../db/data.ts';
import type { Owner } from '../owners/owner.ts';
import { quotaReached, remainingStorage } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { idempotencyQueries, type UploadClaim } from './idempotency-queries.ts';

export interface ExpectedUpload {
  /** Minimum size of the files, or 0 if unknown. */
  minBytes: number;
  idempotencyKey: UploadClaim | null;
}

/** Returns the bytes left for a file, or Infinity without a limit. Throws `forbidden` if the announced size does not fit. */
export async function checkRemainingQuota(
  data: Connection,
  owner: Owner,
  expected: ExpectedUpload,
  now: number,
): Promise<number> {
  const bounds = await quotaQueries(data).quotaUsagesOf(owner.id);
  if (bounds.length === 0) return Number.POSITIVE_INFINITY;
  const { idempotencyKey } = expected;
  // A retried upload gets the first result and needs no storage.
  if (idempotencyKey !== null && (await idempotencyQueries(data).find(owner.id, idempotencyKey, now))) {
    return Number.POSITIVE_INFINITY;
  }
  const remainingBytes = remainingStorage(bounds);
  const full = bounds.some(({ quota, usage }) => quota.maxBuilds !== null && usage.builds >= quota.maxBuilds);
  if (full || remainingBytes <= 0 || expected.minBytes > remainingBytes) throw quotaReached();
  return remainingBytes;
}
