/** Details of an event, stored when it occurs, so that every attempt sends the same data even if it changes. */

import type { App, Build } from '../../apps/app.ts';
import { appJson } from '../../apps/app-json.ts';
import { buildChecksPath, distributionPath, platformAppPath, revisionPath } from '../../apps/app-paths.ts';
import { type BuildFields, pickBuildFields } from '../../apps/build-fields.ts';
import type { DistributionPage } from '../../distributions/distribution-page.ts';
import type { DeletedApp, DeletedOwner, EventCause } from '../../events/events.ts';
import type { ListedFeedback } from '../../feedback/feedback.ts';
import { feedbackPath } from '../../feedback/feedback-paths.ts';
import {
  type CheckResult,
  type CheckState,
  checkStates,
  worstState,
} from '../../insight/checks/check-result.ts';
import { checkLine } from '../../insight/checks/check-texts.ts';
import type { Job } from '../../jobs/outbox.ts';
import type { Platform } from '../../packages/package-info.ts';
import { excerpt } from '../../web/components/formats.ts';
import { type EventResources, eventData } from '../events/event-json.ts';
import type { DeliveredEvent } from '../webhook.ts';

/** Maximum length of messages and release notes, which keeps the payload small enough for every receiver. */
export const maxNoteCharacters = 2000;

const maxCheckLines = 10;

/** Contains paths. The origin is prepended when the event is sent. */
export interface EventFacts {
  event: DeliveredEvent;
  /** Time of the event in epoch milliseconds. */
  at: number;
  /** Null for a test of an owner's webhook, and after the owner was deleted. */
  app: WebhookApp | null;
  /** Null for deleted builds and tests. */
  build: WebhookBuild | null;
  /** The page that serves the build; null if there is none. */
  page: WebhookPage | null;
  deletion: WebhookDeletion | null;
  /** Only for new feedback. */
  feedback?: WebhookFeedback;
  /** Only for the checks of a build. */
  checks?: WebhookChecks;
  /** Only for a deleted owner. */
  goneOwner?: DeletedOwner;
  /** The contents of the JSON payload. */
  current: { id: string; owner: string; data: EventResources };
}

export interface WebhookApp {
  name: string;
  packageName: string;
  platform: Platform;
  /** Null if the app no longer exists. */
  path: string | null;
}

export interface WebhookDeletion {
  /** The first revisions, up to a limit. */
  revisions: readonly number[];
  count: number;
  by: string;
  /** Whether the app was also deleted. */
  withApp: boolean;
}

export interface WebhookChecks {
  summary: CheckState | null;
  /** What failed or warned, one line each. */
  lines: readonly string[];
  path: string;
}

/** Never contains the address for a reply. */
export interface WebhookFeedback {
  text: string;
  /** Name of the sender's account; null without one. */
  sender: string | null;
  device: string;
  path: string;
}

export interface WebhookBuild extends BuildFields {
  /** Absent in deliveries of earlier versions. */
  source?: Build['source'];
  revision: number;
  versionName: string | null;
  versionCode: string;
  message: string;
  uploadedBy: string;
  path: string;
}

export interface WebhookPage {
  name: string;
  releaseNote: string;
  path: string;
}

export function testEventFacts(
  { id, owner, app }: { id: string; owner: string; app: App | null },
  at: number,
  origin: string,
): EventFacts {
  return {
    ...noFacts('test', at),
    app: app && appFacts(app, null),
    current: { id, owner, data: { app: app && appJson(app, origin) } },
  };
}

/** Details of the last event of a webhook whose owner was deleted. */
export function lastFacts(
  id: string,
  { at, hook: webhook, owner }: Extract<Job, { kind: 'send-last-webhook' }>,
): EventFacts {
  const { kind, name, apps, builds, by } = owner;
  const data = eventData('owner.deleted', { owner: { kind, name }, deleted: { apps, builds, by } });
  return {
    ...noFacts('owner.deleted', at),
    app: webhook.app && goneAppFacts(webhook.app),
    goneOwner: owner,
    current: { id, owner: name, data },
  };
}

export const noFacts = (event: DeliveredEvent, at: number): Omit<EventFacts, 'current'> => ({
  event,
  at,
  app: null,
  build: null,
  page: null,
  deletion: null,
});

export function deletionFacts({
  revisions,
  count = revisions.length,
  by,
  gone,
}: Extract<EventCause, { type: 'build.deleted' }>): WebhookDeletion {
  return { revisions, count, by, withApp: gone !== undefined };
}

export function goneAppFacts({
  name,
  packageName,
  platform,
}: Pick<DeletedApp, 'name' | 'packageName' | 'platform'>): WebhookApp {
  return { name, packageName, platform, path: null };
}

export function feedbackFacts(app: App, feedback: ListedFeedback): WebhookFeedback {
  return {
    text: excerpt(feedback.text, maxNoteCharacters),
    sender: feedback.sender,
    device: feedback.device,
    path: feedbackPath(app, feedback.id),
  };
}

/** Failed checks come before warnings. */
export function checkEventFacts(app: App, build: Build, results: readonly CheckResult[]): WebhookChecks {
  const lines = checkStates.flatMap((state) =>
    results
      .filter((result) => result.state === state && (state === 'failed' || state === 'warned'))
      .map((result) => checkLine(result)),
  );
  return {
    summary: worstState(results),
    lines: lines.slice(0, maxCheckLines),
    path: buildChecksPath(app, build.revision),
  };
}

export function appFacts(app: App, build: Build | null): WebhookApp {
  return {
    name: build?.info.name ?? app.packageName,
    packageName: app.packageName,
    platform: app.platform,
    path: platformAppPath(app.owner, app.platform, app.packageName),
  };
}

export function buildFacts(app: App, build: Build): WebhookBuild {
  const { revision, uploadedBy } = build;
  return {
    revision,
    ...pickBuildFields(build),
    source: build.source,
    uploadedBy,
    versionName: build.info.versionName,
    versionCode: build.info.versionCode,
    message: excerpt(build.message, maxNoteCharacters),
    path: revisionPath(app.owner, app.platform, app.packageName, revision),
  };
}

export function pageFacts({ name, releaseNote, accessKey }: DistributionPage): WebhookPage {
  return { name, releaseNote: excerpt(releaseNote, maxNoteCharacters), path: distributionPath(accessKey) };
}
