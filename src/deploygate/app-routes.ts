/** Apps and their builds, which DeployGate calls binaries or revisions. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { App, Build } from '../apps/app.ts';
import { filePath, iconPath } from '../apps/app-paths.ts';
import { appQueries } from '../apps/app-queries.ts';
import type { BuildChanges } from '../apps/builds/build-changes.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { revisionText } from '../apps/builds/build-selection.ts';
import type { BuildDeletion } from '../apps/deletion/build-deletion.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { deviceQueries } from '../devices/device-queries.ts';
import { json, redirect } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import {
  appPath,
  change,
  noApp,
  noBuild,
  projectAppPath,
  read,
  refused,
  saying,
} from './deploygate-access-http.ts';
import { deploygateApp, deploygateBuild, noError } from './deploygate-json.ts';

export interface AppRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  appAccess: ManagedAppAccess;
  fileTokens: FileTokens;
  buildChanges: BuildChanges;
  buildDeletion: BuildDeletion;
  maxDevicesPerOwner: number;
}

/** DeployGate’s lists of apps have no pages. */
export const maxListedApps = 1000;
const buildsPerPage = 50;
const maxListPage = 1000;
const maxSearchLength = 255;

const pageNumber = v.optional(
  v.fallback(
    v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1), v.maxValue(maxListPage)),
    1,
  ),
  '1',
);

