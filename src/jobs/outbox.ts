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
  | { kind: 'send-letter'; letter: AccountEmailJob; until: number }
  /** An API key expires at `expiresAt` (epoch milliseconds): once before, to notify its Owner, and once at that time. */
  | { kind: 'key-expiry'; keyId: string; expiresAt: number }
  /** Something happened at `at` (epoch milliseconds) that webhooks hear of; `newsId` names it in every delivery of it. */
  | { kind: 'tell-hooks'; newsId: string; at: number; news: WebhookEvent }
  | { kind: 'send-hook'; deliveryId: string }
  /** A webhook's Owner was deleted at `at` (epoch milliseconds), and the webhook at once: here is all that its last message takes. */
  | { kind: 'send-last-hook'; at: number; hook: DeletedWebhook; owner: GoneOwner }
  /** The build was deleted at `deletedAt` (epoch milliseconds); if it still is, it goes for good. */
  | { kind: 'remove-build'; buildId: string; deletedAt: number }
  /** The same for several that were deleted by one deed. */
  | { kind: 'remove-builds'; buildIds: readonly string[]; deletedAt: number }
  /**
   * A deleted App goes piece by piece: each job but the last writes the next. Its own webhooks go with it, and so the last
   * waits until they have told what became of it, though not longer than `until` (epoch milliseconds).
   */
  | { kind: 'remove-app'; appId: string; telling?: { newsId: string; until: number } }
  /** Keys of blobs that no row names any more. */
  | { kind: 'remove-blobs'; blobs: readonly string[] }
  /** The rule about keeping builds is applied to every App of the scope, behind the App `after`, piece by piece. */
  | { kind: 'retention-round'; scope: RetentionScope; after: string }
  /** The same in one App, behind the revision `after`; `gone` went before, and webhooks are told of all when it is through. */
  | { kind: 'retain-builds'; appId: string; after: number; gone?: GoneBuilds }
  /** The stored files of all builds behind the build `after` are checked, piece by piece. */
  | { kind: 'check-files'; after: string };

/** Where a rule about keeping builds was set, or all that is there. */
export type RetentionScope = { kind: 'app' | 'owner' | 'workspace'; id: string } | { kind: 'everything' };

/** Which email, without the secret that its link will carry: that is made when it is sent, and never lies here. */
export type AccountEmailJob =
  | { about: 'password-reset'; login: string }
  | { about: 'email-change'; userId: string; email: string }
  | { about: 'invitation'; invitationId: string }
  /**
   * `at` (epoch milliseconds): when it was done. `address`: where to, when it is not the account's own address any more.
   * `subject`: the name of what it is about, for example of a key; `project`: of the Project that has it.
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
  /** `address`: the IP address that the sign-in came from. */
  | { about: 'new-sign-in'; userId: string; at: number; address: string; userAgent: string };

/** What about an account has changed. */
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
  /** By the operator, an administrator or an owner, without an invitation; `project` names the Project or Workspace. */
  | 'team-added'
  | 'workspace-added'
  | 'app-added';

/** Builds that went together. */
export interface GoneBuilds {
  count: number;
  /** The first `maxReportedRevisions` of them. */
  revisions: readonly number[];
}

/** However many builds go together, what is told of them stays this small. */
export const maxReportedRevisions = 1000;

/** An App that nobody can look up any more. */
export interface GoneApp {
  owner: { id: string; kind: 'user' | 'project'; name: string };
  platform: 'android' | 'ios';
  packageName: string;
  /** As its newest build named it. */
  name: string;
}

/** A webhook that is not there any more, with its address and secret as they were sealed for it. */
export interface DeletedWebhook {
  id: string;
  kind: string;
  sealedAddress: string;
  sealedSecret: string;
  /** Whose webhook it was; null when it was for all Apps of its Owner, or when the App had been deleted before. */
  app: Omit<GoneApp, 'owner'> | null;
}

/** An Owner that went with everything in it. */
export interface GoneOwner {
  kind: 'user' | 'project';
  name: string;
  apps: number;
  builds: number;
  by: string;
}

/** What webhooks can be told of. */
export type WebhookEvent =
  /** `pageId`: the distribution page that the upload named. */
  | { event: 'build.uploaded'; buildId: string; pageId: string | null }
  /** `gone`: the App went with all its builds. `count`: of the builds, which may be more than the revisions. */
  | {
      event: 'build.deleted';
      appId: string;
      revisions: readonly number[];
      count?: number;
      by: string;
      gone?: GoneApp;
    }
  /** The page hands out another build, or says something else about it. */
  | { event: 'page.changed'; pageId: string };

/** Thrown by a handler that knows when it goes on: the job waits until then, and no failure is counted or logged. */
export class NotYet extends Error {
  override name = 'NotYet';
  /** Epoch milliseconds. */
  readonly until: number;

  constructor(until: number) {
    super('the job waits');
    this.until = until;
  }
}

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
  builds: {
    kinds: ['draw-icon', 'verify-signature', 'announce-build', 'tell-hooks'],
    jobsAtOnce: 2,
    maxAttempts: 12,
  },
  // More than fit into a day, so that it is the age of a mail that ends its tries.
  mail: { kinds: ['send-mail', 'send-letter', 'key-expiry'], jobsAtOnce: 3, maxAttempts: 40 },
  // So many receivers may keep a delivery waiting at once before one waits for another.
  webhooks: { kinds: ['send-hook', 'send-last-hook'], jobsAtOnce: 10, maxAttempts: 12 },
  // More than a week of tries: a store that is away for a day gets rid of everything all the same.
  removals: {
    kinds: ['remove-build', 'remove-builds', 'remove-app', 'remove-blobs'],
    jobsAtOnce: 1,
    maxAttempts: 200,
  },
  retention: { kinds: ['retention-round', 'retain-builds'], jobsAtOnce: 1, maxAttempts: 200 },
  checks: { kinds: ['check-files'], jobsAtOnce: 1, maxAttempts: 200 },
} as const satisfies Record<string, Lane>;

export const leaseMs = 5 * 60_000;

/** Growing pauses between tries: 2 s, 4 s, 8 s … at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(1000 * 2 ** attempts, 60 * 60_000);
}
