import * as v from 'valibot';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, json, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { effectiveRule } from '../../owners/retention/retention.ts';
import { retentionQueries } from '../../owners/retention/retention-queries.ts';
import { describeRetention } from '../../owners/retention/retention-texts.ts';
import type { AppHeads } from '../app-heads.ts';
import { appSettingsPath } from '../app-paths.ts';
import { buildTexts } from '../builds/build-texts.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import type { RotateSecret } from './app-secret.ts';
import { renderAppSettings } from './app-settings-page.tsx';

export interface AppSettingsRouteDeps {
  data: Data;
  appHeads: AppHeads;
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

/** Routes of the Settings tab, and of the secret by API key. */
export function appSettingsRoutes(deps: AppSettingsRouteDeps): Route[] {
  const { data, appHeads, managedApp, managedAppByKey, rotateSecret } = deps;
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
        const ruled = await retentionQueries(data).findApp(subject.id);
        if (!ruled) throw new NotFound();
        return html(
          renderAppSettings({
            frame,
            head: await appHeads.ofManaged(subject),
            retention: describeRetention(effectiveRule(ruled.rules).rule, false),
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
      handle: async ({ caller, subject }) =>
        json({
          owner: subject.owner.name,
          platform: subject.platform,
          package_name: subject.packageName,
          secret: await rotateSecret(caller.actor, subject),
        }),
    }),
  ];
}
