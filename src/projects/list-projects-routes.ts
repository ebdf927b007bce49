import * as v from 'valibot';
import type { KeyHolder } from '../access/authenticate.ts';
import type { Identify } from '../access/identify-http.ts';
import type { Data } from '../data.ts';
import { type AppError, invalid } from '../errors.ts';
import { DocumentedRefusal } from '../http/error-reply.ts';
import { documentedErrorSchema } from '../http/error-schema.ts';
import { json } from '../http/routes/answer.ts';
import { type KeyScope, keyScopes } from '../http/routes/client.ts';
import { type Access, defineRoute, type Route } from '../http/routes/route.ts';
import type { User } from '../owners/owner.ts';
import { listProjects } from './list-projects.ts';
import { projectJson, projectList } from './project-json.ts';

export interface ListProjectsRouteParts {
  data: Data;
  identify: Identify;
}

type KeyCaller = { actor: KeyHolder; sessionToken: null; keyScopes: readonly KeyScope[] };

const mustBeUser = 'requester must be a user';

/** What the caller belongs to, and who the caller is. */
export function listProjectsRoutes({ data, identify }: ListProjectsRouteParts): Route[] {
  const userByKey = (refusal: () => AppError): Access<unknown, KeyCaller, User> => ({
    ...{ roles: ['signed in'], credentials: ['key'], others: 'invalid' },
    identify: async (request) => ({
      actor: await identify.requireActor(request),
      ...{ sessionToken: null, keyScopes },
    }),
    authorize: async ({ actor }) => {
      if (actor.kind !== 'user') throw refusal();
      return actor.user;
    },
  });
  const shared = { method: 'GET', keyScope: 'upload', tag: 'Projects' } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/organizations',
      summary: 'List your Projects',
      description:
        'Every Project with a team of which the calling user is a member, by name. Requires the key of a user.',
      access: userByKey(() => new DocumentedRefusal('invalid', mustBeUser)),
      answer: projectList,
      refusals: { 400: documentedErrorSchema },
      handle: async ({ subject, client }) => {
        const { origin } = client;
        const projects = await listProjects(data, subject);
        return json({
          error: false as const,
          organizations: projects.map((project) => projectJson(project, origin)),
        });
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/sessions/user',
      summary: 'Show whom the key belongs to',
      description: 'Existing uploaders ask this before they upload.',
      access: userByKey(() => invalid(mustBeUser)),
      answer: v.object({ error: v.literal(false), results: v.object({ name: v.string() }) }),
      handle: async ({ subject }) => json({ error: false as const, results: { name: subject.name } }),
    }),
  ];
}
