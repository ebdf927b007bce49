/** Deleting an App with everything in it. There is no undo: who does it has typed its name. */
import { FormRefused, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { maxRevisionsTold } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { App } from '../app.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { appDeletionQueries } from './app-deletion-queries.ts';

/** Throws `FormRefused` when `confirmation` is not the App's name. */
export type DeleteApp = (by: Actor, app: App, confirmation: string) => Promise<void>;

/** The App is hidden at once and with it its pages, builds and files; the background takes them away. */
export function createDeleteApp(parts: {
  data: Data;
  now: () => number;
  /** Called after the commit: work waits in the outbox. */
  wakeOutbox: () => void;
}): DeleteApp {
  return async (by, app, confirmation) => {
    if (confirmation.trim() !== app.packageName.trim())
      throw new FormRefused({ confirmation: [buildTexts.removeApp.unconfirmed] });
    const now = parts.now();
    await parts.data.transaction(async (inside) => {
      const { builds, pages, bytes } = await appDeletionQueries(inside).contentsOf(app.id, 0);
      const told = builds > 0 ? await dispatchEvent(inside, by, app, builds, now) : null;
      if (!(await appDeletionQueries(inside).hideApp(app.id, now)))
        throw new NotFound('the app no longer exists');
      const telling = told ? { telling: { ...told, until: now + maxTellingMs } } : {};
      await outboxQueries(inside).add({ kind: 'remove-app', appId: app.id, ...telling }, now);
      await auditQueries(inside).record({
        at: now,
        actor: by,
        action: 'app.deleted',
        ownerId: app.owner.id,
        subject: `${app.packageName} (${app.platform})`,
        details: { app: app.id, builds, pages, bytes },
      });
    });
    parts.wakeOutbox();
  };
}

/** The tries of a delivery have ended by then. */
const maxTellingMs = 25 * 60 * 60_000;

/** One piece of news for all the builds. What it says of the App is taken along, for nobody can look it up afterwards. */
async function dispatchEvent(data: Connection, by: Actor, app: App, count: number, now: number) {
  const { id, owner, platform, packageName } = app;
  const [latest] = await buildQueries(data).listBuilds(id, { most: 1 });
  const gone = {
    owner: { id: owner.id, kind: owner.kind, name: owner.name },
    ...{ platform, packageName, name: latest?.info.name ?? packageName },
  };
  const revisions = await appDeletionQueries(data).revisionsOf(id, maxRevisionsTold);
  const news = { event: 'build.deleted', appId: id, revisions, count, by: actorName(by), gone } as const;
  return eventQueries(data).dispatch({ ownerId: owner.id, id }, news, now);
}
