/** Loads the data of an event when it is dispatched, so that the list and every delivery report the same. */
import { keyJson } from '../../accounts/keys/key-json.ts';
import { keyQueries } from '../../accounts/keys/key-queries.ts';
import { describeRestriction } from '../../accounts/keys/key-restriction.ts';
import type { App, Build, OwnerName } from '../../apps/app.ts';
import { appJson, buildJson } from '../../apps/app-json.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { Connection } from '../../db/data.ts';
import { deviceJson } from '../../devices/device-json.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import { distributionQueries } from '../../distributions/distribution-queries.ts';
import { loadPagesJson } from '../../distributions/load-shown-pages.ts';
import type { PageJson } from '../../distributions/page-json.ts';
import type { DeletedApp, EventCause } from '../../events/events.ts';
import { feedbackJson } from '../../feedback/feedback-json.ts';
import { feedbackQueries } from '../../feedback/feedback-queries.ts';
import { loadChecks } from '../../insight/checks/build-checks.ts';
import { type BuildChecksJson, buildChecksJson, checkJson } from '../../insight/checks/check-json.ts';
import type { CheckResult } from '../../insight/checks/check-result.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import {
  appFacts,
  buildFacts,
  checkEventFacts,
  deletionFacts,
  type EventFacts,
  feedbackFacts,
  goneAppFacts,
  noFacts,
  pageFacts,
} from '../payload/event-facts.ts';
import { type EventResources, eventData } from './event-json.ts';

export interface LoadedEvent {
  owner: OwnerName;
  /** Null for an event of the owner itself. */
  appId: string | null;
  facts: EventFacts;
}

interface Found {
  owner: OwnerName;
  appId: string | null;
  facts: Partial<EventFacts>;
  resources: EventResources;
}

/** `origin`: the public origin; if empty, addresses are paths. Returns null if there is nothing left to report. */
export async function loadEvent(
  tx: Connection,
  { eventId, event, at }: { eventId: string; event: EventCause; at: number },
  origin: string,
): Promise<LoadedEvent | null> {
  const found = await find(tx, event, at, origin);
  if (!found) return null;
  const { owner, appId, facts, resources } = found;
  const current = { id: eventId, owner: owner.name, data: eventData(event.type, resources) };
  return { owner, appId, facts: { ...noFacts(event.type, at), ...facts, current } };
}

async function find(tx: Connection, event: EventCause, at: number, origin: string): Promise<Found | null> {
  if (event.type === 'build.deleted') return findDeletion(tx, event, origin);
  if ('ownerId' in event) return findOfOwner(tx, event, at);
  if (event.type === 'page.deleted') return findDeletedPage(tx, event, origin);
  const feedback = 'feedbackId' in event ? await feedbackQueries(tx).find(event.feedbackId) : null;
  const pageId = 'pageId' in event ? event.pageId : (feedback?.pageId ?? null);
  const page = pageId === null ? null : await distributionQueries(tx).findPageById(pageId);
  // An event is reported even if its subject was deleted directly afterward.
  const kept = 'kept' in event ? event.kept : undefined;
  if (!page && !kept && event.type.startsWith('page.')) return null;
  const buildId = 'buildId' in event ? event.buildId : (feedback?.buildId ?? page?.buildId ?? kept?.buildId);
  const build = buildId === undefined ? null : await buildQueries(tx).findStoredBuild(buildId);
  const app = build && (await findApp(tx, build.appId));
  if (!app) return null;
  const isAboutChecks = event.type === 'build.checked' || event.type === 'store_rule.approaching';
  const checked = isAboutChecks ? await loadEventChecks(tx, event, { app, build, at }) : null;
  if (isAboutChecks && !checked) return null;
  const { results, ...checkResources } = checked ?? {};
  const keptPage = (kept?.resource ?? null) as PageJson | null;
  const [shownPage = keptPage] = page ? await loadPagesJson(tx, app, [page], { origin, now: at }) : [];
  return {
    owner: app.owner,
    appId: app.id,
    facts: {
      app: appFacts(app, build),
      build: buildFacts(app, build),
      page: page && pageFacts(page),
      ...(feedback ? { feedback: feedbackFacts(app, feedback) } : {}),
      ...(results ? { checks: checkEventFacts(app, build, results) } : {}),
    },
    resources: {
      app: appJson(app, origin),
      build: buildJson(app, build, origin),
      page: shownPage,
      ...(feedback ? { feedback: feedbackJson(feedback) } : {}),
      ...checkResources,
    },
  };
}

