import * as v from 'valibot';
import { maxTestersOfApp } from '../../accounts/invitations/invite-user.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import type { App } from '../app.ts';
import type { AppHeads } from '../app-heads.ts';
import { peoplePath } from '../app-paths.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import { peopleTexts } from './app-tester-texts.ts';
import type { AppTesters } from './app-testers.ts';
import type { PeopleProps } from './app-testers-list.tsx';
import { type PeoplePageProps, renderPeoplePage } from './app-testers-page.tsx';

export interface AppTesterRouteDeps {
  data: Data;
  managedApp: ManagedAppAccess['managedApp'];
  appHeads: AppHeads;
  appTesters: AppTesters;
}

const ownerPath = (app: App) => peoplePath(app.owner, app.platform, app.packageName);

/** Routes that manage access to a User's app. For a Project's app, the page explains that the teams decide. */
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
      query: { done: lenient(v.picklist(['given', 'invited', 'canceled', 'already', 'taken'])) },
      handle: async (context) => {
        const { done } = context.query;
        return html(await renderPeople(deps, context, { done: done ? peopleTexts[done] : null }));
      },
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
      // The response reveals whether an account exists. The limit suffices for a team, but makes probing a list of
      // addresses impractical.
      rateLimit: {
        name: 'give access',
        limit: 60,
        windowMs: 15 * 60_000,
        per: 'caller',
        refusal: peopleTexts.errors.tooMany,
      },
      form: { login: v.pipe(v.string(), v.trim()) },
      handle: async ({ caller, subject: app, form: { login } }) => {
        const outcome = await appTesters.give(caller.actor.user, app, login);
        return redirect(`${ownerPath(app)}?done=${outcome}`);
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
        const changed = await appTesters.take(caller.actor.user, app, user);
        return redirect(`${ownerPath(app)}${changed ? '?done=taken' : ''}`);
      },
    }),
  ];
}

async function renderPeople(
  { data, appTesters, appHeads }: AppTesterRouteDeps,
  { subject: app, frame }: RouteContext<unknown, App>,
  shown: Partial<Pick<PeoplePageProps, 'done' | 'submitted' | 'errors'>>,
): Promise<string> {
  const people = await loadPeople(data, app);
  const pending = people === 'teams' ? [] : await appTesters.pending(app);
  const head = await appHeads.ofManaged(app);
  return renderPeoplePage({
    frame,
    app,
    head,
    people,
    pending,
    done: null,
    submitted: '',
    errors: [],
    ...shown,
  });
}

/** People with access to a User's app, by name. For a Project's app, the teams decide. */
async function loadPeople(data: Data, app: App): Promise<PeopleProps['people']> {
  if (app.owner.kind === 'project') return 'teams';
  const found = await appTesterQueries(data).list(app.id, maxTestersOfApp + 1);
  return { testers: found.slice(0, maxTestersOfApp), more: found.length > maxTestersOfApp };
}
