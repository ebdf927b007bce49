/** Retries uploads. This is safe because all attempts have the same Idempotency-Key, for which the server returns the first result. */
import { UploadError } from './upload-error.ts';
import type { UploadResponse } from './upload-file.ts';

export interface RetryPlan {
  retries: number;
  /** Whether the outcome is final because the attempt has repeated what it could. */
  isFinal?: () => boolean;
  pause: (milliseconds: number) => Promise<void>;
  /** Called before each pause, with a reason such as `The server answered 503.` */
  onRetry: (retry: { reason: string; pauseMs: number; number: number }) => void;
}

const transientStatuses = new Set([429, 502, 503, 504]);
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/** If Retry-After is longer, the answer is reported instead. */
export const maxRetryAfterMs = 120_000;

/**
 * Runs `attempt` until it returns a final answer. Pauses for 1, 2, 4 … s, at most 30 s, or for the server's Retry-After if that
 * is longer. Throws the last `UploadError`.
 */
export async function uploadWithRetries(
  attempt: () => Promise<UploadResponse>,
  plan: RetryPlan,
): Promise<UploadResponse> {
  for (let number = 1; ; number += 1) {
    const outcome = await attempt().catch((error: unknown) => {
      if (error instanceof UploadError) return error;
      throw error;
    });
    const reason = transientReason(outcome);
    const askedMs = outcome instanceof UploadError ? 0 : retryAfterMs(outcome.retryAfter);
    if (reason === null || plan.isFinal?.() || number > plan.retries || askedMs > maxRetryAfterMs) {
      if (outcome instanceof UploadError) throw outcome;
      return outcome;
    }
    const pauseMs = Math.max(backoffMs(number), askedMs);
    plan.onRetry({ reason, pauseMs, number });
    await plan.pause(pauseMs);
  }
}

/** `number`: of the retry, from 1. */
export const backoffMs = (number: number) => Math.min(firstPauseMs * 2 ** (number - 1), maxPauseMs);

function transientReason(outcome: UploadResponse | UploadError): string | null {
  if (outcome instanceof UploadError) return outcome.isTransient ? outcome.message : null;
  return transientStatuses.has(outcome.status) ? `The server answered ${outcome.status}.` : null;
}

/** Supports only seconds. RFC 9110, 10.2.3 also allows a date, which would need synchronized clocks. */
export function retryAfterMs(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : 0;
}
