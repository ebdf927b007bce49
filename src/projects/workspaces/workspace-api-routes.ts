/** Workspaces in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { placeInvitationApiRoutes } from '../../accounts/invitations/invitation-api-routes.ts';
import { addEachPerson, findPeopleLimit } from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { coveredByKey } from '../../owners/actor.ts';
import { maxDisplayNameLength, maxIconUrlLength, type OwnerOperations } from '../../owners/create-owners.ts';
import { maxNameLength, nameKey } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import {
  addedPeopleShape,
  projectResource,
  projectShape,
  workspaceResource,
  workspaceShape,
} from '../lists/owner-json.ts';
import { projectListQueries } from '../lists/project-list-queries.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { addedPeopleJson, loginsField, readLogins } from '../people/people-api-routes.ts';
import type { OwnerChanges } from '../settings/owner-changes.ts';

export interface WorkspaceApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  ownerChanges: OwnerChanges;
  owners: OwnerOperations;
}

const tag = 'Workspaces';

export function workspaceApiRoutes(deps: WorkspaceApiRouteDeps): Route[] {
  const { data, access, ownerAccess, ownerChanges } = deps;
  const { workspacePeople } = ownerChanges;
  const path = '/api/v1/workspaces/:workspace';
  const seen = { tag, access: access.byKey(ownerAccess.workspaceViewer), keyScope: 'read' } as const;
  const owned = access.byUserKey(ownerAccess.workspaceOwnerOrAdministrator);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/workspaces',
      operationId: 'listWorkspaces',
      summary: 'List the Workspaces that you own or are a member of',
      description: 'By name.',
      tag,
      access: access.byUserKey(access.unrestricted),
      keyScope: 'read',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(workspaceShape),
      handle: async ({ subject: user, query: { limit, cursor }, client }) => {
        const after = cursor ? { after: cursor[0] } : {};
        const found = await projectListQueries(data).listWorkspaces(user.id, [], {
          limit: limit + 1,
          ...after,
        });
        return listPage(found, {
          limit,
          client,
          positionOf: ({ name }) => [nameKey(name)],
          show: (workspace) => workspaceResource(workspace, client.origin),
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/workspaces',
      operationId: 'createWorkspace',
      summary: 'Create a Workspace',
      description: 'For administrators. The user owns it.',
      tag,
      access: access.byUserKey(access.administrator),
      keyScope: 'admin',
      json: {
        name: v.pipe(v.string(), v.maxLength(maxNameLength)),
        display_name: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(maxDisplayNameLength))), null),
        icon_url: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(maxIconUrlLength))), null),
      },
      status: 201,
      answer: workspaceShape,
      handle: async ({ caller, subject: user, json: given, client }) => {
        const workspace = await deps.owners.createWorkspace({
          name: given.name,
          displayName: given.display_name,
          iconUrl: given.icon_url,
          ownerName: user.name,
          by: caller.actor,
        });
        return json(workspaceResource(workspace, client.origin), {
          headers: { Location: `/api/v1/workspaces/${workspace.name}` },
        });
      },
    }),
    defineRoute({
      ...seen,
      method: 'GET',
      path,
      operationId: 'getWorkspace',
      summary: 'Show a Workspace',
      answer: workspaceShape,
      handle: async ({ subject: { workspace }, client }) => json(workspaceResource(workspace, client.origin)),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateWorkspace',
      summary: 'Change the display name and icon of a Workspace',
      tag,
      access: owned,
      keyScope: 'manage',
      json: {
        display_name: v.optional(v.pipe(v.string(), v.maxLength(maxDisplayNameLength))),
        icon_url: v.optional(v.pipe(v.string(), v.maxLength(maxIconUrlLength))),
      },
      answer: workspaceShape,
      handle: async ({ caller, subject: workspace, json: given, client }) => {
        const look = { displayName: given.display_name, iconUrl: given.icon_url };
        await ownerChanges.changeWorkspace(caller.actor, workspace, look);
        const changed = await ownerQueries(data).findWorkspace(workspace.name);
        if (!changed) throw new NotFound();
        return json(workspaceResource(changed, client.origin));
      },
    }),
    defineRoute({
      ...seen,
      method: 'GET',
      path: `${path}/projects`,
      operationId: 'listWorkspaceProjects',
      summary: 'List the Projects of a Workspace',
      description: 'By name: all for its owners and members, otherwise those that the key reaches.',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(projectShape),
      handle: async ({ caller: { actor }, subject, query: { limit, cursor }, client }) => {
        const { workspace, seesProjects } = subject;
        const scope =
          actor.kind === 'project'
            ? { within: [actor.project.id] }
            : { within: coveredByKey(actor), ...(seesProjects ? {} : { memberId: actor.user.id }) };
        const after = cursor ? { after: cursor[0] } : {};
        const found = await projectListQueries(data).listProjects(
          { workspaceId: workspace.id, ...scope },
          [],
          { limit: limit + 1, ...after },
        );
        return listPage(found, {
          limit,
          client,
          positionOf: ({ project }) => [nameKey(project.name)],
          show: ({ project }) => projectResource(project, client.origin),
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/owners`,
      operationId: 'listWorkspaceOwners',
      summary: 'List the owners of a Workspace',
      description: 'All of them, by name.',
      tag,
      access: owned,
      keyScope: 'read',
      answer: listAnswer(v.object({ name: v.string() })),
      handle: async ({ subject }) => {
        const owners = await workspaceQueries(data).listOwners(subject.id);
        return json({ data: owners.map(({ name }) => ({ name })), next_cursor: null });
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/owners`,
      operationId: 'addWorkspaceOwners',
      summary: 'Add owners to a Workspace',
      description: 'They own it by accepting an invitation.',
      tag,
      access: owned,
      keyScope: 'manage',
      rateLimit: findPeopleLimit,
      json: { logins: loginsField },
      answer: addedPeopleShape,
      handle: async ({ caller, subject, json: { logins } }) => {
        const add = (login: string) => workspacePeople.add(caller.actor, subject, login, 'owner');
        return json(addedPeopleJson(await addEachPerson(readLogins(logins), add)));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/owners/:person/remove`,
      operationId: 'removeWorkspaceOwner',
      summary: 'Remove an owner from a Workspace',
      description:
        'By name or email address. Withdraws their open invitations, too. They stay a member if they were one.',
      tag,
      access: owned,
      keyScope: 'manage',
      json: {},
      handle: async ({ caller, subject, params }) => {
        const person = { login: params.person };
        if (!(await workspacePeople.remove(caller.actor, subject, person, ['owner']))) throw new NotFound();
        return empty(204);
      },
    }),
    ...placeInvitationApiRoutes({
      access: owned,
      path: `${path}/invitations`,
      idPart: 'Workspace',
      of: 'a Workspace',
      invitations: workspacePeople,
    }),
  ];
}
