/** JSON of Projects and Workspaces in the public interface. */
import * as v from 'valibot';
import type { Project, Workspace } from '../../owners/owner.ts';
import { absolute, projectPath, workspacePath } from '../../owners/owner-paths.ts';

const workspaceShape = v.object({
  type: v.literal('Enterprise'),
  name: v.string(),
  display_name: v.string(),
  url: v.string(),
  icon_url: v.string(),
});

const projectShape = v.object({
  type: v.literal('Organization'),
  name: v.string(),
  description: v.string(),
  url: v.string(),
  enterprise: v.optional(workspaceShape),
});

export const projectList = v.object({ error: v.literal(false), organizations: v.array(projectShape) });

export function projectJson(project: Project, origin: string) {
  return {
    type: 'Organization' as const,
    name: project.name,
    description: project.description,
    url: absolute(origin, projectPath(project.name)),
    ...(project.workspace ? { enterprise: workspaceJson(project.workspace, origin) } : {}),
  };
}

function workspaceJson(workspace: Workspace, origin: string) {
  return {
    type: 'Enterprise' as const,
    name: workspace.name,
    display_name: workspace.displayName,
    url: absolute(origin, workspacePath(workspace.name)),
    icon_url: workspace.iconUrl,
  };
}
