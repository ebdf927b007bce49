/** Trying again. Safe only because every try carries the same Idempotency-Key, for which the server gives the first result. */
import { UploadFault } from './upload-fault.ts';
import type { UploadAnswer } from './upload-file.ts';

export interface RetryPlan {
  retries: number;
  pause: (milliseconds: number) => Promise<void>;
  /** Told before each pause, with words such as `The server answered 503.` */
  onRetry: (retry: { reason: string; pauseMs: number; number: number }) => void;
}

const passingStatuses = new Set([429, 502, 503, 504]);
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A server that asks for more patience than this gets its answer reported instead. */
const longestRetryAfterMs = 120_000;

/**
 * Runs `attempt` until it gives an answer that another try would not better. Pauses are 1, 2, 4 … s, at most 30 s, or
 * what the server asks for in Retry-After when that is longer. Throws the last `UploadFault`.
 */
export async function uploadWithRetries(
  attempt: () => Promise<UploadAnswer>,
  plan: RetryPlan,
): Promise<UploadAnswer> {
  for (let number = 1; ; number += 1) {
    const outcome = await attempt().catch((error: unknown) => {
      if (error instanceof UploadFault) return error;
      throw error;
    });
    const reason = passingReason(outcome);
    const askedMs = outcome instanceof UploadFault ? 0 : retryAfterMs(outcome.retryAfter);
    if (reason === null || number > plan.retries || askedMs > longestRetryAfterMs) {
      if (outcome instanceof UploadFault) throw outcome;
      return outcome;
    }
    const pauseMs = Math.max(Math.min(firstPauseMs * 2 ** (number - 1), longestPauseMs), askedMs);
    plan.onRetry({ reason, pauseMs, number });
    await plan.pause(pauseMs);
  }
}

function passingReason(outcome: UploadAnswer | UploadFault): string | null {
  if (outcome instanceof UploadFault) return outcome.mayPass ? outcome.message : null;
  return passingStatuses.has(outcome.status) ? `The server answered ${outcome.status}.` : null;
}

/** Seconds only (RFC 9110, 10.2.3 allows a date too, which needs clocks that agree). */
function retryAfterMs(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;
}
