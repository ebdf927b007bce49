/** What happened, as it is written down when a webhook is to hear of it: every try says the same, whatever changes meanwhile. */

import type { App, Build, OwnerName } from '../../apps/app.ts';
import { distributionPath, platformAppPath, revisionPath } from '../../apps/app-addresses.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { Connection } from '../../db/data.ts';
import type { GoneOwner, Job, WebhookEvent } from '../../jobs/outbox.ts';
import type { Platform } from '../../packages/package-info.ts';
import type { DistributionPage } from '../../pages/distribution-page.ts';
import { distributionQueries } from '../../pages/distribution-queries.ts';
import { excerpt } from '../../web/components/formats.ts';

/** Of messages and release notes, so that a payload stays small enough for every receiver. */
export const maxNoteCharacters = 2000;

/** Paths stand where receivers get addresses: the origin is put in front when it is sent. */
export interface EventFacts {
  event: WebhookEvent['event'] | 'owner.deleted' | 'test';
  /** When it happened, in epoch milliseconds. */
  at: number;
  /** Null for a test of a webhook for every App, and when such a webhook's Owner was deleted. */
  app: WebhookApp | null;
  /** Null for deleted builds and tests. */
  build: WebhookBuild | null;
  /** The page that hands the build out; null when no page was named. */
  page: WebhookPage | null;
  deletion: WebhookDeletion | null;
  /** Only when the whole Owner was deleted. */
  goneOwner?: GoneOwner;
}

export interface WebhookApp {
  name: string;
  packageName: string;
  platform: Platform;
  owner: Pick<OwnerName, 'kind' | 'name'>;
  /** Null when the App is not there any more. */
  path: string | null;
}

export interface WebhookDeletion {
  /** The first of them: there may be more than can be told. */
  revisions: readonly number[];
  count: number;
  by: string;
  /** The App went, too. */
  withApp: boolean;
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

/** Null when it is gone again, and there is nothing left to tell. */
export async function loadWebhookFacts(
  data: Connection,
  news: WebhookEvent,
  at: number,
): Promise<{ place: { ownerId: string; id: string }; facts: EventFacts } | null> {
  if (news.event === 'build.deleted') return loadDeletion(data, news, at);
  const pageId = news.pageId;
  const page = pageId === null ? null : await distributionQueries(data).findPageById(pageId);
  const buildId = news.event === 'build.uploaded' ? news.buildId : page?.buildId;
  const build = buildId === undefined ? null : await buildQueries(data).findBuild(buildId);
  const app = build && (await appQueries(data).findAppById(build.appId));
  if (!app) return null;
  const told = { app: appFacts(app, build), build: buildFacts(app, build), page: page && pageFacts(page) };
  return { place: placeOf(app), facts: { event: news.event, at, ...told, deletion: null } };
}

async function loadDeletion(
  data: Connection,
  news: Extract<WebhookEvent, { event: 'build.deleted' }>,
  at: number,
): ReturnType<typeof loadWebhookFacts> {
  const { appId, revisions, by, gone } = news;
  const deletion = { revisions, count: news.count ?? revisions.length, by, withApp: gone !== undefined };
  const told = { event: news.event, at, build: null, page: null, deletion };
  if (gone) {
    const { platform, packageName, name } = gone;
    const owner = { kind: gone.owner.kind, name: gone.owner.name };
    const app = { name, packageName, platform, owner, path: null };
    return { place: { ownerId: gone.owner.id, id: appId }, facts: { ...told, app } };
  }
  const app = await appQueries(data).findAppById(appId);
  if (!app) return null;
  const [latest] = await buildQueries(data).listBuilds(app.id, { most: 1 });
  return { place: placeOf(app), facts: { ...told, app: appFacts(app, latest ?? null) } };
}

const placeOf = (app: App) => ({ ownerId: app.owner.id, id: app.id });

export function testFacts(app: App | null, at: number): EventFacts {
  return {
    ...{ event: 'test', at, app: app && appFacts(app, null) },
    ...{ build: null, page: null, deletion: null },
  };
}

/** Of the message that a webhook of a deleted Owner ends with. */
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
    ...{ revision, branch, commit, buildUrl, label, sizeBytes, sha256, uploadedBy },
    versionName: build.info.versionName,
    versionCode: build.info.versionCode,
    message: excerpt(build.message, maxNoteCharacters),
    path: revisionPath(app.owner, app.platform, app.packageName, revision),
  };
}

function pageFacts({ name, releaseNote, accessKey }: DistributionPage): WebhookPage {
  return { name, releaseNote: excerpt(releaseNote, maxNoteCharacters), path: distributionPath(accessKey) };
}
