import * as v from 'valibot';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import {
  addEachPerson,
  findPeopleLimit,
  onlyLogin,
  peopleListField,
} from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import { nameField } from '../../core/name-text.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { maxGroupNameLength, maxPeopleOfGroup } from '../../owners/group.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { Owner } from '../../owners/owner.ts';
import { groupPath, groupsPath } from '../../owners/owner-paths.ts';
import type { GroupSubject, OwnerAccess, OwnerSubject } from '../owner-access-http.ts';
import {
  type GroupPageProps,
  type GroupsPageProps,
  renderAddedToGroup,
  renderGroup,
  renderGroups,
} from './group-pages.tsx';
import { groupTexts } from './group-texts.ts';
import type { Groups } from './groups.ts';

export interface GroupRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  groups: Groups;
}

type GroupsContext = RouteContext<Person, OwnerSubject<Owner>>;
type GroupContext = RouteContext<Person, OwnerSubject<Owner> & Partial<Pick<GroupSubject, 'isManager'>>> & {
  params: { group: string };
};

const t = groupTexts;
const doneQuery = { done: lenient(v.picklist(Object.keys(t.done) as (keyof typeof t.done)[])) };

/** Groups, managed by the owner team of a Project, and by Users for their own apps. */
export function groupRoutes(deps: GroupRouteDeps): Route[] {
  const { ownerAccess } = deps;
  return [
    ...routesAt(
      deps,
      '/organizations/:owner/groups',
      { owns: ownerAccess.owner('project'), manages: ownerAccess.groupManager('project') },
      'a Project',
    ),
    ...routesAt(
      deps,
      '/users/:owner/groups',
      { owns: ownerAccess.owner('user'), manages: ownerAccess.groupManager('user') },
      'a User',
    ),
  ];
}

function routesAt(
  deps: GroupRouteDeps,
  page: '/organizations/:owner/groups' | '/users/:owner/groups',
  {
    owns: access,
    manages,
  }: {
    owns: Access<{ owner: string }, Person, OwnerSubject>;
    manages: Access<{ owner: string; group: string }, Person, GroupSubject>;
  },
  of: string,
): Route[] {
  const { groups } = deps;
  const group = `${page}/:group` as const;
  const form = { method: 'POST', access, reauthentication: false } as const;
  const back = (owner: Owner, id: string, done: keyof typeof t.done) =>
    redirect(`${groupPath(owner, id)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: `List the groups of ${of}`,
      access,
      query: doneQuery,
      handle: async (context) => {
        const { done } = context.query;
        return html(await renderGroupList(deps, context, { done: done ? t.done[done] : null }));
      },
    }),
    defineRoute({
      ...form,
      page,
      path: `${page}/create`,
      summary: `Create a group of ${of}`,
      form: { name: nameField(maxGroupNameLength) },
      handle: async ({ caller, subject: { owner }, form: { name } }) =>
        back(owner, await groups.create({ by: caller.actor, owner }, name), 'created'),
      renderErrors: ({ submitted, errors }, context) => renderGroupList(deps, context, { submitted, errors }),
    }),
    defineRoute({
      method: 'GET',
      path: group,
      summary: `Show a group of ${of}`,
      access: manages,
      query: doneQuery,
      handle: async (context) => {
        const { done } = context.query;
        return html(await renderOneGroup(deps, context, { done: done ? t.done[done] : null }));
      },
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/add`,
      summary: `Add people to a group of ${of}`,
      access: manages,
      rateLimit: findPeopleLimit,
      form: { login: peopleListField },
      handle: async ({ caller, subject, params, frame, form: { login } }) => {
        const { owner, permissions } = subject;
        const add = (one: string) => groups.addPerson({ by: caller.actor, owner }, params.group, one);
        const only = onlyLogin(login);
        if (only !== null) return back(owner, params.group, await add(only));
        const people = await addEachPerson(login, add);
        const known = await findGroup(deps, owner, params.group);
        return html(renderAddedToGroup({ frame, owner, permissions, group: known, people }));
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderOneGroup(deps, context, { login: submitted.login.trim(), errors }),
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/remove`,
      summary: `Remove a person from a group of ${of}`,
      access: manages,
      form: { user: v.string() },
      handle: async ({ caller, subject: { owner }, params, form: { user } }) => {
        await groups.removePerson({ by: caller.actor, owner }, params.group, { id: user });
        return back(owner, params.group, 'removed');
      },
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/managers/add`,
      summary: `Add a manager of a group of ${of}`,
      rateLimit: findPeopleLimit,
      form: { login: v.pipe(v.string(), v.trim()) },
      handle: async ({ caller, subject: { owner }, params, form: { login } }) => {
        const outcome = await groups.addManager({ by: caller.actor, owner }, params.group, login);
        return back(owner, params.group, outcome === 'added' ? 'managerAdded' : 'managerAlready');
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderOneGroup(deps, context, { manager: submitted.login, errors: { manager: errors.login } }),
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/managers/remove`,
      summary: `Remove a manager of a group of ${of}`,
      form: { user: v.string() },
      handle: async ({ caller, subject: { owner }, params, form: { user } }) => {
        await groups.removeManager({ by: caller.actor, owner }, params.group, { id: user });
        return back(owner, params.group, 'managerRemoved');
      },
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/rename`,
      summary: `Rename a group of ${of}`,
      form: { name: nameField(maxGroupNameLength) },
      handle: async ({ caller, subject: { owner }, params, form: { name } }) => {
        await groups.rename({ by: caller.actor, owner }, params.group, name);
        return back(owner, params.group, 'renamed');
      },
      renderErrors: (rejected, context) =>
        renderOneGroup(deps, context, { name: rejected.submitted.name, errors: rejected.errors }),
    }),
    defineRoute({
      ...form,
      page: group,
      path: `${group}/delete`,
      summary: `Delete a group of ${of}`,
      form: {},
      handle: async ({ caller, subject: { owner }, params }) => {
        await groups.remove({ by: caller.actor, owner }, params.group);
        return redirect(`${groupsPath(owner)}?done=deleted`);
      },
    }),
  ];
}

async function findGroup({ data }: GroupRouteDeps, owner: Owner, id: string) {
  const group = await groupQueries(data).findGroup(owner.id, id);
  if (!group) throw new NotFound();
  return group;
}

async function renderGroupList(
  { data }: GroupRouteDeps,
  { frame, subject }: GroupsContext,
  shown: Partial<Pick<GroupsPageProps, 'done' | 'submitted' | 'errors'>>,
): Promise<string> {
  const groups = await groupQueries(data).listGroups(subject.owner.id);
  return renderGroups({
    frame,
    ...subject,
    groups,
    done: null,
    submitted: { name: '' },
    errors: {},
    ...shown,
  });
}

async function renderOneGroup(
  deps: GroupRouteDeps,
  { frame, subject, params }: GroupContext,
  {
    login,
    name,
    manager,
    ...shown
  }: Partial<Pick<GroupPageProps, 'done' | 'errors'>> & {
    login?: string;
    name?: string;
    manager?: string;
  },
): Promise<string> {
  const group = await findGroup(deps, subject.owner, params.group);
  return renderGroup({
    frame,
    ...subject,
    isManager: subject.isManager ?? false,
    group,
    managers: await groupQueries(deps.data).listManagers(group.id),
    people: await groupQueries(deps.data).listPeople(group.id, maxPeopleOfGroup),
    pages: await groupQueries(deps.data).pagesOfGroup(group.id),
    submitted: { login: login ?? '', name: name ?? group.name, manager: manager ?? '' },
    done: null,
    errors: {},
    ...shown,
  });
}
