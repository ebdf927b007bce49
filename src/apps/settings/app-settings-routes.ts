import * as v from 'valibot';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { AppHeads } from '../app-heads.ts';
import { appSettingsPath } from '../app-paths.ts';
import { buildTexts } from '../builds/build-texts.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import type { RotateSecret } from './app-secret.ts';
import { renderAppSettings } from './app-settings-page.tsx';

export interface AppSettingsRouteDeps {
  appHeads: AppHeads;
  managedApp: ManagedAppAccess['managedApp'];
  rotateSecret: RotateSecret;
}

/** Routes of the Settings tab. */
export function appSettingsRoutes(deps: AppSettingsRouteDeps): Route[] {
  const { appHeads, managedApp, rotateSecret } = deps;
  const app = '/users/:owner/platforms/:platform/apps/:package';
  const page = `${app}/settings` as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the settings of an app',
      access: managedApp,
      query: { done: lenient(v.literal('secret-rotated')) },
      handle: async ({ subject, frame, query: { done } }) => {
        return html(
          renderAppSettings({
            frame,
            head: await appHeads.ofManaged(subject),
            done: done ? buildTexts.rotateSecret.done : null,
          }),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${app}/secret/rotate`,
      summary: 'Rotate the secret of an app',
      access: managedApp,
      page,
      reauthentication: false,
      form: {},
      handle: async ({ caller, subject }) => {
        await rotateSecret(caller.actor, subject);
        return redirect(`${appSettingsPath(subject)}?done=secret-rotated`);
      },
    }),
  ];
}
