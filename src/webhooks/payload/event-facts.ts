/** Event details, stored when the event occurs, so that every attempt sends the same even if the data changes. */
import type { App, Build, OwnerName } from '../../apps/app.ts';
import { distributionPath, platformAppPath, revisionPath } from '../../apps/app-paths.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { Connection } from '../../db/data.ts';
import { feedbackPath } from '../../feedback/feedback-paths.ts';
import { feedbackQueries } from '../../feedback/feedback-queries.ts';
import type { DeletedOwner, Job, WebhookEvent } from '../../jobs/outbox.ts';
import type { Platform } from '../../packages/package-info.ts';
import type { DistributionPage } from '../../pages/distribution-page.ts';
import { distributionQueries } from '../../pages/distribution-queries.ts';
import { excerpt } from '../../web/components/formats.ts';
import type { DeliveredEvent } from '../webhook.ts';

/** Maximum length of messages and release notes, so that every receiver accepts the payload. */
export const maxNoteCharacters = 2000;

/** Contains paths; the origin is prepended when the event is sent. */
export interface EventFacts {
  event: DeliveredEvent;
  /** Time of the event in epoch milliseconds. */
  at: number;
  /** Null for a test of an owner webhook, and after the owner was deleted. */
  app: WebhookApp | null;
  /** Null for deleted builds and tests. */
  build: WebhookBuild | null;
  /** The page that serves the build, or null. */
  page: WebhookPage | null;
  deletion: WebhookDeletion | null;
  /** Only of new feedback. */
  feedback?: WebhookFeedback;
  /** Only if the owner was deleted. */
  goneOwner?: DeletedOwner;
}

export interface WebhookApp {
  name: string;
  packageName: string;
  platform: Platform;
  owner: Pick<OwnerName, 'kind' | 'name'>;
  /** Null if the app no longer exists. */
  path: string | null;
}

export interface WebhookDeletion {
  /** The first revisions, up to a limit. */
  revisions: readonly number[];
  count: number;
  by: string;
  /** Whether the app was deleted, too. */
  withApp: boolean;
}

/** Never contains the address for a reply. */
export interface WebhookFeedback {
  text: string;
  /** Name of the account that sent it; null without one. */
  sender: string | null;
  device: string;
  screenshots: number;
  path: string;
}

export interface WebhookBuild {
  revision: number;
  versionName: string | null;
  versionCode: string;
  message: string;
  branch: string | null;
  commit: string | null;
  buildUrl: string | null;
  label: string | null;
  sizeBytes: number;
  sha256: string;
  uploadedBy: string;
  path: string;
}

export interface WebhookPage {
  name: string;
  releaseNote: string;
  path: string;
}

/** Null if the object no longer exists and there is nothing to report. */
export async function loadWebhookFacts(
  data: Connection,
  event: WebhookEvent,
  at: number,
): Promise<{ place: { ownerId: string; id: string }; facts: EventFacts } | null> {
  if (event.event === 'build.deleted') return loadDeletion(data, event, at);
  if (event.event === 'feedback.created') return loadFeedback(data, event.feedbackId, at);
  const pageId = event.pageId;
  const page = pageId === null ? null : await distributionQueries(data).findPageById(pageId);
  const buildId = event.event === 'build.uploaded' ? event.buildId : page?.buildId;
  const build = buildId === undefined ? null : await buildQueries(data).findBuild(buildId);
  const app = build && (await appQueries(data).findAppById(build.appId));
  if (!app) return null;
  const shared = { app: appFacts(app, build), build: buildFacts(app, build), page: page && pageFacts(page) };
  return { place: placeOf(app), facts: { event: event.event, at, ...shared, deletion: null } };
}

async function loadFeedback(
  data: Connection,
  feedbackId: string,
  at: number,
): ReturnType<typeof loadWebhookFacts> {
  const feedback = await feedbackQueries(data).find(feedbackId);
  const build = feedback && (await buildQueries(data).findBuild(feedback.buildId));
  const app = build && (await appQueries(data).findAppById(build.appId));
  if (!app) return null;
  const page =
    feedback.pageId === null ? null : await distributionQueries(data).findPageById(feedback.pageId);
  const facts: EventFacts = {
    event: 'feedback.created',
    at,
    app: appFacts(app, build),
    build: buildFacts(app, build),
    page: page && pageFacts(page),
    deletion: null,
    feedback: {
      text: excerpt(feedback.text, maxNoteCharacters),
      sender: feedback.sender,
      device: feedback.device,
      screenshots: feedback.screenshots,
      path: feedbackPath(app, feedback.id),
    },
  };
  return { place: placeOf(app), facts };
}

async function loadDeletion(
  data: Connection,
  event: Extract<WebhookEvent, { event: 'build.deleted' }>,
  at: number,
): ReturnType<typeof loadWebhookFacts> {
  const { appId, revisions, by, gone } = event;
  const deletion = { revisions, count: event.count ?? revisions.length, by, withApp: gone !== undefined };
  const shared = { event: event.event, at, build: null, page: null, deletion };
  if (gone) {
    const { platform, packageName, name } = gone;
    const owner = { kind: gone.owner.kind, name: gone.owner.name };
    const app = { name, packageName, platform, owner, path: null };
    return { place: { ownerId: gone.owner.id, id: appId }, facts: { ...shared, app } };
  }
  const app = await appQueries(data).findAppById(appId);
  if (!app) return null;
  const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
  return { place: placeOf(app), facts: { ...shared, app: appFacts(app, latest ?? null) } };
}

const placeOf = (app: App) => ({ ownerId: app.owner.id, id: app.id });

export function testEventFacts(app: App | null, at: number): EventFacts {
  return { event: 'test', at, app: app && appFacts(app, null), build: null, page: null, deletion: null };
}

/** Details of the last event of a webhook whose owner was deleted. */
export function lastFacts({
  at,
  hook: webhook,
  owner,
}: Extract<Job, { kind: 'send-last-hook' }>): EventFacts {
  const app = webhook.app && { ...webhook.app, owner: { kind: owner.kind, name: owner.name }, path: null };
  return { event: 'owner.deleted', at, app, build: null, page: null, deletion: null, goneOwner: owner };
}

function appFacts(app: App, build: Build | null): WebhookApp {
  return {
    name: build?.info.name ?? app.packageName,
    packageName: app.packageName,
    platform: app.platform,
    owner: { kind: app.owner.kind, name: app.owner.name },
    path: platformAppPath(app.owner, app.platform, app.packageName),
  };
}

function buildFacts(app: App, build: Build): WebhookBuild {
  const { revision, branch, commit, buildUrl, label, sizeBytes, sha256, uploadedBy } = build;
  return {
    revision,
    branch,
    commit,
    buildUrl,
    label,
    sizeBytes,
    sha256,
    uploadedBy,
    versionName: build.info.versionName,
    versionCode: build.info.versionCode,
    message: excerpt(build.message, maxNoteCharacters),
    path: revisionPath(app.owner, app.platform, app.packageName, revision),
  };
}

function pageFacts({ name, releaseNote, accessKey }: DistributionPage): WebhookPage {
  return { name, releaseNote: excerpt(releaseNote, maxNoteCharacters), path: distributionPath(accessKey) };
}
