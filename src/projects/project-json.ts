/** Projects and Workspaces in the words of the interface document. */
import { Type } from 'typebox';
import type { Project, Workspace } from '../owners/owner.ts';
import { absolute, projectPath, workspacePath } from '../owners/owner-addresses.ts';

export const workspaceSchema = Type.Object({
  type: Type.Literal('Enterprise'),
  name: Type.String(),
  display_name: Type.String(),
  url: Type.String(),
  icon_url: Type.String(),
});

export const projectSchema = Type.Object({
  type: Type.Literal('Organization'),
  name: Type.String(),
  description: Type.String(),
  url: Type.String(),
  enterprise: Type.Optional(workspaceSchema),
});

export const projectListSchema = Type.Object({
  error: Type.Literal(false),
  organizations: Type.Array(projectSchema),
});

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
