/**
 * Work that follows a commit. A job is written in the transaction of its cause, so that it exists exactly when the cause
 * does; handlers are idempotent, because a job whose node dies is handed out again.
 */
export type Job = { kind: 'draw-icon'; buildId: string } | { kind: 'verify-signature'; buildId: string };

export type JobHandlers = { [Kind in Job['kind']]: (job: Extract<Job, { kind: Kind }>) => Promise<void> };

export interface ClaimedJob {
  id: string;
  job: Job;
  attempts: number;
}

export const leaseMs = 5 * 60_000;
export const maxAttempts = 12;

/** Growing pauses between tries: 2 s, 4 s, 8 s … at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(1000 * 2 ** attempts, 60 * 60_000);
}