/** The results that the event is about; null if the build is not analyzed, or no longer breaks the rule that begins later. */
async function loadEventChecks(
  tx: Connection,
  event: EventCause,
  { app, build, at }: { app: App; build: Build; at: number },
): Promise<(Pick<EventResources, 'check' | 'checks'> & { results: readonly CheckResult[] }) | null> {
  const results = (await loadChecks(tx, app, [build.id], at)).get(build.id);
  if (!results) return null;
  if (event.type !== 'store_rule.approaching') {
    const facts = 'facts' in event ? ((event.facts ?? null) as BuildChecksJson['facts']) : null;
    return { results, checks: buildChecksJson('analyzed', results, facts) };
  }
  const approaching = results.find(
    ({ id, isUpcoming, state }) => id === event.ruleId && isUpcoming && state === 'warned',
  );
  return approaching ? { results: [approaching], check: checkJson(approaching) } : null;
}

async function findDeletion(
  tx: Connection,
  event: Extract<EventCause, { type: 'build.deleted' }>,
  origin: string,
): Promise<Found | null> {
  const { appId, gone } = event;
  const deletion = deletionFacts(event);
  const { withApp, ...deleted } = deletion;
  const found = gone ? findGoneApp(gone) : await findNamedApp(tx, appId);
  if (!found) return null;
  return {
    owner: found.app.owner,
    appId,
    facts: { app: found.facts, deletion },
    resources: {
      app: appJson(found.app, origin),
      deleted: { ...deleted, revisions: [...deleted.revisions], app_deleted: withApp },
    },
  };
}

function findGoneApp({ history, ...gone }: DeletedApp) {
  return { app: { ...gone, ...history, latestName: gone.name }, facts: goneAppFacts(gone) };
}

const findApp = async (tx: Connection, appId: string) =>
  (await appQueries(tx).findAppById(appId)) ?? appQueries(tx).findStoredApp(appId);

async function findNamedApp(tx: Connection, appId: string) {
  const app = await findApp(tx, appId);
  if (!app) return null;
  const [latest] = await buildQueries(tx).listBuilds(app.id, { limit: 1 });
  return { app, facts: appFacts(app, latest ?? null) };
}

async function findDeletedPage(
  tx: Connection,
  { appId, page }: Extract<EventCause, { type: 'page.deleted' }>,
  origin: string,
): Promise<Found | null> {
  const app = await findApp(tx, appId);
  if (!app) return null;
  const resources = { app: appJson(app, origin), page: page as PageJson };
  return { owner: app.owner, appId, facts: { app: appFacts(app, null) }, resources };
}

async function findOfOwner(
  tx: Connection,
  event: Extract<EventCause, { ownerId: string }>,
  at: number,
): Promise<Found | null> {
  const owner = await ownerQueries(tx).findOwnerById(event.ownerId);
  if (!owner) return null;
  const resources = await resourcesOf(tx, event, at);
  return resources && { owner, appId: null, facts: {}, resources };
}

async function resourcesOf(
  tx: Connection,
  event: Extract<EventCause, { ownerId: string }>,
  at: number,
): Promise<EventResources | null> {
  if ('person' in event) return { person: event.person as NonNullable<EventResources['person']> };
  if ('publisher' in event)
    return { trusted_publisher: event.publisher as NonNullable<EventResources['trusted_publisher']> };
  if ('device' in event) return { device: event.device as NonNullable<EventResources['device']> };
  if ('deviceId' in event) {
    const device = await deviceQueries(tx).findOwnedDevice(event.ownerId, event.deviceId);
    if (device) return { device: deviceJson(device) };
    const kept = event.kept?.resource as EventResources['device'];
    return kept ? { device: kept } : null;
  }
  const key = await keyQueries(tx).findKeyById(event.keyId);
  if (!key) return null;
  const places = key.restriction ? await describeRestriction(tx, key.restriction) : [];
  return { key: keyJson(key, { places, now: at }) };
}
