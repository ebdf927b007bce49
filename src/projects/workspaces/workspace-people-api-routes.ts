/** The people of a Workspace in `/api/v1`. */
import * as v from 'valibot';
import { addEachPerson, findPeopleLimit } from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { nameKey, type Workspace, type WorkspacePerson, workspaceRoles } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { addedPeopleShape } from '../lists/owner-json.ts';
import { addedPeopleJson, loginsField, readLogins } from '../people/people-api-routes.ts';
import type { WorkspaceApiRouteDeps } from './workspace-api-routes.ts';

const roleShape = v.picklist(workspaceRoles);
const personShape = v.pipe(
  v.object({
    name: v.string(),
    role: v.pipe(
      v.picklist([...workspaceRoles, 'guest']),
      v.description('`guest`: only in teams of its Projects.'),
    ),
  }),
  v.title('WorkspacePerson'),
);

const personJson = ({ name, role }: WorkspacePerson): v.InferOutput<typeof personShape> => ({ name, role });

export function workspacePeopleApiRoutes(deps: WorkspaceApiRouteDeps): Route[] {
  const { data, access, ownerAccess } = deps;
  const { workspacePeople } = deps.ownerChanges;
  const path = '/api/v1/workspaces/:workspace/people';
  const owned = {
    tag: 'Workspaces',
    access: access.byUserKey(ownerAccess.workspaceOwnerOrAdministrator),
  } as const;
  const find = async (workspace: Workspace, login: string): Promise<WorkspacePerson> => {
    const user = await ownerQueries(data).findUser(login);
    const person = user && (await workspaceQueries(data).findPerson(workspace.id, user.id));
    if (!person) throw new NotFound();
    return person;
  };
  const changing = { ...owned, keyScope: 'manage' } as const;
  return [
    defineRoute({
      ...owned,
      method: 'GET',
      path,
      operationId: 'listWorkspacePeople',
      summary: 'List the people of a Workspace',
      description: 'By name.',
      keyScope: 'read',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(personShape),
      handle: async ({ subject, query: { limit, cursor }, client }) => {
        const part = { limit: limit + 1, after: cursor?.[0] };
        return listPage(await workspaceQueries(data).listPeople(subject.id, part), {
          limit,
          client,
          positionOf: ({ name }) => [nameKey(name)],
          show: personJson,
        });
      },
    }),
    defineRoute({
      ...changing,
      method: 'POST',
      path,
      operationId: 'addWorkspacePeople',
      summary: 'Add people to a Workspace',
      description:
        'People who are in no Project of the Workspace are invited, and join by accepting. An owner stays an owner.',
      rateLimit: findPeopleLimit,
      json: { logins: loginsField, role: roleShape },
      answer: addedPeopleShape,
      handle: async ({ caller, subject, json: { logins, role } }) => {
        const add = (login: string) => workspacePeople.add(caller.actor, subject, login, role);
        return json(addedPeopleJson(await addEachPerson(readLogins(logins), add)));
      },
    }),
    defineRoute({
      ...owned,
      method: 'GET',
      path: `${path}/:person`,
      operationId: 'getWorkspacePerson',
      summary: 'Show a person of a Workspace',
      keyScope: 'read',
      answer: personShape,
      handle: async ({ subject, params }) => json(personJson(await find(subject, params.person))),
    }),
    defineRoute({
      ...changing,
      method: 'PATCH',
      path: `${path}/:person`,
      operationId: 'updateWorkspacePerson',
      summary: 'Change the role of an owner or member of a Workspace',
      json: { role: roleShape },
      answer: personShape,
      handle: async ({ caller, subject, params: { person }, json: { role } }) => {
        const { id } = await find(subject, person);
        await workspacePeople.change(caller.actor, subject, { id }, role);
        return json(personJson(await find(subject, person)));
      },
    }),
    defineRoute({
      ...changing,
      method: 'DELETE',
      path: `${path}/:person`,
      operationId: 'removeWorkspacePerson',
      summary: 'Remove an owner or member from a Workspace',
      description:
        'By name or email address. Withdraws their open invitations, too. They stay in the teams of its Projects, as a guest.',
      handle: async ({ caller, subject, params }) => {
        if (!(await workspacePeople.remove(caller.actor, subject, { login: params.person })))
          throw new NotFound();
        return empty(204);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/workspaces/:workspace/leave',
      operationId: 'leaveWorkspace',
      summary: 'Leave a Workspace',
      description: 'Fails for its last owner. You stay in the teams of its Projects.',
      tag: 'Workspaces',
      access: access.byUserKey(ownerAccess.workspaceMember),
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject }) => {
        await workspacePeople.remove(caller.actor, subject, caller.actor.user);
        return empty(204);
      },
    }),
  ];
}
