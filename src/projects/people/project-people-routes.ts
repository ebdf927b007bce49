import * as v from 'valibot';
import { accountTexts } from '../../accounts/account-texts.ts';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import {
  addEachPerson,
  findPeopleLimit,
  onlyLogin,
  peopleListField,
} from '../../accounts/invitations/people-list.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { doneSentence, lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type RejectedForm, type Route, type RouteContext } from '../../http/routes/route.ts';
import { maxNameLength, type Project, type ProjectMember, teams } from '../../owners/owner.ts';
import { teamsPath } from '../../owners/owner-paths.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import type { OwnerAccess, OwnerSubject } from '../owner-access-http.ts';
import { projectTexts } from '../project-texts.ts';
import { memberQueries } from './member-queries.ts';
import type { ProjectPeople } from './project-people.ts';
import { type ProjectPeopleProps, renderAddedMembers, renderProjectPeople } from './project-people-page.tsx';
import { renderRemoval } from './removal-page.tsx';
import type { RemoveEverywhere } from './remove-everywhere.ts';

export interface ProjectPeopleRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  projectPeople: ProjectPeople;
  removeEverywhere: RemoveEverywhere;
}

type PeopleContext = RouteContext<Person, OwnerSubject<Project>>;

const t = projectTexts.people;
const peoplePerPage = 50;

const successMessages = () => ({
  added: t.added,
  already: t.already,
  pending: accountTexts.ownInvitations.already,
  changed: t.changed,
  removed: t.removed,
  everywhere: projectTexts.removal.done,
  invited: accountTexts.ownInvitations.invited,
  canceled: accountTexts.ownInvitations.canceled,
});

const team = v.picklist(teams, () => t.errors.team);

/** Team members, who are visible to everyone in the Project and managed by its owners and administrators. */
export function projectPeopleRoutes({
  data,
  ownerAccess,
  projectPeople,
  removeEverywhere,
}: ProjectPeopleRouteDeps): Route[] {
  const page = '/organizations/:owner/people';
  const form = {
    method: 'POST',
    page,
    access: ownerAccess.ownerOrAdministrator('project'),
    reauthentication: false,
  } as const;
  const change = {
    ...form,
    renderErrors: ({ error }: Pick<RejectedForm, 'error'>, context: PeopleContext) =>
      renderPeople({ data, projectPeople }, context, { refused: error.sentence }),
    renderedErrorKinds: ['conflict'],
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List the people of a Project',
      access: ownerAccess.memberOrAdministrator,
      query: {
        q: lenientText(),
        page: lenient(v.pipe(v.string(), v.regex(/^\d{1,6}$/), v.transform(Number))),
        done: doneSentence(successMessages),
      },
      handle: async (context) => {
        const { done, ...asked } = context.query;
        return html(await renderPeople({ data, projectPeople }, context, { done }, asked));
      },
    }),
    defineRoute({
      ...form,
      path: '/organizations/:owner/people/add',
      summary: 'Add a User to a team of a Project',
      reauthentication: true,
      rateLimit: findPeopleLimit,
      form: { login: peopleListField, team },
      handle: async ({ caller, subject: { owner, permissions }, frame, form }) => {
        const add = (login: string) => projectPeople.add(caller.actor, owner, login, form.team);
        const only = onlyLogin(form.login);
        if (only === null) {
          const people = await addEachPerson(form.login, add);
          return html(renderAddedMembers({ frame, project: owner, permissions, people }));
        }
        return redirect(`${teamsPath(owner.name)}?done=${await add(only)}`);
      },
      renderErrors: ({ submitted, errors }, context) => {
        const chosen = teams.find((one) => one === submitted.team) ?? 'tester';
        return renderPeople({ data, projectPeople }, context, {
          submitted: { login: submitted.login.trim(), role: chosen },
          errors,
        });
      },
    }),
    defineRoute({
      ...form,
      path: '/organizations/:owner/people/invitations/:invitation/cancel',
      summary: 'Cancel an invitation to a Project',
      form: {},
      handle: async ({ caller: { actor }, subject: { owner }, params: { invitation } }) => {
        await projectPeople.cancel(actor.user, owner, invitation);
        return redirect(`${teamsPath(owner.name)}?done=canceled`);
      },
    }),
    defineRoute({
      ...change,
      path: '/organizations/:owner/people/:person/save',
      summary: 'Change the team of a User in a Project',
      reauthentication: true,
      form: { team },
      handle: async ({ caller, subject: { owner }, params, form }) => {
        await projectPeople.change(caller.actor, owner, { id: params.person }, form.team);
        return redirect(`${teamsPath(owner.name)}?done=changed`);
      },
    }),
    defineRoute({
      ...change,
      path: '/organizations/:owner/people/:person/remove',
      summary: 'Remove a User from a Project',
      form: {},
      handle: async ({ caller: { actor }, subject: { owner }, params: { person } }) => {
        const removed = await projectPeople.remove(actor, owner, { id: person });
        // People who removed themselves may not see the page.
        const isOut = removed && person === actor.user.id;
        return redirect(isOut ? '/' : `${teamsPath(owner.name)}${removed ? '?done=removed' : ''}`);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/organizations/:owner/people/:person/removal',
      summary: 'Show what a User would be removed from',
      access: ownerAccess.ownerOrAdministrator('project'),
      handle: async (context) => html(await renderRemovalOf(removeEverywhere, context, null)),
    }),
    defineRoute({
      ...form,
      page: '/organizations/:owner/people/:person/removal',
      path: '/organizations/:owner/people/:person/remove-everywhere',
      summary: 'Remove a User from everything that the caller manages',
      form: {},
      handle: async ({ caller, subject: { owner }, params: { person } }) => {
        await removeEverywhere.remove(caller.actor, owner, person);
        return redirect(`${teamsPath(owner.name)}?done=everywhere`);
      },
      renderErrors: ({ error }, context) => renderRemovalOf(removeEverywhere, context, error.sentence),
      renderedErrorKinds: ['conflict'],
    }),
    defineRoute({
      ...change,
      path: '/organizations/:owner/people/leave',
      access: ownerAccess.member,
      summary: 'Leave a Project',
      form: {},
      handle: async ({ caller: { actor }, subject: { owner } }) => {
        await projectPeople.remove(actor, owner, actor.user);
        return redirect('/?done=left');
      },
    }),
  ];
}

