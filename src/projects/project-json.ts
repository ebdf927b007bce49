/** Projects and Workspaces in the words of the interface document. */
import { constant, listOf, object, text } from '../json-schema.ts';
import type { Project, Workspace } from '../owners/owner.ts';
import { absolute, projectPath, workspacePath } from '../owners/owner-addresses.ts';

export const workspaceSchema = object({
  type: constant('Enterprise'),
  name: text(),
  display_name: text(),
  url: text(),
  icon_url: text(),
});

export const projectSchema = object(
  { type: constant('Organization'), name: text(), description: text(), url: text() },
  { optional: { enterprise: workspaceSchema } },
);

export const projectListSchema = object({ error: constant(false), organizations: listOf(projectSchema) });

export function projectJson(project: Project, origin: string) {
  return {
    type: 'Organization' as const,
    name: project.name,
    description: project.description,
    url: absolute(origin, projectPath(project.name)),
    ...(project.workspace ? { enterprise: workspaceJson(project.workspace, origin) } : {}),
  };
}

export function workspaceJson(workspace: Workspace, origin: string) {
  return {
    type: 'Enterprise' as const,
    name: workspace.name,
    display_name: workspace.displayName,
    url: absolute(origin, workspacePath(workspace.name)),
    icon_url: workspace.iconUrl,
  };
}
