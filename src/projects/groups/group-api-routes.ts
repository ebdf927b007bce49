/** Groups in `/api/v1`. */

import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { addEachPerson, findPeopleLimit } from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import { integerShape } from '../../core/json-shapes.ts';
import { nameField } from '../../core/name-text.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { type Group, maxGroupNameLength, maxManagersOfGroup, maxPeopleOfGroup } from '../../owners/group.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { Owner } from '../../owners/owner.ts';
import { addedPeopleShape } from '../lists/owner-json.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { addedPeopleJson, loginsField, readLogins } from '../people/people-api-routes.ts';
import type { Groups } from './groups.ts';

export interface GroupApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  groups: Groups;
}

const groupShape = v.pipe(
  v.object({ id: v.string(), name: v.string(), people: integerShape('How many people are in the group.') }),
  v.title('Group'),
);

const groupJson = ({ id, name, people }: Group): v.InferOutput<typeof groupShape> => ({ id, name, people });

export function groupApiRoutes({ data, access, ownerAccess, groups }: GroupApiRouteDeps): Route[] {
  const path = '/api/v1/owners/:owner/groups';
  const one = `${path}/:group` as const;
  const managed = access.byUserKey(ownerAccess.owner('user', 'project'));
  const reading = { tag: 'Groups', access: managed, keyScope: 'read' } as const;
  const changing = { tag: 'Groups', access: managed, keyScope: 'manage' } as const;
  const managing = access.byUserKey(ownerAccess.groupManager('user', 'project'));
  const find = async (owner: Owner, id: string) => {
    const group = await groupQueries(data).findGroup(owner.id, id);
    if (!group) throw new NotFound();
    return group;
  };
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'listGroups',
      summary: 'List the groups of an owner',
      description: 'All of them, by name.',
      answer: listAnswer(groupShape),
      handle: async ({ subject: { owner } }) => {
        const all = await groupQueries(data).listGroups(owner.id);
        return json({ data: all.map(groupJson), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'createGroup',
      summary: 'Create a group',
      json: { name: nameField(maxGroupNameLength) },
      status: 201,
      answer: groupShape,
      handle: async ({ caller, subject: { owner }, json: { name } }) => {
        const id = await groups.create({ by: caller.actor, owner }, name);
        return json(groupJson(await find(owner, id)), {
          headers: { Location: `/api/v1/owners/${owner.name}/groups/${id}` },
        });
      },
    }),
    defineRoute({
      ...reading,
      access: managing,
      method: 'GET',
      path: one,
      operationId: 'getGroup',
      summary: 'Show a group',
      answer: groupShape,
      handle: async ({ subject: { owner }, params }) => json(groupJson(await find(owner, params.group))),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: one,
      operationId: 'renameGroup',
      summary: 'Rename a group',
      json: { name: nameField(maxGroupNameLength) },
      answer: groupShape,
      handle: async ({ caller, subject: { owner }, params, json: { name } }) => {
        await groups.rename({ by: caller.actor, owner }, params.group, name);
        return json(groupJson(await find(owner, params.group)));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: one,
      operationId: 'deleteGroup',
      summary: 'Delete a group',
      description: 'Pages that admit only this group then admit only people who manage the app.',
      handle: async ({ caller, subject: { owner }, params }) => {
        await groups.remove({ by: caller.actor, owner }, params.group);
        return empty(204);
      },
    }),
    defineRoute({
      ...reading,
      access: managing,
      method: 'GET',
      path: `${one}/people`,
      operationId: 'listGroupPeople',
      summary: 'List the people in a group',
      description: `All of them, at most ${maxPeopleOfGroup}, by name.`,
      answer: listAnswer(v.object({ name: v.string() })),
      handle: async ({ subject: { owner }, params }) => {
        const group = await find(owner, params.group);
        const people = await groupQueries(data).listPeople(group.id, maxPeopleOfGroup);
        return json({ data: people.map(({ name }) => ({ name })), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      access: managing,
      method: 'POST',
      path: `${one}/people`,
      operationId: 'addGroupPeople',
      summary: 'Add people to a group',
      description: 'They need access to an app of the owner.',
      rateLimit: findPeopleLimit,
      json: { logins: loginsField },
      answer: addedPeopleShape,
      handle: async ({ caller, subject: { owner }, params, json: { logins } }) => {
        const add = (login: string) => groups.addPerson({ by: caller.actor, owner }, params.group, login);
        await find(owner, params.group);
        return json(addedPeopleJson(await addEachPerson(readLogins(logins), add)));
      },
    }),
    defineRoute({
      ...changing,
      access: managing,
      method: 'POST',
      path: `${one}/people/:person/remove`,
      operationId: 'removeGroupPerson',
      summary: 'Remove a person from a group',
      description: 'By name or email address.',
      json: {},
      handle: async ({ caller, subject: { owner }, params }) => {
        await groups.removePerson({ by: caller.actor, owner }, params.group, { login: params.person });
        return empty(204);
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${one}/managers`,
      operationId: 'listGroupManagers',
      summary: 'List the managers of a group',
      description: `All of them, at most ${maxManagersOfGroup}, by name.`,
      answer: listAnswer(v.object({ name: v.string() })),
      handle: async ({ subject: { owner }, params }) => {
        const group = await find(owner, params.group);
        const managers = await groupQueries(data).listManagers(group.id);
        return json({ data: managers.map(({ name }) => ({ name })), next_cursor: null });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${one}/managers`,
      operationId: 'addGroupManager',
      summary: 'Add a manager of a group',
      description:
        'They add people of the owner to the group and remove them, need no access themselves, and can do nothing else.',
      rateLimit: findPeopleLimit,
      json: { login: v.string() },
      handle: async ({ caller, subject: { owner }, params, json: { login } }) => {
        await groups.addManager({ by: caller.actor, owner }, params.group, login);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${one}/managers/:person/remove`,
      operationId: 'removeGroupManager',
      summary: 'Remove a manager of a group',
      description: 'By name or email address.',
      json: {},
      handle: async ({ caller, subject: { owner }, params }) => {
        await groups.removeManager({ by: caller.actor, owner }, params.group, { login: params.person });
        return empty(204);
      },
    }),
  ];
}
