/** Apps in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { SetTrustedOnly } from '../accounts/trusted-publishing/trusted-only.ts';
import type { Data } from '../db/data.ts';
import { listAnswer, listPage, listQuery } from '../http/api/pagination.ts';
import { empty, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import { appJson, appShape } from './app-json.ts';
import { appQueries } from './app-queries.ts';
import type { DeleteApp } from './deletion/app-deletion.ts';
import type { ManagedAppAccess } from './managed-app-access-http.ts';
import type { RotateSecret } from './settings/app-secret.ts';

export interface AppApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  readableApp: ManagedAppAccess['readableApp'];
  managedApp: ManagedAppAccess['managedApp'];
  administeredApp: ManagedAppAccess['administeredApp'];
  setTrustedOnly: SetTrustedOnly;
  rotateSecret: RotateSecret;
  deleteApp: DeleteApp;
}

export const appApiPath = '/api/v1/apps/:owner/:platform/:package';

const rotatedShape = v.object({
  owner: v.string(),
  platform: v.picklist(['android', 'ios']),
  package_name: v.string(),
  secret: v.pipe(v.string(), v.description('The new secret, 40 hexadecimal digits.')),
});

export function appApiRoutes(deps: AppApiRouteDeps): Route[] {
  const { data, access, ownerAccess } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/owners/:owner/apps',
      operationId: 'listApps',
      summary: 'List the apps of an owner',
      tag: 'Apps',
      access: access.byKey(ownerAccess.viewer('user', 'project')),
      keyScope: 'read',
      query: listQuery(v.tuple([v.string(), v.picklist(['android', 'ios'])])),
      answer: listAnswer(appShape),
      handle: async ({ subject: { owner }, query: { limit, cursor }, client }) => {
        const after = cursor && { packageName: cursor[0], platform: cursor[1] };
        const apps = await appQueries(data).listAppsByName(owner.id, { after, limit: limit + 1 });
        return listPage(apps, {
          limit,
          client,
          positionOf: ({ packageName, platform }) => [packageName, platform],
          show: (app) => appJson(app, client.origin),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: appApiPath,
      operationId: 'getApp',
      summary: 'Show an app',
      tag: 'Apps',
      access: access.byKey(deps.readableApp),
      keyScope: 'read',
      answer: appShape,
      handle: async ({ subject, client }) => json(appJson(subject, client.origin)),
    }),
    defineRoute({
      method: 'PATCH',
      path: appApiPath,
      operationId: 'updateApp',
      summary: 'Change an app',
      description:
        'Fields that are absent stay as they are. Everyone who manages the owner gets an email if `trusted_publishers_only` ends.',
      tag: 'Apps',
      access: access.byUserKey(deps.administeredApp),
      keyScope: 'manage',
      json: { trusted_publishers_only: v.optional(v.boolean()) },
      answer: appShape,
      handle: async ({ caller, subject, json: { trusted_publishers_only: only }, client }) => {
        if (only !== undefined)
          await deps.setTrustedOnly(caller.actor, { ownerId: subject.owner.id, app: subject }, only);
        return json(
          appJson(
            { ...subject, trustedPublishersOnly: only ?? subject.trustedPublishersOnly },
            client.origin,
          ),
        );
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: appApiPath,
      operationId: 'deleteApp',
      summary: 'Delete an app with its builds, pages and files',
      description: 'There is no way to restore it.',
      tag: 'Apps',
      access: access.byKey(deps.managedApp),
      keyScope: 'manage',
      handle: async ({ caller, subject }) => {
        await deps.deleteApp(caller.actor, subject, subject.packageName);
        return empty(204);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${appApiPath}/secret/rotate`,
      operationId: 'rotateAppSecret',
      summary: 'Rotate the secret of an app',
      description:
        'Page links with the old secret stop working, and so do the file and icon links of earlier uploads. Members, keys and distribution pages are not affected.',
      tag: 'Apps',
      access: access.byKey(deps.managedApp),
      keyScope: 'manage',
      json: {},
      answer: rotatedShape,
      handle: async ({ caller, subject }) =>
        json({
          owner: subject.owner.name,
          platform: subject.platform,
          package_name: subject.packageName,
          secret: await deps.rotateSecret(caller.actor, subject),
        }),
    }),
  ];
}
