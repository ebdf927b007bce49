import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { invalid } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { DocumentedError, documentedErrorSchema } from '../../http/error-body.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { coversPartOf } from '../../owners/actor.ts';
import { inOpenWorkspaces } from '../../owners/gate/workspace-refusal.ts';
import { nameKey, type Project, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { projectJson, projectList } from './project-json.ts';

export interface ListProjectsRouteDeps {
  data: Data;
  access: RouteAccess;
}

const mustBeUser = 'requester must be a user';

export function listProjectsRoutes({ data, access }: ListProjectsRouteDeps): Route[] {
  const shared = { method: 'GET', keyScope: ['upload', 'read'], tag: 'Projects' } as const;
  return [
    defineRoute({
      ...shared,
      path: '/api/organizations',
      summary: 'List your Projects',
      description:
        "Every Project with a team of which the calling user is a member, by name. Requires a user's API key.",
      access: access.userByKey(() => new DocumentedError('invalid', mustBeUser)),
      answer: projectList,
      refusals: { 400: documentedErrorSchema },
      handle: async ({ caller, subject, client }) => {
        const { origin } = client;
        const covered = (await listProjects(data, subject)).filter(({ id }) =>
          coversPartOf(caller.actor, id),
        );
        const projects = await inOpenWorkspaces(data, caller.actor, covered);
        return json({
          error: false as const,
          organizations: projects.map((project) => projectJson(project, origin)),
        });
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/sessions/user',
      summary: 'Show the user that the key belongs to',
      description: 'Existing uploaders call this before they upload.',
      access: access.userByKey(() => invalid(mustBeUser)),
      answer: v.object({ error: v.literal(false), results: v.object({ name: v.string() }) }),
      handle: async ({ subject }) => json({ error: false as const, results: { name: subject.name } }),
    }),
  ];
}

/** Lists the Projects of the User in any team, including testers, by name and ignoring case. */
export async function listProjects(data: Data, user: User): Promise<Project[]> {
  const projects = await ownerQueries(data).listProjectsOfUser(user.id);
  const keyed = projects.map((project) => ({ project, key: nameKey(project.name) }));
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ project }) => project);
}
