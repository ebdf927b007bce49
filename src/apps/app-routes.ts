import * as v from 'valibot';
import type { Caller } from '../accounts/sign-in/identify-http.ts';
import type { Data } from '../db/data.ts';
import { html } from '../http/routes/answer.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import type { App } from './app.ts';
import type { AppHeads } from './app-heads.ts';
import { renderAppPage } from './app-page.tsx';
import { revisionList, revisionText } from './builds/build-selection.ts';
import { maxBuildsPerRequest } from './deletion/build-deletion.ts';
import type { FileTokens } from './files/file-token.ts';
import { loadPlatformSection } from './platform-sections.ts';
import { appAddresses, type VisibleAppAccess, type VisibleApps } from './visible-app-access-http.ts';

export interface AppRouteDeps {
  data: Data;
  fileTokens: FileTokens;
  visibleApps: VisibleAppAccess['visibleApps'];
  appHeads: AppHeads;
}

const maxQueryLength = 200;

const appQuery = {
  q: lenient(
    v.pipe(
      v.string(),
      v.transform((text) => text.slice(0, maxQueryLength)),
    ),
  ),
  platform: lenient(v.picklist(['android', 'ios'])),
  below: lenient(revisionText()),
  above: lenient(revisionText()),
  /** Revisions that were just deleted or restored. */
  deleted: lenient(revisionList(maxBuildsPerRequest)),
  restored: lenient(revisionList(maxBuildsPerRequest)),
};

type AppContext = RouteContext<Caller | null, VisibleApps> & { query: Values<typeof appQuery> };

/** Serves the app page. The app secret opens it with `?key=`. */
export function appRoutes(deps: AppRouteDeps): Route[] {
  return appAddresses.map((path) =>
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show an app and its builds',
      access: deps.visibleApps,
      keyScope: 'read',
      query: appQuery,
      handle: async (context) => html(await renderApp(deps, context)),
    }),
  );
}

async function renderApp(deps: AppRouteDeps, { subject, client, frame, query }: AppContext) {
  const { secret, manages, canViewOwner } = subject;
  const app = chosenApp(subject.apps, query.platform);
  const address = client.target.split('?', 1)[0] ?? '';
  const { q = '', deleted = [], restored = [] } = query;
  const section = await loadPlatformSection(deps.data, deps.fileTokens, app, {
    address,
    keep: { ...(secret ? { key: secret } : {}), ...(q ? { q } : {}) },
    query: q,
    manages,
    deleted,
    restored,
    now: frame.now,
    below: query.below ?? null,
    above: query.above ?? null,
  });
  const head = await deps.appHeads.of(app, { manages, canViewOwner, others: subject.apps, secret });
  return renderAppPage({ frame, head, section, search: { address, query: q, key: secret } });
}

/** One package name can have an app on each platform. Without a choice, the one with the latest upload is shown. */
function chosenApp(apps: VisibleApps['apps'], platform: App['platform'] | undefined): App {
  const byUpload = [...apps].sort((one, other) => other.lastUploadAt - one.lastUploadAt);
  return apps.find((app) => app.platform === platform) ?? byUpload[0] ?? apps[0];
}
