import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { coversOwner } from '../../owners/actor.ts';
import { listedOwners } from '../../owners/gate/find-workspace-gate.ts';
import { inOpenWorkspaces } from '../../owners/gate/workspace-refusal.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import { projectsPath, workspacesPath } from '../../owners/owner-paths.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { listByName, listMemberProjects, nameListQuery } from './list-by-name-http.ts';
import {
  renderFoundProjects,
  renderFoundWorkspaces,
  renderProjectList,
  renderWorkspaceList,
} from './project-list-page.tsx';
import { projectListQueries } from './project-list-queries.ts';

export interface ProjectListRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
}

/** The full lists behind the start page: a user's Projects and the Workspaces they own. */
export function projectListRoutes({ data, ownerAccess }: ProjectListRouteDeps): Route[] {
  const list = {
    method: 'GET',
    access: ownerAccess.user,
    keyScope: 'read',
    query: { ...nameListQuery, part: lenientText() },
  } as const;
  return [
    defineRoute({
      ...list,
      path: projectsPath,
      summary: 'List your Projects',
      handle: async ({ caller, subject: user, query, frame }) => {
        const within = await listedOwners(data, caller.actor);
        const found = await listMemberProjects(data, user.id, query, projectsPath, within);
        const render = query.part === 'projects' ? renderFoundProjects : renderProjectList;
        const groups = await groupQueries(data).listManaged(user.id);
        const managed = (await inOpenWorkspaces(data, caller.actor, groups)).filter(({ owner }) =>
          coversOwner(caller.actor, owner.id),
        );
        return html(render({ frame, found, managed }));
      },
    }),
    defineRoute({
      ...list,
      path: workspacesPath,
      summary: 'List the Workspaces you own',
      handle: async ({ caller, subject: user, query, frame }) => {
        // A restricted key covers Projects and apps, never Workspaces.
        if (caller.actor.restriction) throw new NotFound();
        const found = await listByName(
          query,
          workspacesPath,
          (words, page) => projectListQueries(data).listWorkspaces(user.id, words, page),
          ({ name }) => name,
        );
        const render = query.part === 'workspaces' ? renderFoundWorkspaces : renderWorkspaceList;
        return html(render({ frame, found, canCreate: frame.viewer !== null && user.administrator }));
      },
    }),
  ];
}
