import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import type { App } from '../../apps/app.ts';
import type { AppHeads } from '../../apps/app-heads.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { appPagesPath, pageSettingsPath } from '../../apps/app-paths.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { timeField } from '../../core/signed-token.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { renderAppPages } from './app-pages-page.tsx';
import { loadBuildChoices } from './page-settings-builds.ts';
import type { PageSettings } from './page-settings-change.ts';
import { chosenRevision, readRevision } from './page-settings-form.ts';
import { type NewPageProps, renderNewPage } from './page-settings-new.tsx';
import { maxSettingsFormBytes } from './page-settings-routes.ts';

interface NewPageDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  pageSettings: PageSettings;
}

const pagesPerPart = 20;
const partQuery = {
  /** The last entry of the previous part of the list. */
  before: lenient(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-z]{1,11}\.[0-9a-z]{26}$/),
      v.transform((text) => {
        const [time = '', id = ''] = text.split('.');
        return { updatedAt: timeField.read(time), id };
      }),
    ),
  ),
};

/** Routes that list the pages of an app, and that create a page with a name, a build and a note and then redirect to its settings. */
export function newPageRoutes(deps: NewPageDeps): Route[] {
  const { managedApp, pageSettings } = deps;
  const list = '/users/:owner/platforms/:platform/apps/:package/pages';
  const page = `${list}/new` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      summary: 'List the distribution pages of an app',
      access: managedApp,
      query: partQuery,
      handle: async ({ subject: app, frame, query: { before } }) => {
        const found = await appPageQueries(deps.data).listPages(
          { kind: 'manager' },
          app.id,
          pagesPerPart + 1,
          before,
        );
        const pages = found.slice(0, pagesPerPart);
        const last = found.length > pagesPerPart ? pages.at(-1) : undefined;
        const address = appPagesPath(app);
        return html(
          renderAppPages({
            frame,
            head: await deps.appHeads.ofManaged(app),
            pages,
            paging: {
              newer: before ? address : null,
              older: last ? `${address}?before=${last.updatedAt.toString(36)}.${last.id}` : null,
            },
          }),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the form for a new distribution page',
      access: managedApp,
      handle: async (context) => html(await renderForm(deps, context)),
    }),
    defineRoute({
      method: 'POST',
      path: `${list}/create`,
      summary: 'Create a distribution page',
      access: managedApp,
      reauthentication: false,
      page,
      maxBodyBytes: maxSettingsFormBytes,
      form: {
        name: v.string(),
        revision: v.string(),
        'other-revision': v.optional(v.string(), ''),
        note: v.string(),
      },
      handle: async ({ caller, subject: app, form }) => {
        const made = await pageSettings.make(caller.actor, app, {
          ...form,
          revision: readRevision(chosenRevision(form)) ?? Number.NaN,
        });
        return redirect(`${pageSettingsPath(made.accessKey)}?done=made`);
      },
      renderErrors: async ({ errors, submitted }, context) =>
        renderForm(deps, context, {
          errors,
          submitted: { ...submitted, revision: chosenRevision(submitted) },
        }),
    }),
  ];
}

async function renderForm(
  { data, appHeads }: NewPageDeps,
  { frame, subject: app }: RouteContext<Person, App>,
  refused: Pick<NewPageProps, 'errors' | 'submitted'> | null = null,
): Promise<string> {
  const choices = await loadBuildChoices(data, app.id, [readRevision(refused?.submitted.revision ?? '')]);
  return renderNewPage({
    frame,
    app,
    head: await appHeads.ofManaged(app),
    submitted: refused?.submitted ?? {
      name: '',
      revision: String(choices.builds[0]?.revision ?? ''),
      note: '',
    },
    errors: refused?.errors ?? {},
    choices,
  });
}
