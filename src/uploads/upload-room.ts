/** How much more an Owner may store, judged before a body is received; what counts in the end is judged with the rows. */
import type { Data } from '../data.ts';
import type { Owner } from '../owners/owner.ts';
import { quotaReached } from '../owners/quota.ts';

export interface ExpectedUpload {
  /** Of the files alone, at least; 0 when the sender does not say. */
  leastBytes: number;
  idempotencyKey: string | null;
}

/** Bytes that a file may have; Infinity without a limit. Throws `forbidden` when what is announced cannot fit. */
export async function checkRoom(
  data: Data,
  owner: Owner,
  expected: ExpectedUpload,
  now: number,
): Promise<number> {
  const bounds = await data.quotas.boundsOf(owner.id);
  if (bounds.length === 0) return Number.POSITIVE_INFINITY;
  const { idempotencyKey } = expected;
  // The answer to a job that tries again is what the first one led to, and takes no room.
  if (idempotencyKey !== null && (await data.idempotency.find(owner.id, idempotencyKey, now))) {
    return Number.POSITIVE_INFINITY;
  }
  const roomBytes = Math.min(
    ...bounds.map(({ quota, usage }) => (quota.maxStorageBytes ?? Number.POSITIVE_INFINITY) - usage.bytes),
  );
  const full = bounds.some(({ quota, usage }) => quota.maxBuilds !== null && usage.builds >= quota.maxBuilds);
  if (full || roomBytes <= 0 || expected.leastBytes > roomBytes) throw quotaReached();
  return roomBytes;
}
