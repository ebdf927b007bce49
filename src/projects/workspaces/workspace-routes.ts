import * as v from 'valibot';
import type { Caller, Person } from '../../accounts/authorization/identify-http.ts';
import type { Brands } from '../../branding/brands.ts';
import { type LogoFormDeps, logoFormSchema, receiveLogo } from '../../branding/logo-form-http.ts';
import { conflict, FormInvalid } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { checkWith, doneSentence, lenient, lenientText } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { coveredByKey } from '../../owners/actor.ts';
import { checkDisplayName } from '../../owners/create-owners.ts';
import type { Workspace } from '../../owners/owner.ts';
import { workspacePath, workspaceSettingsPath } from '../../owners/owner-paths.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import type { OwnerDeletion } from '../deletion/owner-deletion.ts';
import { renderWorkspaceDeletion } from '../deletion/owner-deletion-page.tsx';
import { listByName, type NameListRequest, nameListQuery } from '../lists/list-by-name-http.ts';
import { projectListQueries } from '../lists/project-list-queries.ts';
import type { OwnerAccess, WorkspaceSubject } from '../owner-access-http.ts';
import { projectTexts } from '../project-texts.ts';
import type { OwnerChanges } from '../settings/owner-changes.ts';
import { type FoundInWorkspace, renderFoundInWorkspace, renderWorkspacePage } from './workspace-page.tsx';
import { renderWorkspaceSettings, type WorkspaceSettingsProps } from './workspace-settings-page.tsx';

export interface WorkspaceRouteDeps extends LogoFormDeps {
  brands: Brands;
  data: Data;
  ownerAccess: OwnerAccess;
  ownerChanges: OwnerChanges;
  ownerDeletion: OwnerDeletion;
}

type SettingsContext = Pick<RouteContext<Person, Workspace>, 'frame' | 'subject'>;

const words = projectTexts.workspace;
const successMessages = () => ({
  saved: projectTexts.settings.saved,
  'icon-saved': words.iconSaved,
  'icon-removed': words.iconRemoved,
});

/** The page of a Workspace, and its settings and deletion for its owners and administrators. */
export function workspaceRoutes(deps: WorkspaceRouteDeps): Route[] {
  const { data, ownerAccess } = deps;
  return [
    defineRoute({
      method: 'GET',
      path: '/enterprises/:workspace',
      summary: 'Show a Workspace',
      access: ownerAccess.workspaceViewer,
      keyScope: 'read',
      query: { ...nameListQuery, part: lenientText(), done: lenient(v.literal('made')) },
      handle: async ({ caller, subject, query, frame }) => {
        const found = await findProjects(data, caller, subject, query);
        // Requested by a script while the user types.
        if (query.part === 'found') return html(renderFoundInWorkspace({ ...subject, found }));
        const done = query.done ? projectTexts.newWorkspace.done : null;
        return html(renderWorkspacePage({ ...subject, frame, found, done }));
      },
    }),
    ...settingsRoutes(deps),
    ...deletionRoutes(deps),
  ];
}

async function findProjects(
  data: Data,
  { actor }: Caller,
  { workspace, seesProjects }: WorkspaceSubject,
  asked: NameListRequest,
): Promise<FoundInWorkspace> {
  if (actor.kind === 'project')
    return { query: '', projects: [{ ...actor.project, opens: true }], paging: { newer: null, older: null } };
  const within = coveredByKey(actor);
  const tx = { workspaceId: workspace.id, within, ...(seesProjects ? {} : { memberId: actor.user.id }) };
  const { items, ...found } = await listByName(
    asked,
    workspacePath(workspace.name),
    (words, page) => projectListQueries(data).listProjects(tx, words, page),
    ({ project }) => project.name,
  );
  const ids = items.map(({ project }) => project.id);
  const teams = await projectListQueries(data).teamsByProject(actor.user.id, ids);
  return { ...found, projects: items.map(({ project }) => ({ ...project, opens: teams.has(project.id) })) };
}

