/** Deletes an app with its contents. There is no undo, so the app name must be typed. */

import { checkMayDelete } from '../../accounts/trusted-publishing/trusted-only.ts';
import { FormInvalid, NotFound } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import { maxReportedRevisions } from '../../events/events.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { requireDeletable } from '../../owners/policies/enforce-policies.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import type { App } from '../app.ts';
import { appTexts } from '../app-texts.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { appDeletionQueries } from './app-deletion-queries.ts';

/** Throws `FormInvalid` if `confirmation` is not the name of the app, and `Forbidden` for an app that only the owner team may delete. */
export type DeleteApp = (by: Actor, app: App, confirmation: string) => Promise<void>;

/** Hides the app with its pages, builds and files immediately. A background job removes them. */
export function createDeleteApp(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains work. */
  wakeOutbox: () => void;
}): DeleteApp {
  return async (by, app, confirmation) => {
    if (confirmation.trim() !== app.packageName.trim())
      throw new FormInvalid({ confirmation: [buildTexts.removeApp.unconfirmed] });
    const now = deps.now();
    await deps.data.transaction(async (tx) => {
      await checkMayDelete(tx, by, app);
      const newestAt = await policyQueries(tx).newestBuildAt({ appId: app.id });
      await requireDeletable(tx, app.owner.id, newestAt, now);
      const { builds, pages, bytes } = await appDeletionQueries(tx).contentsOf(app.id, 0);
      // Without an event, a place among the others.
      const eventId = builds > 0 ? await dispatchEvent(tx, by, app, builds, now) : newIdentifier(now);
      if (!(await appDeletionQueries(tx).hideApp(app.id, now))) throw new NotFound(appTexts.errors.gone);
      const pending = { eventId, until: now + maxDeliveryWaitMs };
      await outboxQueries(tx).add(app.owner.id, { kind: 'remove-app', appId: app.id, pending }, now);
      await auditQueries(tx).record({
        at: now,
        actor: by,
        action: 'app.deleted',
        ownerId: app.owner.id,
        subject: `${app.packageName} (${app.platform})`,
        details: { app: app.id, builds, pages, bytes },
      });
    });
    deps.wakeOutbox();
  };
}

/** By then, all delivery attempts have ended. */
const maxDeliveryWaitMs = 25 * 60 * 60_000;

/** Dispatches one event for all builds. It contains the app details, which can't be looked up afterwards. */
async function dispatchEvent(data: Connection, by: Actor, app: App, count: number, now: number) {
  const { id, owner, platform, packageName } = app;
  const [latest] = await buildQueries(data).listBuilds(id, { limit: 1 });
  const gone = {
    owner: { id: owner.id, kind: owner.kind, name: owner.name },
    platform,
    packageName,
    name: latest?.info.name ?? packageName,
    history: { lastRevision: app.lastRevision, createdAt: app.createdAt, lastUploadAt: app.lastUploadAt },
  };
  const revisions = await appDeletionQueries(data).revisionsOf(id, maxReportedRevisions);
  const event = { type: 'build.deleted', appId: id, revisions, count, by: actorName(by), gone } as const;
  return eventQueries(data).dispatch(owner.id, event, now);
}
