import type { DeletedBuilds, DeletedOwner, DeletedWebhook, EventCause } from '../events/events.ts';

/**
 * Work that follows a commit. A job is written in the transaction of its cause, so that either both exist or neither does.
 * Handlers are idempotent, because a job is run again if its node dies.
 */
export type Job =
  | { kind: 'draw-icon'; buildId: string }
  | { kind: 'verify-signature'; buildId: string }
  /** Analyzes the uploaded package. */
  | { kind: 'analyze-build'; buildId: string }
  /**
   * Generates the APK of an app bundle, signed with the key `keyNumber` of the Owner, and publishes it on the page of the upload
   * with this note. `uploaderId`: who is notified of a failure; null for the owners of the Project.
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
  /** Not sent after `until` (epoch milliseconds), when it is outdated. */
  | { kind: 'send-mail'; mailId: string; until: number }
  /** Not sent after `until` (epoch milliseconds). */
  | { kind: 'send-account-email'; accountEmail: AccountEmailJob; until: number }
  /** A reply to feedback. Not sent after `until` (epoch milliseconds). */
  | { kind: 'send-feedback-reply'; replyId: string; until: number }
  /** Emails people who manage the App about feedback received from `from` to `to` (epoch milliseconds). */
  | { kind: 'announce-feedback'; appId: string; from: number; to: number }
  /** The email to one of these people. Not sent after `until` (epoch milliseconds). */
  | { kind: 'send-feedback-mail'; userId: string; appId: string; from: number; to: number; until: number }
  /**
   * Handles the expiry, at `expiresAt` (epoch milliseconds), of an API key or of a secret that a rotation replaced. For a key,
   * also runs once before that time, to notify its Owner.
   */
  | { kind: 'key-expiry'; keyId: string; expiresAt: number }
  /** Records an event that occurred at `at` (epoch milliseconds), and creates its webhook deliveries. */
  | { kind: 'dispatch-event'; eventId: string; at: number; event: EventCause }
  | { kind: 'send-webhook'; deliveryId: string }
  /**
   * Sends the last message of a webhook that was deleted together with its Owner at `at` (epoch milliseconds). Contains
   * everything that the message needs.
   */
  | { kind: 'send-last-webhook'; at: number; hook: DeletedWebhook; owner: DeletedOwner }
  /** Permanently removes a build that was deleted at `deletedAt` (epoch milliseconds), unless it has been restored. */
  | { kind: 'remove-build'; buildId: string; deletedAt: number }
  /** Like `remove-build`, for several builds that were deleted together. */
  | { kind: 'remove-builds'; buildIds: readonly string[]; deletedAt: number }
  /**
   * Removes a deleted App in batches: each job except the last adds the next one. The App's own webhooks are removed with it, so
   * the last job waits until they have delivered the deletion, but no longer than `until` (epoch milliseconds).
   */
  | { kind: 'remove-app'; appId: string; pending?: { eventId: string; until: number } }
  /** Keys of blobs that no row references. */
  | { kind: 'remove-blobs'; blobs: readonly string[] }
  /** Applies the retention rule to every App of the scope after the App `after`, in batches. */
  | { kind: 'retention-round'; scope: RetentionScope; after: string }
  /**
   * Applies retention to one App after the revision `after`. `gone`: the builds deleted so far, which webhooks receive in a
   * single event at the end.
   */
  | { kind: 'retain-builds'; appId: string; after: number; gone?: DeletedBuilds }
  /** Verifies the stored files of all builds after the build `after`, in batches. */
  | { kind: 'check-files'; after: string }
  /** Analyzes all builds after the build `after` that the current version of the analyzer has not analyzed, in batches. */
  | { kind: 'analyze-builds'; after: string }
  /** Looks for people who left the directory (LDAP), and for their groups. */
  | { kind: 'directory-round' }
  /** Reminds the Owners after the Owner `after` of rules of the app stores that begin soon, in batches. */
  | { kind: 'store-rule-round'; after: string }
  /** Seals the entries of the audit log that are committed. */
  | { kind: 'seal-audit' }
  /** Sends sealed entries to the receiver of the audit log. */
  | { kind: 'stream-audit' }
  /** Ends what is kept for a limited time. */
  | { kind: 'privacy-round' }
  /** The email about what was reminded of at `at`, and begins on `day` (`YYYY-MM-DD`). Not sent after `until`. Both are epoch milliseconds. */
  | { kind: 'send-store-rule-mail'; userId: string; ownerId: string; day: string; at: number; until: number };

/** The scope of a retention rule, or everything. */
export type RetentionScope = { kind: 'app' | 'owner' | 'workspace'; id: string } | { kind: 'everything' };

