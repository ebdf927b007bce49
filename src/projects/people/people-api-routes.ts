/** The people of a Project in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import {
  type AddedPerson,
  addEachPerson,
  findPeopleLimit,
  type ListedPerson,
  maxPeopleAtOnce,
  readPeopleList,
} from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { maxLoginLength, nameKey, type Project, type ProjectMember } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { addedPeopleShape, personJson, personShape, teamShape } from '../lists/owner-json.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import type { ProjectPeople } from './project-people.ts';
import type { RemoveEverywhere } from './remove-everywhere.ts';

export interface PeopleApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  projectPeople: ProjectPeople;
  removeEverywhere: RemoveEverywhere;
}

const tag = 'People';

/** A JSON field with names or email addresses. */
export const loginsField = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(maxLoginLength))),
  v.minLength(1),
  v.maxLength(maxPeopleAtOnce),
  v.description('Names or email addresses.'),
);

export const readLogins = (logins: readonly string[]): ListedPerson[] =>
  logins.flatMap((login) => readPeopleList(login.replace(/[\r\n,;]/g, ' ')));

export const addedPeopleJson = (people: readonly AddedPerson[]): v.InferOutput<typeof addedPeopleShape> => ({
  people: people.map((person) => ({
    login: person.text,
    outcome: person.outcome,
    ...(person.outcome === 'refused' ? { detail: person.message } : {}),
  })),
});

export function peopleApiRoutes(deps: PeopleApiRouteDeps): Route[] {
  const { data, access, ownerAccess, projectPeople } = deps;
  const path = '/api/v1/projects/:owner/people';
  const person = `${path}/:person` as const;
  const reading = {
    tag,
    access: access.byKey(ownerAccess.memberOrAdministrator),
    keyScope: 'read',
  } as const;
  const changing = {
    tag,
    access: access.byUserKey(ownerAccess.ownerOrAdministrator('project')),
    keyScope: 'manage',
  } as const;
  const find = async (project: Project, name: string): Promise<ProjectMember> => {
    const members = await ownerQueries(data).listMembers(project.id);
    const member = members.find(({ user }) => nameKey(user.name) === nameKey(name));
    if (!member) throw new NotFound();
    return member;
  };
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path,
      operationId: 'listPeople',
      summary: 'List the people of a Project',
      description: 'By name.',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(personShape),
      handle: async ({ subject: { owner }, query: { limit, cursor }, client }) => {
        const members = await ownerQueries(data).listMembers(owner.id);
        const keyOf = ({ user }: ProjectMember) => nameKey(user.name);
        const rest = members
          .filter((member) => cursor === undefined || keyOf(member) > cursor[0])
          .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
        return listPage(rest.slice(0, limit + 1), {
          limit,
          client,
          positionOf: (member) => [keyOf(member)],
          show: personJson,
        });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'addPeople',
      summary: 'Add people to a team of a Project',
      description:
        'People who are in no Project of its Workspace are invited, and join by accepting. Those without an account are invited with a link, see `createInvitation`.',
      rateLimit: findPeopleLimit,
      json: { logins: loginsField, team: teamShape },
      answer: addedPeopleShape,
      handle: async ({ caller, subject: { owner }, json: given }) => {
        const add = (login: string) => projectPeople.add(caller.actor, owner, login, given.team);
        return json(addedPeopleJson(await addEachPerson(readLogins(given.logins), add)));
      },
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: person,
      operationId: 'getPerson',
      summary: 'Show a person of a Project',
      answer: personShape,
      handle: async ({ subject: { owner }, params }) => json(personJson(await find(owner, params.person))),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: person,
      operationId: 'updatePerson',
      summary: 'Change the team of a person of a Project',
      json: { team: teamShape },
      answer: personShape,
      handle: async ({ caller, subject: { owner }, params, json: given }) => {
        const { user } = await find(owner, params.person);
        await projectPeople.change(caller.actor, owner, user, given.team);
        return json(personJson(await find(owner, user.name)));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: person,
      operationId: 'removePerson',
      summary: 'Remove a person from a Project',
      description: 'By name or email address. Withdraws their open invitations, too.',
      handle: async ({ caller, subject: { owner }, params }) => {
        if (!(await projectPeople.remove(caller.actor, owner, { login: params.person })))
          throw new NotFound();
        return empty(204);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/projects/:owner/leave',
      operationId: 'leaveProject',
      summary: 'Leave a Project',
      description: 'Fails for its last owner.',
      tag,
      access: access.byUserKey(ownerAccess.member),
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject: { owner } }) => {
        await projectPeople.remove(caller.actor, owner, caller.actor.user);
        return empty(204);
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path: `${person}/remove-everywhere`,
      operationId: 'removePersonEverywhere',
      summary: 'Remove a person from everything that the caller manages',
      json: {},
      handle: async ({ caller, subject: { owner }, params }) => {
        const { user } = await find(owner, params.person);
        await deps.removeEverywhere.remove(caller.actor, owner, user.id);
        return empty(204);
      },
    }),
  ];
}
