import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { checkWith, lenientText, multiline } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { checkDescription, checkDisplayName, type OwnerOperations } from '../../owners/create-owners.ts';
import { checkName, type User } from '../../owners/owner.ts';
import { newProjectPath, newWorkspacePath, projectPath, workspacePath } from '../../owners/owner-paths.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type NewProjectProps, renderNewProject, renderNewWorkspace } from './new-owner-page.tsx';

export interface NewOwnerRouteDeps {
  data: Data;
  access: RouteAccess;
  owners: OwnerOperations;
}

/** Limited because each name is taken from a shared namespace, and each Project has its own storage quota. */
export const projectsPerDay = {
  name: 'create a project',
  limit: 50,
  windowMs: 24 * 60 * 60_000,
  per: 'caller',
  refusal: 'newProjects',
} as const;

const projectFields = {
  name: v.pipe(
    v.string(),
    v.trim(),
    checkWith((name) => checkName('project', name)),
  ),
  description: v.pipe(multiline(), checkWith(checkDescription)),
  workspace: v.optional(v.string(), ''),
};
const workspaceFields = {
  name: v.pipe(
    v.string(),
    v.trim(),
    checkWith((name) => checkName('workspace', name)),
  ),
  display_name: v.pipe(v.string(), v.trim(), checkWith(checkDisplayName)),
};
const noProject = { name: '', description: '', workspace: '' };
const noWorkspace = { name: '', display_name: '' };

/** Creation of Projects by anyone with an account (in a Workspace only by its owners), and of Workspaces by administrators. */
export function newOwnerRoutes({ data, access, owners }: NewOwnerRouteDeps): Route[] {
  const form = { method: 'POST', reauthentication: false } as const;
  const renderProject = async (
    { subject, frame }: { subject: User; frame: PageFrame },
    shown: Pick<NewProjectProps, 'submitted' | 'errors'>,
  ) =>
    renderNewProject({
      frame,
      workspaces: await workspaceQueries(data).listOf(subject.id, ['owner']),
      ...shown,
    });
  return [
    defineRoute({
      method: 'GET',
      path: newProjectPath,
      summary: 'Show the form for a new Project',
      access: access.signedIn,
      query: { workspace: lenientText() },
      handle: async (context) => {
        const submitted = { ...noProject, workspace: context.query.workspace ?? '' };
        return html(await renderProject(context, { submitted, errors: {} }));
      },
    }),
    defineRoute({
      ...form,
      path: newProjectPath,
      page: newProjectPath,
      summary: 'Create a Project',
      access: access.signedIn,
      rateLimit: projectsPerDay,
      form: projectFields,
      handle: async ({ caller, subject: user, form: { name, description, workspace } }) => {
        const workspaceName = workspace === '' ? null : workspace;
        const project = { name, description, workspaceName, ownerName: user.name, by: caller.actor };
        await owners.createProject(project);
        return redirect(`${projectPath(name)}?done=made`);
      },
      renderErrors: (refusal, context) => renderProject(context, refusal),
    }),
    defineRoute({
      method: 'GET',
      path: newWorkspacePath,
      summary: 'Show the form for a new Workspace',
      access: access.administrator,
      handle: async ({ frame }) => html(renderNewWorkspace({ frame, submitted: noWorkspace, errors: {} })),
    }),
    defineRoute({
      ...form,
      path: newWorkspacePath,
      page: newWorkspacePath,
      summary: 'Create a Workspace',
      access: access.administrator,
      form: workspaceFields,
      handle: async ({ caller, subject: user, form: { name, display_name: displayName } }) => {
        const workspace = { name, displayName: displayName || null, iconUrl: null };
        await owners.createWorkspace({ ...workspace, ownerName: user.name, by: caller.actor });
        return redirect(`${workspacePath(name)}?done=made`);
      },
      renderErrors: async ({ submitted, errors }, { frame }) =>
        renderNewWorkspace({ frame, submitted, errors }),
    }),
  ];
}