function settingsRoutes(deps: WorkspaceRouteDeps): Route[] {
  const { ownerAccess, ownerChanges } = deps;
  const page = '/enterprises/:workspace/settings';
  const access = ownerAccess.workspaceOwnerOrAdministrator;
  const form = { method: 'POST', access, page, reauthentication: false } as const;
  const back = ({ name }: Workspace, done: keyof ReturnType<typeof successMessages>) =>
    redirect(`${workspaceSettingsPath(name)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      access,
      summary: 'Show the settings of a Workspace',
      query: {
        done: doneSentence(successMessages),
      },
      handle: async (context) => html(await renderSettings(context, context.query)),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/settings/save',
      summary: 'Save the display name of a Workspace',
      form: {
        display_name: v.pipe(v.string(), v.trim(), checkWith(checkDisplayName)),
      },
      handle: async ({ caller, subject: workspace, form }) => {
        await ownerChanges.changeWorkspace(caller.actor, workspace, { displayName: form.display_name });
        return back(workspace, 'saved');
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderSettings(context, {
          refused: { displayName: submitted.display_name, errors },
        }),
    }),
    defineRoute({
      method: 'POST',
      access,
      page,
      path: '/enterprises/:workspace/icon',
      summary: 'Upload the icon of a Workspace',
      streamedBody: { describes: logoFormSchema },
      handle: (context) => {
        const { caller, client, body, subject: workspace } = context;
        return receiveLogo(deps, {
          client,
          body,
          userId: caller.actor.user.id,
          save: async (png) => {
            await deps.brands.saveIcon(caller.actor, workspace, png);
            return back(workspace, 'icon-saved');
          },
          renderError: (iconError) => renderSettings(context, { refused: { iconError } }),
        });
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/icon/remove',
      summary: 'Remove the icon of a Workspace',
      form: {},
      handle: async ({ caller, subject: workspace }) => {
        await deps.brands.saveIcon(caller.actor, workspace, null);
        return back(workspace, 'icon-removed');
      },
    }),
  ];
}

const renderSettings = async (
  { subject: workspace, frame }: SettingsContext,
  shown: Partial<Pick<WorkspaceSettingsProps, 'done' | 'refused'>>,
): Promise<string> => renderWorkspaceSettings({ frame, workspace, done: null, refused: null, ...shown });

function deletionRoutes({ data, ownerAccess, ownerDeletion }: WorkspaceRouteDeps): Route[] {
  const path = '/enterprises/:workspace/delete';
  const access = ownerAccess.workspaceOwnerOrAdministrator;
  const render = async (
    { subject: workspace, frame }: SettingsContext,
    submitted: string,
    errors?: readonly string[],
  ) => {
    const projects = await workspaceQueries(data).countProjects(workspace.id);
    return renderWorkspaceDeletion({ frame, workspace, projects, submitted, errors });
  };
  return [
    defineRoute({
      method: 'GET',
      path,
      access,
      summary: 'Show what deleting a Workspace deletes',
      handle: async (context) => html(await render(context, '')),
    }),
    defineRoute({
      method: 'POST',
      path,
      page: path,
      access,
      reauthentication: true,
      summary: 'Delete a Workspace',
      form: { confirmation: v.string() },
      handle: async ({ caller, subject: workspace, form: { confirmation } }) => {
        const outcome = await ownerDeletion.deleteWorkspace(caller.actor, workspace, confirmation);
        const { unconfirmed, hindered } = projectTexts.deletion;
        if (outcome === 'unconfirmed') throw new FormInvalid({ confirmation: [unconfirmed] });
        if (outcome === 'hindered') throw conflict(hindered);
        return redirect('/?done=workspace-deleted');
      },
      renderErrors: ({ submitted, errors }, context) =>
        render(context, submitted.confirmation, errors.confirmation),
      renderedErrorKinds: ['conflict'],
    }),
  ];
}
