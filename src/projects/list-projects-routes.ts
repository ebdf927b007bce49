import type { Identify } from '../access/identify-http.ts';
import type { Data } from '../data.ts';
import { documentedErrorBody } from '../http/error-reply.ts';
import { documentedErrorSchema, errorSchema } from '../http/error-schema.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { constant, object, text } from '../json-schema.ts';
import { listProjects, requireUser } from './list-projects.ts';
import { projectJson, projectListSchema } from './project-json.ts';

export interface ListProjectsRouteParts {
  data: Data;
  identify: Identify;
  originOf: OriginOf;
}

/** Lists of what the caller belongs to. */
export function listProjectsRoutes(parts: ListProjectsRouteParts): RouteModule {
  const { data, identify, originOf } = parts;
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
  };
}

const sessionSchema = object({ error: constant(false), results: object({ name: text() }) });
