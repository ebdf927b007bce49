import type { DeletedBuilds, DeletedOwner, DeletedWebhook, EventCause } from '../events/events.ts';

/**
 * Work that follows a commit. A job is written in the transaction of its cause, so that both exist or neither;
 * handlers are idempotent, because a job whose node dies is run again.
 */
export type Job =
  | { kind: 'draw-icon'; buildId: string }
  | { kind: 'verify-signature'; buildId: string }
  /**
   * Makes the APK of an app bundle, signed with the key `keyNumber` of the Owner, and publishes it on the page of the upload with
   * this note. `uploaderId`: who learns of a failure; null for the owners of the Project.
   */
  | {
      kind: 'convert-bundle';
      buildId: string;
      ownerId: string;
      keyNumber: number;
      apkBytes: number;
      contentBytes: number;
      pageId: string | null;
      releaseNote: string;
      announces: boolean;
      uploaderId: string | null;
    }
  /** `pageId`: the distribution page of the upload. */
  | { kind: 'announce-build'; buildId: string; pageId: string | null }
  /** After `until` (epoch milliseconds) the email is outdated and no longer sent. */
  | { kind: 'send-mail'; mailId: string; until: number }
  /** After `until` (epoch milliseconds) it is no longer sent. */
  | { kind: 'send-account-email'; accountEmail: AccountEmailJob; until: number }
  /** A reply to feedback. After `until` (epoch milliseconds) it is no longer sent. */
  | { kind: 'send-feedback-reply'; replyId: string; until: number }
  /** Emails people who manage the App about feedback received from `from` to `to` (epoch milliseconds). */
  | { kind: 'announce-feedback'; appId: string; from: number; to: number }
  /** The email to one of them. After `until` (epoch milliseconds) it is no longer sent. */
  | { kind: 'send-feedback-mail'; userId: string; appId: string; from: number; to: number; until: number }
  /**
   * An API key, or a secret that a rotation replaced, expires at `expiresAt` (epoch milliseconds): of a key, runs once before, to
   * notify its Owner, and once at that time.
   */
  | { kind: 'key-expiry'; keyId: string; expiresAt: number }
  /** An event occurred at `at` (epoch milliseconds): records it and creates its webhook deliveries. */
  | { kind: 'dispatch-event'; eventId: string; at: number; event: EventCause }
  | { kind: 'send-webhook'; deliveryId: string }
  /**
   * The Owner of a webhook was deleted at `at` (epoch milliseconds) together with the webhook; this is everything its
   * last message needs.
   */
  | { kind: 'send-last-webhook'; at: number; hook: DeletedWebhook; owner: DeletedOwner }
  /** The build was deleted at `deletedAt` (epoch milliseconds); removes it permanently if it has not been restored. */
  | { kind: 'remove-build'; buildId: string; deletedAt: number }
  /** Does the same for several builds that were deleted together. */
  | { kind: 'remove-builds'; buildIds: readonly string[]; deletedAt: number }
  /**
   * Removes a deleted App in batches: each job but the last adds the next. Its own webhooks are removed with it, so
   * the last job waits until they have delivered the deletion, but no longer than `until` (epoch milliseconds).
   */
  | { kind: 'remove-app'; appId: string; pending?: { eventId: string; until: number } }
  /** Keys of blobs that no row references. */
  | { kind: 'remove-blobs'; blobs: readonly string[] }
  /** Applies the retention rule to every App of the scope after the App `after`, in batches. */
  | { kind: 'retention-round'; scope: RetentionScope; after: string }
  /**
   * Applies retention to one App after the revision `after`; `gone` counts builds deleted so far, which webhooks
   * receive in one event at the end.
   */
  | { kind: 'retain-builds'; appId: string; after: number; gone?: DeletedBuilds }
  /** Verifies the stored files of all builds after the build `after`, in batches. */
  | { kind: 'check-files'; after: string };

/** The scope of a retention rule, or everything. */
export type RetentionScope = { kind: 'app' | 'owner' | 'workspace'; id: string } | { kind: 'everything' };

/**
 * The kind of account email, without the secret of its link, which is created only when it is sent and is never
 * stored here.
 */
export type AccountEmailJob =
  | { about: 'password-reset'; login: string }
  | { about: 'email-change'; userId: string; email: string }
  | { about: 'invitation'; invitationId: string }
  /**
   * `at` (epoch milliseconds): when it happened. `address`: the recipient, if it is no longer the account’s address.
   * `subject`: the name of the object, for example of a key; `project`: the Project that owns it.
   */
  | {
      about: 'notice';
      notice: NoticeKind;
      userId: string;
      at: number;
      address?: string;
      subject?: string;
      project?: string;
    }
  /** `path`: of the build. `reason`: a message of the package reader. */
  | { about: 'bundle-failed'; userId: string; build: string; path: string; reason: string }
  /** `address`: the IP address of the sign-in. */
  | { about: 'new-sign-in'; userId: string; at: number; address: string; userAgent: string };

