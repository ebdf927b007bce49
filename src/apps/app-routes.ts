import * as v from 'valibot';
import { type Caller, sessionUserId } from '../accounts/authorization/identify-http.ts';
import type { Data } from '../db/data.ts';
import { html } from '../http/routes/answer.ts';
import { hintHeaders, hintsOf, requestHints } from '../http/routes/client-hints.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import type { App } from './app.ts';
import type { AppHeads } from './app-heads.ts';
import { renderAppPage } from './app-page.tsx';
import { platformAppPath } from './app-paths.ts';
import { readBuildFilters } from './builds/build-filters.ts';
import { buildQueries } from './builds/build-queries.ts';
import { revisionList, revisionText } from './builds/build-selection.ts';
import type { LoadCheckBadges } from './check-badges.ts';
import { maxBuildsPerRequest } from './deletion/build-deletion.ts';
import type { FileTokens } from './files/file-token.ts';
import type { BuildInsight } from './insight/build-insight.ts';
import type { LoadInstallPanel } from './install-panel-http.ts';
import { pageViewer } from './listed-page.ts';
import { loadAppPage } from './load-app-page.ts';
import { appAddresses, type VisibleAppAccess, type VisibleApps } from './visible-app-access-http.ts';

export interface AppRouteDeps {
  data: Data;
  fileTokens: FileTokens;
  visibleApps: VisibleAppAccess['visibleApps'];
  appHeads: AppHeads;
  loadInstallPanel: LoadInstallPanel;
  loadCheckBadges: LoadCheckBadges;
  insight: () => BuildInsight;
}

const maxQueryLength = 200;

/** Longer than any branch, label or name in an upload. */
const maxFilterLength = 1_024;
const filterText = () => lenient(v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxFilterLength)));

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
  select: lenient(v.literal('all')),
  branch: filterText(),
  label: filterText(),
  uploader: filterText(),
  page: filterText(),
  signer: filterText(),
  /** Revisions that were just deleted, restored, protected or labeled. */
  deleted: lenient(revisionList(maxBuildsPerRequest)),
  restored: lenient(revisionList(maxBuildsPerRequest)),
  protected: lenient(revisionList(maxBuildsPerRequest)),
  labeled: lenient(revisionList(maxBuildsPerRequest)),
};

type AppContext = RouteContext<Caller | null, VisibleApps> & {
  query: Values<typeof appQuery>;
  headers: Values<typeof hintHeaders>;
};

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
      headers: hintHeaders,
      handle: (context) => sendApp(deps, context),
    }),
  );
}

async function sendApp(deps: AppRouteDeps, { caller, subject, client, frame, query, headers }: AppContext) {
  const { secret, manages, canViewOwner } = subject;
  const app = chosenApp(subject.apps, query.platform);
  const address = platformAppPath(app.owner, app.platform, app.packageName);
  const { q = '', deleted = [], restored = [] } = query;
  const page = await loadAppPage(deps, app, {
    address,
    key: secret,
    query: q,
    filters: readBuildFilters(query),
    manages,
    viewer: pageViewer(secret === null ? caller : null, frame.now),
    deleted,
    restored,
    protected: query.protected ?? [],
    labeled: query.labeled ?? [],
    now: frame.now,
    insight: deps.insight(),
    below: query.below ?? null,
    above: query.above ?? null,
    selectsAll: manages && query.select === 'all',
  });
  const head = await deps.appHeads.of(app, { manages, canViewOwner, others: subject.others, secret });
  const [latest] = await buildQueries(deps.data).listBuilds(app.id, { limit: 1 });
  const leads = !manages && caller !== null && secret === null;
  const install =
    latest && leads
      ? await deps.loadInstallPanel({
          frame,
          app,
          build: latest,
          leads,
          path: address,
          client,
          caller,
          hints: hintsOf(headers),
        })
      : null;
  return html(renderAppPage({ frame, head, install, ...page }), {
    headers: install === null ? {} : requestHints({ model: sessionUserId(caller) !== null }),
  });
}

/** A package name can have an app on each platform. Unless one is chosen, the one with the latest upload is shown. */
function chosenApp(apps: VisibleApps['apps'], platform: App['platform'] | undefined): App {
  const byUpload = [...apps].sort((one, other) => other.lastUploadAt - one.lastUploadAt);
  return apps.find((app) => app.platform === platform) ?? byUpload[0] ?? apps[0];
}
