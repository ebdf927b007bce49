import * as v from 'valibot';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { ownerPath } from '../../owners/owner-paths.ts';
import type { App } from '../app.ts';
import type { AppHeads } from '../app-heads.ts';
import { appQueries } from '../app-queries.ts';
import { appTexts } from '../app-texts.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import type { DeleteApp } from './app-deletion.ts';
import { type AppDeletionProps, renderAppDeletion } from './app-deletion-page.tsx';
import { appDeletionQueries } from './app-deletion-queries.ts';

export interface AppDeletionRouteDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  deleteApp: DeleteApp;
}

const shownPages = 20;

/** Routes that delete an app with its contents. */
export function appDeletionRoutes(deps: AppDeletionRouteDeps): Route[] {
  const { managedApp, deleteApp } = deps;
  const path = '/users/:owner/platforms/:platform/apps/:package/delete';
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Show what deleting an app deletes',
      access: managedApp,
      handle: async (context) => html(await renderDeletion(deps, context, { submitted: '', errors: [] })),
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Delete an app',
      access: managedApp,
      page: path,
      reauthentication: true,
      form: { app: v.optional(v.string()), confirmation: v.string() },
      handle: async ({ caller, subject: app, form }) => {
        // Since the page was rendered, the app may have been deleted and another one created with the same name.
        if ((form.app ?? app.id) !== app.id) throw new NotFound(appTexts.errors.alreadyDeleted);
        await deleteApp(caller.actor, app, form.confirmation);
        return redirect(`${ownerPath(app.owner)}?done=app-deleted`);
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderDeletion(deps, context, {
          submitted: submitted.confirmation,
          errors: errors.confirmation ?? [],
        }),
    }),
  ];
}

async function renderDeletion(
  { data, appHeads }: AppDeletionRouteDeps,
  { subject: app, frame }: RouteContext<unknown, App>,
  shown: Pick<AppDeletionProps, 'submitted' | 'errors'>,
): Promise<string> {
  const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
  const named = await appQueries(data).findAppsByPackageName(app.owner.id, app.packageName);
  return renderAppDeletion({
    frame,
    app,
    head: await appHeads.ofManaged(app),
    name: latest?.info.name ?? app.packageName,
    contents: await appDeletionQueries(data).contentsOf(app.id, shownPages),
    onOtherPlatform: named.length > 1,
    ...shown,
  });
}
