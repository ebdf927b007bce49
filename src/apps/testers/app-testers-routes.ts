import { Readable } from 'node:stream';
import * as v from 'valibot';
import { accountTexts } from '../../accounts/account-texts.ts';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import {
  addEachPerson,
  findPeopleLimit,
  onlyLogin,
  peopleListField,
} from '../../accounts/invitations/people-list.ts';
import { csvContentType } from '../../core/csv.ts';
import type { Data } from '../../db/data.ts';
import { content, html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { loadPermissions } from '../../owners/owner-permissions.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { type NameListRequest, nameListQuery } from '../../projects/lists/list-by-name-http.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { App } from '../app.ts';
import type { AppHeads } from '../app-heads.ts';
import { peoplePath } from '../app-paths.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { appPeopleLines } from './app-people-export.ts';
import { peopleTexts } from './app-tester-texts.ts';
import type { AppTesters } from './app-testers.ts';
import { type PeopleProps, renderAppPeople } from './app-testers-list.tsx';
import { type PeoplePageProps, renderAddedTesters, renderPeoplePage } from './app-testers-page.tsx';
import { listAppPeople } from './list-app-people-http.ts';

export interface AppTesterRouteDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  appTesters: AppTesters;
}

const successMessages = () => ({ ...peopleTexts, pending: accountTexts.ownInvitations.already });
const ownerPath = (app: App) => peoplePath(app.owner, app.platform, app.packageName);

/** Routes that list who has access to an app, and manage access to a User's app. In a Project, the teams decide. */
export function appTesterRoutes(deps: AppTesterRouteDeps): Route[] {
  const { managedApp, appTesters } = deps;
  const page = '/users/:owner/platforms/:platform/apps/:package/people';
  const form = { method: 'POST', access: managedApp, page, reauthentication: false } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List who has access to an app',
      access: managedApp,
      query: {
        ...nameListQuery,
        part: lenient(v.literal('people')),
        done: lenient(v.picklist(['added', 'invited', 'pending', 'canceled', 'already', 'taken'])),
      },
      handle: async (context) => {
        const { caller, subject: app, frame, query } = context;
        // Requested by the script while the user types.
        if (query.part)
          return html(renderAppPeople(await loadPeople(deps.data, { app, frame, caller }, query)));
        const done = query.done ? successMessages()[query.done] : null;
        return html(await renderPeople(deps, context, { done }, query));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${page}.csv`,
      summary: 'Export who has access to an app as CSV',
      access: managedApp,
      handle: async ({ subject: app }) =>
        content(csvContentType, Readable.from(appPeopleLines(deps.data, app)), {
          headers: {
            'Content-Disposition': 'attachment; filename="testers.csv"',
            'Cache-Control': 'private, no-store',
          },
        }),
    }),
    defineRoute({
      ...form,
      path: `${page}/invitations/:invitation/cancel`,
      summary: 'Cancel an invitation to an app',
      form: {},
      handle: async ({ caller, subject: app, params: { invitation } }) => {
        await appTesters.cancel(caller.actor.user, app, invitation);
        return redirect(`${ownerPath(app)}?done=canceled`);
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/add`,
      summary: 'Give someone access to an app',
      reauthentication: true,
      rateLimit: findPeopleLimit,
      form: { login: peopleListField },
      handle: async ({ caller, subject: app, frame, form }) => {
        const give = (login: string) => appTesters.give(caller.actor.user, app, login);
        const only = onlyLogin(form.login);
        if (only === null) {
          const people = await addEachPerson(form.login, give);
          return html(renderAddedTesters({ frame, app, head: await deps.appHeads.ofManaged(app), people }));
        }
        return redirect(`${ownerPath(app)}?done=${await give(only)}`);
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderPeople(deps, context, {
          submitted: submitted.login.trim(),
          errors: errors.login ?? [],
        }),
    }),
    defineRoute({
      ...form,
      path: `${page}/remove`,
      summary: "Remove someone's access to an app",
      form: { user: v.string() },
      handle: async ({ caller, subject: app, form: { user } }) => {
        const changed = await appTesters.remove(caller.actor.user, app, { id: user });
        return redirect(`${ownerPath(app)}${changed ? '?done=taken' : ''}`);
      },
    }),
  ];
}

async function renderPeople(
  { data, appTesters, appHeads }: AppTesterRouteDeps,
  { subject: app, frame, caller }: RouteContext<Person, App>,
  shown: Partial<Pick<PeoplePageProps, 'done' | 'submitted' | 'errors'>>,
  asked: NameListRequest = {},
): Promise<string> {
  return renderPeoplePage({
    ...(await loadPeople(data, { app, frame, caller }, asked)),
    head: await appHeads.ofManaged(app),
    pending: app.owner.kind === 'user' ? await appTesters.pending(app) : [],
    done: null,
    submitted: '',
    errors: [],
    ...shown,
  });
}

async function loadPeople(
  data: Data,
  { app, frame, caller }: { app: App; frame: PageFrame; caller: Person },
  asked: NameListRequest,
): Promise<PeopleProps> {
  const owner = app.owner.kind === 'project' ? await ownerQueries(data).findOwnerById(app.owner.id) : null;
  const permissions = owner && (await loadPermissions(data, caller.actor, owner));
  const found = await listAppPeople(data, app, asked);
  return { frame, app, found, managesTeams: permissions?.administers ?? false };
}
