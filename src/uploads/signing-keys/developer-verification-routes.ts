import * as v from 'valibot';
import type { App } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { developerVerificationPath } from '../../apps/app-paths.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { content, html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { contentDisposition } from '../../http/sending/send-blob.ts';
import type { Actor } from '../../owners/actor.ts';
import { loadPermissions, showsAdministration } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { signingKeyTexts } from '../../owners/signing-keys/signing-key-texts.ts';
import {
  type DeveloperVerificationProps,
  renderDeveloperVerification,
} from './developer-verification-page.tsx';
import type { KeyRegistrations } from './key-registrations.ts';
import { signingKeyRateLimit } from './signing-key-routes.ts';

export interface DeveloperVerificationRouteDeps {
  data: Data;
  appHeads: AppHeads;
  managedApp: ManagedAppAccess['managedApp'];
  administeredApp: ManagedAppAccess['administeredApp'];
  keyRegistrations: KeyRegistrations;
}

export const keyNumber = () => v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/), v.transform(Number));
export const proofFileName = ({ packageName }: Pick<App, 'packageName'>) => `${packageName}-proof.apk`;

/** Part of the settings of an Android app. */
export function developerVerificationRoutes(deps: DeveloperVerificationRouteDeps): Route[] {
  const { data, appHeads, managedApp, keyRegistrations } = deps;
  const page = '/users/:owner/platforms/:platform/apps/:package/developer-verification' as const;
  const render = async (
    { caller, subject, frame }: Pick<RouteContext<{ actor: Actor }, App>, 'caller' | 'subject' | 'frame'>,
    shown: Partial<DeveloperVerificationProps> = {},
  ) => {
    const owner = await ownerQueries(data).findOwnerById(subject.owner.id);
    const permissions = owner && (await loadPermissions(data, caller.actor, owner));
    return renderDeveloperVerification({
      frame,
      head: await appHeads.ofManaged(subject),
      keys: await keyRegistrations.keysOf(subject),
      administers: permissions !== null && showsAdministration(permissions),
      done: null,
      ...shown,
    });
  };
  const marking = {
    method: 'POST',
    access: managedApp,
    page,
    reauthentication: false,
    params: { number: keyNumber() },
    form: {},
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show which signing keys of an app are registered with Google',
      access: managedApp,
      query: { done: lenient(v.picklist(['register', 'unregister'])) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await render(context, { done: done ? signingKeyTexts.verification.done[done] : null }));
      },
    }),
    defineRoute({
      ...marking,
      path: `${page}/:number/register`,
      summary: 'Record that a signing key is registered for an app',
      handle: async ({ caller, subject, params }) => {
        await keyRegistrations.setRegistered(caller.actor, subject, params.number, true);
        return redirect(`${developerVerificationPath(subject)}?done=register`);
      },
    }),
    defineRoute({
      ...marking,
      path: `${page}/:number/unregister`,
      summary: 'Record that a signing key is no longer registered for an app',
      handle: async ({ caller, subject, params }) => {
        await keyRegistrations.setRegistered(caller.actor, subject, params.number, false);
        return redirect(`${developerVerificationPath(subject)}?done=unregister`);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${page}/proof`,
      summary: 'Download the APK that proves possession of a signing key',
      access: deps.administeredApp,
      page,
      reauthentication: true,
      rateLimit: signingKeyRateLimit,
      form: { token: v.string(), number: keyNumber() },
      handle: async ({ caller, subject, form }) => {
        const apk = await keyRegistrations.createProof(caller.actor, subject, form);
        return content('application/vnd.android.package-archive', apk, {
          headers: {
            'Cache-Control': 'no-store',
            'Content-Disposition': contentDisposition(proofFileName(subject)),
          },
        });
      },
      renderErrors: ({ submitted, errors }, context) =>
        render(context, { token: submitted.token, tokenErrors: errors.token }),
    }),
  ];
}