/** The kind of account email, without the secret of its link: that is created only when the email is sent, and never stored here. */
export type AccountEmailJob =
  | { about: 'password-reset'; login: string }
  | { about: 'email-change'; userId: string; email: string }
  | { about: 'invitation'; invitationId: string }
  /**
   * `at` (epoch milliseconds): when it happened. `address`: the recipient, if it is no longer the account’s address. `subject`:
   * the name of the object, for example of a key. `project`: the Project that owns it.
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
  /** `path`: the page of the build. `reason`: a message of the package reader. */
  | { about: 'bundle-failed'; userId: string; build: string; path: string; reason: string }
  /** `address`: the IP address of the sign-in. */
  | { about: 'new-sign-in'; userId: string; at: number; address: string; userAgent: string };

/** The change to an account. */
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
  /** Created or changed. */
  | 'trusted-publisher'
  | 'project-trusted-publisher'
  /** Uploads with other keys are accepted again. */
  | 'trusted-only-off'
  | 'project-trusted-only-off'
  | 'reset-link-created'
  | 'administrator-granted'
  | 'administrator-removed'
  | 'account-enabled'
  /** Added by the operator, an administrator or an owner, without an invitation. `project`: the Project or Workspace. */
  | 'team-added'
  | 'workspace-added'
  | 'workspace-joined'
  | 'app-added';

/** Thrown by a handler that knows when to continue. The job waits until then, and no failure is counted or logged. */
export class NotReady extends Error {
  override name = 'NotReady';
  /** Epoch milliseconds. */
  readonly until: number;

  constructor(until: number) {
    super('the job waits');
    this.until = until;
  }
}

/** `ownerId`: the owner who has the turn, and who also owns the jobs added by the handler. */
export type JobHandlers = {
  [Kind in Job['kind']]: (job: Extract<Job, { kind: Kind }>, ownerId: string) => Promise<void>;
};

export interface ClaimedJob {
  id: string;
  job: Job;
  attempts: number;
  /** The owner who had the turn. */
  ownerId: string;
}

/** Used in place of an Owner for jobs of the installation itself and for people without an account. */
export const installation = '';

/**
 * Jobs in different lanes never wait for each other: a slow mail server does not delay icons, or vice versa. In every lane,
 * owners take turns: a job waits for at most one job of each other owner.
 */
export interface Lane {
  kinds: readonly Job['kind'][];
  /** Per node. If there are several, another one is reserved for owners without a running job, so that no owner can occupy all of them. */
  jobsAtOnce: number;
  /** A job that has failed this often is not retried anymore, and keeps its error. */
  maxAttempts: number;
}

/** The names must not change, because they are stored. */
export const lanes = {
  builds: {
    kinds: ['draw-icon', 'verify-signature', 'announce-build'],
    jobsAtOnce: 2,
    maxAttempts: 12,
  },
  // One at a time on each node, because one may take minutes.
  analyses: { kinds: ['analyze-build'], jobsAtOnce: 1, maxAttempts: 12 },
  // One at a time on each node. More attempts than fit into a day, after which the conversion fails.
  conversions: { kinds: ['convert-bundle'], jobsAtOnce: 1, maxAttempts: 60 },
  // One at a time, so that a node records the events of an owner in the order of their jobs.
  events: { kinds: ['dispatch-event'], jobsAtOnce: 1, maxAttempts: 12 },
  // More attempts than fit into the time for which an email may be sent, so that its age ends them.
  mail: {
    kinds: [
      'send-mail',
      'send-account-email',
      'send-feedback-reply',
      'announce-feedback',
      'send-feedback-mail',
      'send-store-rule-mail',
      'key-expiry',
    ],
    jobsAtOnce: 3,
    maxAttempts: 40,
  },
  // How many slow receivers can be waited for before deliveries queue up.
  webhooks: { kinds: ['send-webhook', 'send-last-webhook'], jobsAtOnce: 10, maxAttempts: 12 },
  seals: { kinds: ['seal-audit'], jobsAtOnce: 1, maxAttempts: 200 },
  // Separate, because a receiver may hang.
  audit: { kinds: ['stream-audit'], jobsAtOnce: 1, maxAttempts: 200 },
  // More than a week of attempts, so that even after an outage of a day, everything is still removed from the store.
  removals: {
    kinds: ['remove-build', 'remove-builds', 'remove-app', 'remove-blobs'],
    jobsAtOnce: 1,
    maxAttempts: 200,
  },
  retention: { kinds: ['retention-round', 'retain-builds'], jobsAtOnce: 1, maxAttempts: 200 },
  // Separate, because a directory may take minutes.
  directories: { kinds: ['directory-round'], jobsAtOnce: 1, maxAttempts: 200 },
  checks: {
    kinds: ['check-files', 'analyze-builds', 'store-rule-round', 'privacy-round'],
    jobsAtOnce: 1,
    maxAttempts: 200,
  },
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

/** Increasing delays between attempts: 2 s, 4 s, 8 s … up to an hour. */
export function retryDelay(attempts: number): number {
  return Math.min(1000 * 2 ** attempts, 60 * 60_000);
}
