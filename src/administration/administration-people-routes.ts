import * as v from 'valibot';
import type { Person as Administrator } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { isUsable } from '../accounts/keys/api-key.ts';
import { keyQueries } from '../accounts/keys/key-queries.ts';
import { passwordResetPath } from '../accounts/profile/account-paths.ts';
import { conflict, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { cutPage, readNameCursor, readSearch } from '../http/list-request.ts';
import { html, redirect } from '../http/routes/answer.ts';
import { lenient, lenientText, type Values } from '../http/routes/form.ts';
import { defineRoute, type RejectedForm, type Route, type RouteContext } from '../http/routes/route.ts';
import type { Access } from '../http/routes/route-facts.ts';
import { nameKey } from '../owners/owner.ts';
import { absolute } from '../owners/owner-paths.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { listMemberProjects } from '../projects/lists/list-by-name-http.ts';
import { sitePaths, withQuery } from '../web/shell/site-paths.ts';
import { personPath } from './administration-paths.ts';
import type { PeopleChanges } from './administration-people.ts';
import { type FoundPeople, renderFoundPeople, renderPeoplePage } from './administration-people-page.tsx';
import { type Person, peopleFilters } from './administration-person.ts';
import { type PersonPageProps, renderPersonPage } from './administration-person-page.tsx';
import { administrationQueries } from './administration-queries.ts';
import { administrationTexts } from './administration-texts.ts';

export interface PeopleRouteDeps {
  data: Data;
  access: RouteAccess;
  peopleChanges: PeopleChanges;
  canSendMail: boolean;
}

type PersonContext = RouteContext<Administrator, Person>;
type SuccessMessage = keyof typeof words.done;

const peoplePerPage = 50;
const words = administrationTexts.person;
const listQuery = {
  q: lenientText(),
  only: lenient(v.picklist(peopleFilters)),
  after: lenientText(),
  before: lenientText(),
  part: lenient(v.literal('people')),
};
const personQuery = {
  done: lenient(v.picklist(Object.keys(words.done) as SuccessMessage[])),
  after: lenientText(),
  before: lenientText(),
};

/** The list of people, and the page of one person with actions for administrators. */
export function peopleRoutes(deps: PeopleRouteDeps): Route[] {
  const { data, access, peopleChanges: changes, canSendMail } = deps;
  const onePerson: Access<{ person: string }, Administrator, Person> = {
    ...access.administrator,
    authorize: async (...context) => {
      await access.administrator.authorize(...context);
      const [, params] = context;
      return findPerson(data, params.person);
    },
  };
  const page = '/administration/people/:person';
  const action = {
    method: 'POST',
    access: onePerson,
    page,
    form: {},
    renderedErrorKinds: ['conflict'],
    renderErrors: async ({ error }: Pick<RejectedForm, 'error'>, context: PersonContext) => {
      const person = await findPerson(data, context.subject.user.name);
      return renderPerson(deps, context, person, { refusal: error.sentence });
    },
  } as const;
  const protectedAction = { ...action, reauthentication: true } as const;
  const openAction = { ...action, reauthentication: false } as const;
  const back = ({ user }: Person, done: SuccessMessage) => redirect(`${personPath(user.name)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: '/administration/people',
      summary: 'List people',
      access: access.administrator,
      query: listQuery,
      handle: async ({ frame, query }) => {
        const found = await findPeople(data, query);
        // Requested by the script while the user types.
        const render = query.part === 'people' ? renderFoundPeople : renderPeoplePage;
        return html(render({ frame, found }));
      },
    }),
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'Show the account of a person',
      access: onePerson,
      query: personQuery,
      handle: async (context) => {
        const { done } = context.query;
        const shown = { place: context.query, done: done === undefined ? null : words.done[done] };
        return html(await renderPerson(deps, context, context.subject, shown));
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/reset-link/create',
      summary: 'Create a password reset link for a person',
      handle: async (context) => {
        const { caller, subject, client } = context;
        const token = await changes.createResetLink(caller.actor, subject.user);
        const resetLink = absolute(client.origin, passwordResetPath(token));
        return html(await renderPerson(deps, context, subject, { resetLink }));
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/reset-link/send',
      summary: 'Send a password reset link to a person by email',
      handle: async ({ caller, subject }) => {
        if (!canSendMail) throw conflict(words.refusals.noMail);
        await changes.sendResetLink(caller.actor, subject.user);
        return back(subject, 'email-sent');
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/factors/reset',
      summary: 'Reset the second factors of a person',
      handle: async ({ caller, subject }) => {
        await changes.resetFactors(caller.actor, subject.user);
        return back(subject, 'factors-reset');
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/administrator/grant',
      summary: 'Grant administrator rights to a person',
      handle: async ({ caller, subject }) => {
        await changes.setAdministrator(caller.actor, subject.user, true);
        return back(subject, 'administrator-made');
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/administrator/remove',
      summary: 'Remove administrator rights from a person',
      handle: async ({ caller, subject }) => {
        await changes.setAdministrator(caller.actor, subject.user, false);
        // People who removed their own rights can no longer see these pages.
        if (subject.user.id === caller.actor.user.id) return redirect('/');
        return back(subject, 'administrator-unmade');
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/enable',
      summary: 'Enable a disabled account',
      handle: async ({ caller, subject }) => {
        await changes.enable(caller.actor, subject.user);
        return back(subject, 'enabled');
      },
    }),
    defineRoute({
      ...protectedAction,
      path: '/administration/people/:person/disable',
      summary: 'Disable an account',
      handle: async ({ caller, subject }) => {
        await changes.disable(caller.actor, subject.user);
        return back(subject, 'disabled');
      },
    }),
    defineRoute({
      ...openAction,
      path: '/administration/people/:person/sessions/end',
      summary: 'End all sessions of a person',
      handle: async ({ caller, subject }) => {
        await changes.endSessions(caller.actor, subject.user);
        return back(subject, 'sessions-ended');
      },
    }),
    defineRoute({
      ...openAction,
      path: '/administration/people/:person/keys/:key/revoke',
      summary: 'Revoke an API key of a person',
      handle: async ({ caller, subject, params }) => {
        await changes.revokeKey(caller.actor, subject.user, params.key);
        return back(subject, 'key-revoked');
      },
    }),
  ];
}

async function findPerson(data: Data, name: string): Promise<Person> {
  const person = await administrationQueries(data).findPerson(name);
  if (!person) throw new NotFound();
  return person;
}

async function findPeople(data: Data, asked: Values<typeof listQuery>): Promise<FoundPeople> {
  const { query, words: searched } = readSearch(asked.q);
  const only = asked.only ?? null;
  const { after, before } = readNameCursor(asked);
  const listed = await administrationQueries(data).listPeople(
    { only, words: searched },
    { limit: peoplePerPage + 1, after, before },
  );
  const from = { forwards: before === undefined, begins: after === undefined };
  const { items: people, hasPrevious, hasNext } = cutPage(listed, peoplePerPage, from);
  const link = (place: 'after' | 'before', person: Person | undefined) =>
    person
      ? withQuery(sitePaths.people, { only: only ?? '', q: query, [place]: nameKey(person.user.name) })
      : null;
  return {
    query,
    only,
    people,
    paging: {
      newer: hasPrevious ? link('before', people[0]) : null,
      older: hasNext ? link('after', people.at(-1)) : null,
    },
  };
}

async function renderPerson(
  { data, canSendMail }: PeopleRouteDeps,
  { caller, frame }: PersonContext,
  person: Person,
  shown: Partial<Pick<PersonPageProps, 'resetLink' | 'refusal' | 'done'>> & {
    place?: { after?: string | undefined; before?: string | undefined };
  },
): Promise<string> {
  const { place = {}, ...changes } = shown;
  const { id, name } = person.user;
  const keys = (await keyQueries(data).listKeys(id)).reverse().filter((key) => isUsable(key, frame.now));
  return renderPersonPage({
    frame,
    person,
    keys,
    canSendMail,
    isSelf: id === caller.actor.user.id,
    projects: await listMemberProjects(data, id, place, personPath(name)),
    workspaces: await workspaceQueries(data).listOf(id),
    sessions: await administrationQueries(data).countSessions(id, frame.now),
    resetLink: null,
    done: null,
    refusal: null,
    ...changes,
  });
}
