/**
 * Work that follows a commit. A job is written in the transaction of its cause, so that it exists exactly when the cause
 * does; handlers are idempotent, because a job whose node dies is handed out again.
 */
export type Job =
  | { kind: 'draw-icon'; buildId: string }
  | { kind: 'verify-signature'; buildId: string }
  /** `pageId`: the distribution page that the upload named. */
  | { kind: 'announce-build'; buildId: string; pageId: string | null }
  /** News grow old: after `until` (epoch milliseconds) the mail is not sent any more. */
  | { kind: 'send-mail'; mailId: string; until: number }
  /** After `until` (epoch milliseconds) it is not sent any more. */
  | { kind: 'send-letter'; letter: LetterOrder; until: number }
  /** The build was deleted at `deletedAt` (epoch milliseconds); if it still is, it goes for good. */
  | { kind: 'remove-build'; buildId: string; deletedAt: number }
  /** A deleted App goes piece by piece: each job but the last writes the next. */
  | { kind: 'remove-app'; appId: string }
  /** Keys of blobs that no row names any more. */
  | { kind: 'remove-blobs'; blobs: readonly string[] };

/** Which letter, without the secret that its link will carry: that is made when it is sent, and never lies here. */
export type LetterOrder =
  | { about: 'password-reset'; login: string }
  | { about: 'email-change'; userId: string; email: string }
  | { about: 'invitation'; invitationId: string };

export type JobHandlers = { [Kind in Job['kind']]: (job: Extract<Job, { kind: Kind }>) => Promise<void> };

export interface ClaimedJob {
  id: string;
  job: Job;
  attempts: number;
}

/** Jobs of one lane never wait for those of another: a slow mail server does not hold up icons, nor they the mail. */
export interface Lane {
  kinds: readonly Job['kind'][];
  jobsAtOnce: number;
  /** A job that failed so often stays where it is, with its error. */
  maxAttempts: number;
}

export const lanes = {
  builds: { kinds: ['draw-icon', 'verify-signature', 'announce-build'], jobsAtOnce: 2, maxAttempts: 12 },
  // More than fit into a day, so that it is the age of a mail that ends its tries.
  mail: { kinds: ['send-mail', 'send-letter'], jobsAtOnce: 3, maxAttempts: 40 },
  // More than a week of tries: a store that is away for a day gets rid of everything all the same.
  removals: { kinds: ['remove-build', 'remove-app', 'remove-blobs'], jobsAtOnce: 1, maxAttempts: 200 },
} as const satisfies Record<string, Lane>;

export const leaseMs = 5 * 60_000;

/** Growing pauses between tries: 2 s, 4 s, 8 s … at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(1000 * 2 ** attempts, 60 * 60_000);
}
