/** Events reported by webhooks and the API: their types, and the data for the job that dispatches them. */

const typesOfApps = [
  'build.uploaded',
  'build.verified',
  'build.checked',
  'build.conversion_failed',
  'build.edited',
  'build.deleted',
  'build.restored',
  'page.created',
  'page.published',
  'page.rolled_back',
  'page.note_changed',
  'page.edited',
  'page.build_withdrawn',
  'page.deleted',
  'feedback.created',
  'store_rule.approaching',
] as const;

/** Event types that a webhook of one App can receive. */
export const appEventTypes = [...typesOfApps, 'owner.deleted'] as const;

export const eventTypes = [
  ...typesOfApps,
  'device.registered',
  'device.removed',
  'member.added',
  'member.changed',
  'member.removed',
  'key.created',
  'key.revoked',
  'trusted_publisher.created',
  'trusted_publisher.changed',
  'trusted_publisher.deleted',
  'owner.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

/** A subscription of a webhook. `*`: every event, including those of future versions. */
export type EventChoice = EventType | '*';

/**
 * The cause of an event about an object that still exists, or that is deleted alone. `send-last-webhook` reports the deletion of
 * an Owner.
 */
export type EventCause =
  /** `pageId`: the distribution page of the upload. */
  | { type: 'build.uploaded'; buildId: string; pageId: string | null; kept?: KeptSubject }
  | { type: `build.${'verified' | 'conversion_failed' | 'edited' | 'restored'}`; buildId: string }
  /** `facts`: what the package states about security, as the API shows it; null in jobs of earlier versions. */
  | { type: 'build.checked'; buildId: string; facts?: readonly Readonly<Record<string, unknown>>[] }
  /**
   * `gone`: the App was deleted with all its builds. `count`: the number of builds, which may exceed the listed
   * revisions.
   */
  | {
      type: 'build.deleted';
      appId: string;
      revisions: readonly number[];
      count?: number;
      by: string;
      gone?: DeletedApp;
    }
  | { type: 'page.created' | PageChangeType | 'page.edited'; pageId: string; kept?: KeptSubject }
  | { type: 'page.build_withdrawn'; pageId: string; buildId: string; kept?: KeptSubject }
  | { type: 'page.deleted'; appId: string; page: DeletedResource }
  | { type: 'feedback.created'; feedbackId: string }
  | { type: 'store_rule.approaching'; buildId: string; ruleId: string }
  | { type: 'device.registered'; ownerId: string; deviceId: string; kept?: KeptSubject }
  | { type: 'device.removed'; ownerId: string; device: DeletedResource }
  | { type: `member.${'added' | 'changed' | 'removed'}`; ownerId: string; person: DeletedResource }
  | { type: 'key.created' | 'key.revoked'; ownerId: string; keyId: string }
  | {
      type: `trusted_publisher.${'created' | 'changed' | 'deleted'}`;
      ownerId: string;
      publisher: DeletedResource;
    };

/** A change of the build that a page serves, or of its note. */
export type PageChangeType = 'page.published' | 'page.rolled_back' | 'page.note_changed';

/** The object as the API shows it, because it can't be looked up later. */
export type DeletedResource = Readonly<Record<string, unknown>>;

/** The page or device of an event that was deleted before the event was dispatched. `buildId`: the build that the page served. */
export interface KeptSubject {
  resource: DeletedResource;
  buildId?: string;
}

/** Builds that were deleted together. */
export interface DeletedBuilds {
  count: number;
  /** The first `maxReportedRevisions` of their revisions. */
  revisions: readonly number[];
}

/** Limits the size of an event when many builds are deleted together. */
export const maxReportedRevisions = 1000;

/** A deleted App that can no longer be looked up. */
export interface DeletedApp {
  owner: { id: string; kind: 'user' | 'project'; name: string };
  platform: 'android' | 'ios';
  packageName: string;
  /** From its newest build. */
  name: string;
  history: { lastRevision: number; createdAt: number; lastUploadAt: number };
}

/** A deleted webhook, with its encrypted address and secret. The property names must not change, because they are stored in jobs. */
export interface DeletedWebhook {
  id: string;
  kind: string;
  sealedAddress: string;
  sealedSecret: string;
  oldSecretUntil: number | null;
  /** The App of the webhook; null if it was for all Apps of its Owner, or if the App had been deleted before. */
  app: Omit<DeletedApp, 'owner' | 'history'> | null;
}

/** An Owner that was deleted with all its contents. */
export interface DeletedOwner {
  kind: 'user' | 'project';
  name: string;
  apps: number;
  builds: number;
  by: string;
}
