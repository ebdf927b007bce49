import { Type } from 'typebox';
import type { Identify } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import { documentedErrorBody } from '../http/error-reply.ts';
import { documentedErrorSchema, errorSchema } from '../http/error-schema.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Actor } from '../owners/actor.ts';
import type { Project, Workspace } from '../owners/owner.ts';
import { projectPath } from '../owners/owner-addresses.ts';
import { listProjects, requireUser } from './list-projects.ts';
import { projectJson, projectListSchema } from './project-json.ts';
import { renderWorkspacePage } from './workspace-page.tsx';

export interface ProjectRouteParts {
  data: Data;
  identify: Identify;
  frames: PageFrames;
  originOf: OriginOf;
}

/** Lists of what the caller belongs to, and the page of a Workspace. */
export function projectRoutes(parts: ProjectRouteParts): RouteModule {
  const { data, identify, originOf, frames } = parts;
  return (server) => {
    server.get(
      '/api/organizations',
      {
        schema: {
          summary: 'List your Projects',
          description:
            'Every Project with a team of which the calling user is a member, by name. Wants a user’s key.',
          tags: ['Projects'],
          response: { 200: projectListSchema, 400: documentedErrorSchema, 401: errorSchema },
        },
      },
      async (request, reply) => {
        const actor = await identify.requireActor(request);
        // The documented body of this refusal has exactly three keys.
        if (actor.kind !== 'user')
          return reply.code(400).send(documentedErrorBody('requester must be a user'));
        const origin = originOf(request);
        const projects = await listProjects(data, actor.user);
        return {
          error: false as const,
          organizations: projects.map((project) => projectJson(project, origin)),
        };
      },
    );
    server.get(
      '/api/sessions/user',
      {
        schema: {
          summary: 'Who the key belongs to',
          description: 'Existing uploaders ask this before they upload.',
          tags: ['Projects'],
          response: { 200: sessionSchema, 400: errorSchema, 401: errorSchema },
        },
      },
      async (request) => {
        const user = requireUser(await identify.requireActor(request));
        return { error: false as const, results: { name: user.name } };
      },
    );
    server.get<{ Params: { workspace: string } }>('/enterprises/:workspace', async (request, reply) => {
      const caller = await frames.callerOrSignIn(request, reply);
      if (!caller) return reply;
      const workspace = await data.owners.findWorkspace(request.params.workspace);
      const projects = workspace ? await visibleProjects(data, caller.actor, workspace) : null;
      if (!workspace || !projects) throw notFound('there is nothing at this address');
      const listed = projects.map((project) => ({ project, address: projectPath(project.name) }));
      return frames.send(
        reply,
        renderWorkspacePage({ frame: frames.of(request, caller), workspace, projects: listed }),
      );
    });
  };
}

const sessionSchema = Type.Object({
  error: Type.Literal(false),
  results: Type.Object({ name: Type.String() }),
});

/** Null for those who have no business in the Workspace: neither its owners nor members of one of its Projects. */
async function visibleProjects(data: Data, actor: Actor, workspace: Workspace): Promise<Project[] | null> {
  if (actor.kind === 'project') {
    return actor.project.workspace?.id === workspace.id ? [actor.project] : null;
  }
  if (await data.owners.isWorkspaceOwner(workspace.id, actor.user.id)) {
    return data.owners.listProjectsOfWorkspace(workspace.id);
  }
  const own = (await listProjects(data, actor.user)).filter(
    (project) => project.workspace?.id === workspace.id,
  );
  return own.length > 0 ? own : null;
}