export function deploygateAppRoutes(deps: AppRouteDeps): Route[] {
  const { data, access, appAccess, fileTokens } = deps;
  const readable = saying(noApp, access.byKey(appAccess.readableApp));
  const readableBuild = saying(noBuild, access.byKey(appAccess.readableBuild));
  const managedBuild = saying(noBuild, access.byKey(appAccess.managedBuild));
  const build = `${appPath}/binaries/:revision` as const;
  const params = { revision: revisionText() };
  const latestOf = async (app: App) => (await buildQueries(data).listBuilds(app.id, { limit: 1 }))[0] ?? null;
  const list = (app: App, builds: readonly Build[], origin: string) =>
    json({
      ...noError,
      results: { binaries: builds.map((one) => deploygateBuild(app, one, { origin, fileTokens })) },
    });
  const listRoute = <Path extends string>(path: Path & `${string}:owner${string}`, summary: string) =>
    defineRoute({
      ...read,
      path: path as '/api/users/:owner/apps',
      summary,
      access: access.byKey(deps.ownerAccess.viewer('user', 'project')),
      handle: async ({ caller, subject: { owner }, client }) => {
        const { restriction = null } = caller.actor;
        const listings = await appQueries(data).listApps(
          { ownerIds: [owner.id], restriction },
          { limit: maxListedApps },
        );
        const project = owner.kind === 'project' ? owner : null;
        return json({
          ...noError,
          applications: listings.map(({ app, latest }) => deploygateApp(app, latest, project, client.origin)),
        });
      },
    });
  return [
    listRoute('/api/organizations/:owner/apps', 'List the apps of a Project'),
    listRoute('/api/users/:owner/apps', 'List the apps of an owner'),
    defineRoute({
      ...read,
      path: projectAppPath,
      summary: 'Show an app of a Project',
      access: readable,
      handle: async ({ subject: app, client }) => {
        const owner = await ownerQueries(data).findOwnerById(app.owner.id);
        const project = owner?.kind === 'project' ? owner : null;
        return json({
          ...noError,
          application: deploygateApp(app, await latestOf(app), project, client.origin),
        });
      },
    }),
    defineRoute({
      ...read,
      path: appPath,
      summary: 'Show the newest build of an app, or the one with `revision`',
      access: readable,
      query: { revision: v.optional(revisionText()) },
      handle: async ({ subject: app, query: { revision }, client }) => {
        const shown =
          revision === undefined
            ? await latestOf(app)
            : await buildQueries(data).findBuildByRevision(app.id, revision);
        if (!shown) throw new NotFound(revision === undefined ? noApp : noBuild);
        return json({
          ...noError,
          results: deploygateBuild(app, shown, { origin: client.origin, fileTokens }),
        });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${appPath}/share`,
      summary: 'Show the secret that opens the page of an app',
      description: 'Changes nothing. `dgate` calls it after the first build of an app for Android.',
      keyScope: 'upload',
      access: saying(noApp, access.byKey(appAccess.managedApp)),
      form: {},
      handle: async ({ subject: app }) => json({ ...noError, results: { secret: app.secret } }),
    }),
    defineRoute({
      ...read,
      path: `${appPath}/binaries`,
      summary: 'List builds, 50 per page',
      access: readable,
      query: { page: pageNumber },
      handle: async ({ subject: app, query: { page }, client }) => {
        const found = await buildQueries(data).listBuilds(app.id, {
          limit: buildsPerPage,
          skip: (page - 1) * buildsPerPage,
        });
        return list(app, found, client.origin);
      },
    }),
    defineRoute({
      ...read,
      path: `${appPath}/binaries/search`,
      summary: 'Search builds by version, message, branch, commit and label',
      access: readable,
      query: {
        q: v.pipe(v.string(), v.maxLength(maxSearchLength)),
        'paging[page]': pageNumber,
        'paging[per_page]': v.optional(v.fallback(v.pipe(v.string(), v.regex(/^\d{1,2}$/)), '50'), '50'),
      },
      handle: async ({ subject: app, query, client }) => {
        const perPage = Math.min(Math.max(Number(query['paging[per_page]']), 1), buildsPerPage);
        const skipped = (query['paging[page]'] - 1) * perPage;
        const found: Build[] = [];
        for (let below = app.lastRevision + 1; below > 1 && found.length < skipped + perPage; ) {
          const limit = skipped + perPage - found.length;
          const part = await buildQueries(data).searchBuilds(app.id, { below, limit, text: query.q });
          found.push(...part.builds);
          below = part.next;
        }
        return list(app, found.slice(skipped), client.origin);
      },
    }),
    defineRoute({
      ...read,
      path: build,
      summary: 'Show a build',
      access: readableBuild,
      params,
      handle: async ({ subject, client: { origin } }) =>
        json({
          ...noError,
          results: deploygateBuild(subject.app, subject.build, { origin, fileTokens }),
        }),
    }),
    defineRoute({
      ...change,
      method: 'PATCH',
      path: build,
      summary: 'Change the message of a build',
      access: managedBuild,
      params,
      form: { message: v.string() },
      handle: async ({ subject, form: { message }, client: { origin } }) => {
        await deps.buildChanges.edit(subject, { message });
        const changed = await buildQueries(data).findBuild(subject.build.id);
        if (!changed) throw new NotFound(noBuild);
        return json({ ...noError, results: deploygateBuild(subject.app, changed, { origin, fileTokens }) });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: build,
      summary: 'Delete a build',
      description: 'Not the newest, and none that is protected or that a page serves.',
      access: managedBuild,
      params,
      form: {},
      handle: async ({ caller, subject }) => {
        const latest = await latestOf(subject.app);
        if (latest?.id === subject.build.id) throw refused('Cannot delete latest revision');
        const revisions = [subject.build.revision];
        const deletion = await deps.buildDeletion.remove(caller.actor, subject.app, revisions);
        if (deletion.kind === 'refused') throw refused('Cannot delete protected revision');
        return json(noError);
      },
    }),
    ...(['POST', 'DELETE'] as const).map((method) =>
      defineRoute({
        ...change,
        method,
        path: `${build}/protect`,
        summary:
          method === 'POST'
            ? 'Protect a build from deletion'
            : 'Remove the protection from deletion of a build',
        access: managedBuild,
        params,
        form: {},
        handle: async ({ subject }) => {
          await deps.buildChanges.edit(subject, { protected: method === 'POST' });
          const results = method === 'POST' ? 'protected successfully' : 'remove protection successfully';
          return json({ ...noError, results });
        },
      }),
    ),
    ...(['icon', 'binary.apk', 'binary.ipa'] as const).map((file) =>
      defineRoute({
        ...read,
        path: `${build}/download/${file}`,
        summary: file === 'icon' ? 'Download the icon of a build' : 'Download a build',
        access: readableBuild,
        params,
        handle: async ({ subject }) => {
          const { id } = subject.build;
          const [purpose, path] =
            file === 'icon' ? ['icon' as const, iconPath(id)] : ['file' as const, filePath(id)];
          const key = fileTokens.issueForPage(purpose, subject.app, id);
          return redirect(`${path}?key=${key}`, { status: 302 });
        },
      }),
    ),
    defineRoute({
      ...read,
      path: '/api/users/:owner/platforms/:platform/apps/:package/udids',
      summary: 'List the registered devices of the owner of an iOS app',
      access: saying(noApp, access.byKey(appAccess.managedApp)),
      handle: async ({ subject: app }) => {
        const latest = await latestOf(app);
        const listed = new Set(latest?.info.ios?.profile?.devices?.map((udid) => udid.toLowerCase()));
        const found = await deviceQueries(data).listOwnedDevices(app.owner.id, {
          limit: deps.maxDevicesPerOwner,
        });
        return json({
          ...noError,
          results: found.map(({ device, userName }) => ({
            udid: device.udid,
            user_name: userName,
            device_name: device.name,
            is_provisioned: listed.has(device.udid.toLowerCase()),
          })),
        });
      },
    }),
  ];
}
