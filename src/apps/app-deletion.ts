/** Deleting an App with everything in it. There is no undo: who does it has typed its name. */
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { App } from './app.ts';

/** What goes when an App is deleted. */
export interface AppContents {
  builds: number;
  protectedBuilds: number;
  /** Of packages and simulator builds, deleted builds included, for they take room until they are removed. */
  bytes: number;
  /** Names of its distribution pages, at most as many as were asked for. */
  pageNames: string[];
  pages: number;
  testers: number;
}

export type DeleteApp = (by: Actor, app: App, confirmation: string) => Promise<'deleted' | 'unconfirmed'>;

/** The App is hidden at once and with it its pages, builds and files; the background takes them away. */
export function createDeleteApp(parts: {
  data: Data;
  now: () => number;
  /** Called after the commit: work waits in the outbox. */
  wakeOutbox: () => void;
}): DeleteApp {
  return async (by, app, confirmation) => {
    if (confirmation.trim() !== app.packageName.trim()) return 'unconfirmed';
    const now = parts.now();
    await parts.data.transaction(async (inside) => {
      const { builds, pages, bytes } = await inside.appDeletion.contentsOf(app.id, 0);
      if (!(await inside.appDeletion.hideApp(app.id, now))) throw notFound('the app is not there any more');
      await inside.outbox.add({ kind: 'remove-app', appId: app.id }, now);
      await inside.audit.record({
        at: now,
        actor: by,
        action: 'app.deleted',
        ownerId: app.owner.id,
        subject: `${app.packageName} (${app.platform})`,
        details: { app: app.id, builds, pages, bytes },
      });
    });
    parts.wakeOutbox();
    return 'deleted';
  };
}
