import * as v from 'valibot';
import {
  findTrustedRequirement,
  type SetTrustedOnly,
} from '../../accounts/trusted-publishing/trusted-only.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { loadPermissions, showsAdministration } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { publisherTexts } from '../../projects/trusted-publishing/trusted-publishing-texts.ts';
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
  administeredApp: ManagedAppAccess['administeredApp'];
  setTrustedOnly: SetTrustedOnly;
  data: Data;
}

/** Routes of the Settings tab. */
export function appSettingsRoutes(deps: AppSettingsRouteDeps): Route[] {
  const { appHeads, managedApp, rotateSecret, data } = deps;
  const app = '/users/:owner/platforms/:platform/apps/:package';
  const page = `${app}/settings` as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the settings of an app',
      access: managedApp,
      query: { done: lenient(v.picklist(['secret-rotated', 'on', 'off'])) },
      handle: async ({ caller, subject, frame, query: { done } }) => {
        const { turnedOn: on, turnedOff: off } = publisherTexts.only;
        const owner = await ownerQueries(data).findOwnerById(subject.owner.id);
        const permissions = owner && (await loadPermissions(data, caller.actor, owner));
        return html(
          renderAppSettings({
            frame,
            head: await appHeads.ofManaged(subject),
            administers: permissions !== null && showsAdministration(permissions),
            requiredBy: await findTrustedRequirement(data, subject.owner.id),
            done: done ? { 'secret-rotated': buildTexts.rotateSecret.done, on, off }[done] : null,
          }),
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${app}/require-trusted`,
      summary: 'Accept builds of an app from trusted publishers only, or from others again',
      access: deps.administeredApp,
      page,
      reauthentication: true,
      form: { only: v.optional(v.string(), '') },
      handle: async ({ caller, subject, form }) => {
        const only = form.only !== '';
        await deps.setTrustedOnly(caller.actor, { ownerId: subject.owner.id, app: subject }, only);
        return redirect(`${appSettingsPath(subject)}?done=${only ? 'on' : 'off'}`);
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