/** What has changed about an account. */
export type NoticeKind =
  | 'password-changed'
  | 'email-changed'
  | 'app-on'
  | 'app-off'
  | 'passkey-added'
  | 'passkey-removed'
  | 'recovery-codes-made'
  | 'recovery-code-used'
  | 'factors-reset'
  | 'identity-linked'
  | 'identity-unlinked'
  | 'key-created'
  | 'project-key-created'
  | 'key-rotated'
  | 'project-key-rotated'
  | 'key-expires'
  | 'project-key-expires'
  | 'reset-link-created'
  | 'administrator-granted'
  | 'administrator-removed'
  | 'account-enabled'
  /** By the operator, an administrator or an owner, without an invitation; `project` is the Project or Workspace. */
  | 'team-added'
  | 'workspace-added'
  | 'app-added';

/** Thrown by a handler that knows when to continue: the job waits until then, and no failure is counted or logged. */
export class NotReady extends Error {
  override name = 'NotReady';
  /** Epoch milliseconds. */
  readonly until: number;

  constructor(until: number) {
    super('the job waits');
    this.until = until;
  }
}

/** `ownerId`: the owner whose turn it is, who also owns the jobs that the handler adds. */
export type JobHandlers = {
  [Kind in Job['kind']]: (job: Extract<Job, { kind: Kind }>, ownerId: string) => Promise<void>;
};

export interface ClaimedJob {
  id: string;
  job: Job;
  attempts: number;
  /** Whose turn it was. */
  ownerId: string;
}

/** Stands for an Owner in jobs of the installation itself, and in those for people without an account. */
export const installation = '';

/**
 * Jobs of different lanes never wait for each other: a slow mail server does not delay icons, nor the reverse. In every lane, owners take
 * turns: a job waits for at most one of each other owner, however many they have.
 */
export interface Lane {
  kinds: readonly Job['kind'][];
  /** On each node. If several, one more is for owners without a running job, so that no owner occupies all places. */
  jobsAtOnce: number;
  /** A job with this many failures is no longer retried and keeps its error. */
  maxAttempts: number;
}

/** The names are stored. */
export const lanes = {
  builds: {
    kinds: ['draw-icon', 'verify-signature', 'announce-build'],
    jobsAtOnce: 2,
    maxAttempts: 12,
  },
  // One at a time on each node. More attempts than fit into a day, after which the conversion has failed.
  conversions: { kinds: ['convert-bundle'], jobsAtOnce: 1, maxAttempts: 60 },
  // One after the other, so that a node records the events of an owner in the order of their jobs.
  events: { kinds: ['dispatch-event'], jobsAtOnce: 1, maxAttempts: 12 },
  // More attempts than fit into a day, so that the age of an email ends them.
  mail: {
    kinds: [
      'send-mail',
      'send-account-email',
      'send-feedback-reply',
      'announce-feedback',
      'send-feedback-mail',
      'key-expiry',
    ],
    jobsAtOnce: 3,
    maxAttempts: 40,
  },
  // This many slow receivers can be waiting before deliveries queue.
  webhooks: { kinds: ['send-webhook', 'send-last-webhook'], jobsAtOnce: 10, maxAttempts: 12 },
  // More than a week of attempts: after an outage of a day, a store still removes everything.
  removals: {
    kinds: ['remove-build', 'remove-builds', 'remove-app', 'remove-blobs'],
    jobsAtOnce: 1,
    maxAttempts: 200,
  },
  retention: { kinds: ['retention-round', 'retain-builds'], jobsAtOnce: 1, maxAttempts: 200 },
  checks: { kinds: ['check-files'], jobsAtOnce: 1, maxAttempts: 200 },
} as const satisfies Record<string, Lane>;

export type LaneName = keyof typeof lanes;
export const laneNames = Object.keys(lanes) as LaneName[];

const lanesByKind = new Map<Job['kind'], LaneName>(
  laneNames.flatMap((name) => lanes[name].kinds.map((kind) => [kind, name] as const)),
);

export function laneOf(kind: Job['kind']): LaneName {
  const name = lanesByKind.get(kind);
  if (!name) throw new Error(`the job ${kind} has no lane`);
  return name;
}

/** Growing delays between attempts: 2 s, 4 s, 8 s … at most an hour. */
export function retryDelay(attempts: number): number {
  return Math.min(1000 * 2 ** attempts, 60 * 60_000);
}
