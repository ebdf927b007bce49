/** Projects in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { OwnerOperations } from '../../owners/create-owners.ts';
import { listedOwners } from '../../owners/gate/find-workspace-gate.ts';
import { maxDescriptionLength, maxNameLength, nameKey } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { projectsPerDay } from '../settings/new-owner-routes.ts';
import type { OwnerChanges } from '../settings/owner-changes.ts';
import { projectResource, projectShape } from './owner-json.ts';
import { projectListQueries } from './project-list-queries.ts';

export interface ProjectApiRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  owners: OwnerOperations;
  ownerChanges: OwnerChanges;
}

const tag = 'Projects';
const description = v.pipe(v.string(), v.maxLength(maxDescriptionLength));

export function projectApiRoutes(deps: ProjectApiRouteDeps): Route[] {
  const { data, access, ownerAccess } = deps;
  const path = '/api/v1/projects/:owner';
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/projects',
      operationId: 'listProjects',
      summary: 'List the Projects that the key reaches',
      description: 'By name. The key of a Project reaches only that one.',
      tag,
      access: access.byKey(access.anyKey),
      keyScope: ['upload', 'read'],
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(projectShape),
      handle: async ({ caller: { actor }, query: { limit, cursor }, client }) => {
        const scope =
          actor.kind === 'user'
            ? { memberId: actor.user.id, within: await listedOwners(data, actor) }
            : { within: [actor.project.id] };
        const after = cursor ? { after: cursor[0] } : {};
        const found = await projectListQueries(data).listProjects(scope, [], { limit: limit + 1, ...after });
        return listPage(
          found.map(({ project }) => project),
          {
            limit,
            client,
            positionOf: ({ name }) => [nameKey(name)],
            show: (project) => projectResource(project, client.origin),
          },
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/projects',
      operationId: 'createProject',
      summary: 'Create a Project',
      description: 'The user joins its owner team. In a Workspace, only its owners create Projects.',
      tag,
      access: access.byUserKey(access.unrestricted),
      keyScope: 'manage',
      rateLimit: projectsPerDay,
      json: {
        name: v.pipe(v.string(), v.maxLength(maxNameLength)),
        description: v.optional(description, ''),
        workspace: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(maxNameLength))), null),
      },
      status: 201,
      answer: projectShape,
      handle: async ({ caller, subject: user, json: given, client }) => {
        const { name, workspace: workspaceName } = given;
        const project = await deps.owners.createProject({
          name,
          description: given.description,
          workspaceName,
          ownerName: user.name,
          by: caller.actor,
        });
        return json(projectResource(project, client.origin), {
          headers: { Location: `/api/v1/projects/${project.name}` },
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path,
      operationId: 'getProject',
      summary: 'Show a Project',
      tag,
      access: access.byKey(ownerAccess.memberOrAdministrator),
      keyScope: 'read',
      answer: projectShape,
      handle: async ({ subject: { owner }, client }) => json(projectResource(owner, client.origin)),
    }),
    defineRoute({
      method: 'PATCH',
      path,
      operationId: 'updateProject',
      summary: 'Change the description of a Project',
      tag,
      access: access.byUserKey(ownerAccess.ownerOrAdministrator('project')),
      keyScope: 'manage',
      json: { description: v.optional(description) },
      answer: projectShape,
      handle: async ({ caller, subject: { owner }, json: given, client }) => {
        if (given.description !== undefined)
          await deps.ownerChanges.describe(caller.actor, owner, given.description);
        const changed = await ownerQueries(data).findOwnerById(owner.id);
        if (changed?.kind !== 'project') throw new NotFound();
        return json(projectResource(changed, client.origin));
      },
    }),
  ];
}
