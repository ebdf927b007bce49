import * as v from 'valibot';
import { json, redirect } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { platformAppPath } from './app-paths.ts';
import type { RotateSecret } from './app-secret.ts';
import type { ManagedAppAccess } from './managed-app-access-http.ts';

export interface AppSecretRouteDeps {
  managedApp: ManagedAppAccess['managedApp'];
  managedAppByKey: ManagedAppAccess['managedAppByKey'];
  rotateSecret: RotateSecret;
}

const rotatedShape = v.object({
  owner: v.string(),
  platform: v.picklist(['android', 'ios']),
  package_name: v.string(),
  secret: v.pipe(v.string(), v.description('The new secret, 40 hexadecimal digits.')),
});

/** Routes that rotate the secret of an app, by session and by API key. */
export function appSecretRoutes({ managedApp, managedAppByKey, rotateSecret }: AppSecretRouteDeps): Route[] {
  const page = '/users/:owner/platforms/:platform/apps/:package';
  return [
    defineRoute({
      method: 'POST',
      path: `${page}/secret/rotate`,
      summary: 'Rotate the secret of an app',
      access: managedApp,
      page,
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject: app }) => {
        await rotateSecret(caller.actor, app);
        return redirect(`${platformAppPath(app.owner, app.platform, app.packageName)}?done=secret-rotated`);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/apps/:owner/:platform/:package/secret/rotate',
      summary: 'Rotate the secret of an app',
      description:
        'Page links with the old secret stop working, and so do the file and icon links of earlier uploads. Members, keys and distribution pages are not affected.',
      tag: 'Apps',
      access: managedAppByKey,
      keyScope: 'manage',
      reauthentication: false,
      csrfExempt: 'Browsers never send API keys automatically.',
      form: {},
      answer: rotatedShape,
      handle: async ({ caller, subject: app }) =>
        json({
          owner: app.owner.name,
          platform: app.platform,
          package_name: app.packageName,
          secret: await rotateSecret(caller.actor, app),
        }),
    }),
  ];
}
