/** Projects, Workspaces and people as the API shows them. */
import * as v from 'valibot';
import { textShape } from '../../core/json-shapes.ts';
import { type Project, type ProjectMember, teams, type Workspace } from '../../owners/owner.ts';
import { absolute, projectPath, workspacePath } from '../../owners/owner-paths.ts';

export const projectShape = v.pipe(
  v.object({
    name: v.string(),
    description: v.string(),
    workspace: v.nullable(textShape('Name of the Workspace of the Project.')),
    url: v.string(),
  }),
  v.title('Project'),
);

export const projectResource = (project: Project, origin: string): v.InferOutput<typeof projectShape> => ({
  name: project.name,
  description: project.description,
  workspace: project.workspace?.name ?? null,
  url: absolute(origin, projectPath(project.name)),
});

export const workspaceShape = v.pipe(
  v.object({ name: v.string(), display_name: v.string(), icon_url: v.string(), url: v.string() }),
  v.title('Workspace'),
);

export const workspaceResource = (
  workspace: Workspace,
  origin: string,
): v.InferOutput<typeof workspaceShape> => ({
  name: workspace.name,
  display_name: workspace.displayName,
  icon_url: workspace.iconUrl,
  url: absolute(origin, workspacePath(workspace.name)),
});

export const teamShape = v.picklist(teams);

export const personShape = v.pipe(
  v.object({ name: v.string(), teams: v.array(teamShape) }),
  v.title('Person'),
);

export const personJson = ({ user, teams: joined }: ProjectMember): v.InferOutput<typeof personShape> => ({
  name: user.name,
  teams: joined,
});

/** The result for each entry of a list of people. */
export const addedPeopleShape = v.pipe(
  v.object({
    people: v.array(
      v.object({
        login: v.string(),
        outcome: v.pipe(
          v.picklist(['added', 'invited', 'pending', 'already', 'unknown', 'invalid', 'refused']),
          v.description(
            '`added`: has access now. `invited`: gets it by accepting. `pending`: was already invited. `already`: had it. `unknown`: there is no such account. `invalid`: neither a name nor an address. `refused`: see `detail`.',
          ),
        ),
        detail: v.optional(v.string()),
      }),
    ),
  }),
  v.title('AddedPeople'),
);
