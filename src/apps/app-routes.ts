import * as v from 'valibot';
import type { Caller } from '../accounts/sign-in/identify-http.ts';
import type { Data } from '../db/data.ts';
import { html } from '../http/routes/answer.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { ownerPath } from '../owners/owner-paths.ts';
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
  done: lenient(v.picklist(['secret-rotated'])),
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
  const { apps, secret, manages, canViewOwner } = subject;
  const [first] = apps;
  const address = client.target.split('?', 1)[0] ?? '';
  const { q = '', deleted = [], restored = [] } = query;
  const keep = { ...(secret ? { key: secret } : {}), ...(q ? { q } : {}) };
  const sections = apps.map((app) => {
    const turned = query.platform === app.platform;
    return loadPlatformSection(deps.data, deps.fileTokens, app, {
      address,
      keep,
      query: q,
      manages,
      deleted,
      restored,
      now: frame.now,
      secretRotated: query.done === 'secret-rotated',
      below: (turned && query.below) || null,
      above: (turned && query.above) || null,
    });
  });
  return renderAppPage({
    frame,
    owner: first.owner,
    ownerAddress: canViewOwner ? ownerPath(first.owner) : null,
    packageName: first.packageName,
    sections: await Promise.all(sections),
    search: { address, query: q, key: secret },
  });
}
