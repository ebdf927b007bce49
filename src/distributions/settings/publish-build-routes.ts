import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { pageSettingsPath } from '../../apps/app-paths.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { revisionText } from '../../apps/builds/build-selection.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { flag, lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { maxSettingsFormBytes } from './page-settings-routes.ts';
import { type PublishBuildProps, renderPublishBuild } from './publish-build-page.tsx';
import type { PublishToPage } from './publish-to-page.ts';

interface PublishBuildDeps {
  data: Data;
  managedBuild: ManagedAppAccess['managedBuild'];
  appHeads: AppHeads;
  publishToPage: PublishToPage;
}

const maxOfferedPages = 100;

/** Routes that publish a build to a page by name, and then redirect to the settings of the page. */
export function publishBuildRoutes(deps: PublishBuildDeps): Route[] {
  const path = '/users/:owner/platforms/:platform/apps/:package/binaries/:revision/publish';
  const shared = { path, access: deps.managedBuild, params: { revision: revisionText() } } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      summary: 'Show the form that publishes a build',
      query: { page: lenient(v.pipe(v.string(), v.maxLength(1_024))) },
      handle: async (context) => html(await renderForm(deps, context, context.query.page ?? null)),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      summary: 'Publish a build to a distribution page',
      page: path,
      reauthentication: false,
      maxBodyBytes: maxSettingsFormBytes,
      form: { page: v.string(), note: v.string(), notify: flag() },
      handle: async ({ subject, form }) => {
        const page = await deps.publishToPage(subject, form);
        return redirect(`${pageSettingsPath(page.accessKey)}?done=published`);
      },
      renderErrors: ({ errors, submitted }, context) =>
        renderForm(deps, context, null, {
          errors,
          submitted: { ...submitted, notify: submitted.notify !== '' },
        }),
    }),
  ];
}

/** `pageName`: chosen before the form was opened; null for the page that was changed last. */
async function renderForm(
  { data, appHeads }: PublishBuildDeps,
  { frame, subject: { app, build } }: RouteContext<Person, BuildChange>,
  pageName: string | null,
  refused: Pick<PublishBuildProps, 'errors' | 'submitted'> | null = null,
): Promise<string> {
  const pages = await appPageQueries(data).listPages({ kind: 'manager' }, app.id, maxOfferedPages);
  return renderPublishBuild({
    frame,
    head: await appHeads.ofManaged(app),
    build,
    pages,
    submitted: refused?.submitted ?? {
      page: pageName ?? pages[0]?.name ?? '',
      note: build.message,
      notify: true,
    },
    errors: refused?.errors ?? {},
  });
}