async function renderPeople(
  { data, projectPeople }: Pick<ProjectPeopleRouteDeps, 'data' | 'projectPeople'>,
  { caller, subject: { owner, permissions }, frame }: PeopleContext,
  shown: Partial<Pick<ProjectPeopleProps, 'done' | 'submitted' | 'errors' | 'refused'>>,
  asked: { q?: string | undefined; page?: number | undefined } = {},
): Promise<string> {
  const members = await ownerQueries(data).listMembers(owner.id);
  const viewerId = caller.actor.user.id;
  const own = members.find(({ user }) => user.id === viewerId);
  const shownPeople = choosePeople(members, asked, teamsPath(owner.name));
  return renderProjectPeople({
    frame,
    project: owner,
    permissions,
    viewerId,
    pending: permissions.administers ? await projectPeople.pending(owner) : [],
    isMember: own !== undefined,
    isLastOwner:
      own?.teams.includes('owner') === true && !(await teamQueries(data).hasOtherOwner(owner.id, viewerId)),
    facts: permissions.administers
      ? await memberQueries(data).factsOf(shownPeople.members.map(({ user }) => user.id))
      : null,
    ...shownPeople,
    done: null,
    submitted: { login: '', role: 'tester' },
    errors: {},
    refused: null,
    ...shown,
  });
}

async function renderRemovalOf(
  removeEverywhere: RemoveEverywhere,
  context: PeopleContext & { params: { person: string } },
  refused: string | null,
): Promise<string> {
  const { caller, subject, frame, params } = context;
  const loaded = await removeEverywhere.load(caller.actor, subject.owner, params.person);
  const { owner: project, permissions } = subject;
  return renderRemoval({ frame, project, permissions, refused, ...loaded });
}

/** Selects the members on one page with names that match the search. */
function choosePeople(
  members: readonly ProjectMember[],
  asked: { q?: string | undefined; page?: number | undefined },
  address: string,
): Pick<ProjectPeopleProps, 'members' | 'count' | 'query' | 'paging'> {
  const query = (asked.q ?? '').trim().slice(0, maxNameLength);
  const found = members.filter(({ user }) => user.name.toLowerCase().includes(query.toLowerCase()));
  const pages = Math.max(1, Math.ceil(found.length / peoplePerPage));
  const page = Math.min(Math.max(asked.page ?? 1, 1), pages);
  const link = (to: number) =>
    `${address}?${new URLSearchParams({ ...(query === '' ? {} : { q: query }), page: String(to) })}`;
  return {
    query,
    count: found.length,
    members: found.slice((page - 1) * peoplePerPage, page * peoplePerPage),
    paging: { newer: page > 1 ? link(page - 1) : null, older: page < pages ? link(page + 1) : null },
  };
}
