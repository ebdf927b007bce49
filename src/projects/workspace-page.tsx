import type { Project, Workspace } from '../owners/owner.ts';
import { newProjectPath, workspaceSettingsPath } from '../owners/owner-addresses.ts';
import { AppIcon } from '../web/app-icon.tsx';
import { EmptyState } from '../web/empty-state.tsx';
import { Done } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { projectTexts } from '../web/project-texts.ts';
import { texts } from '../web/texts.ts';

export interface WorkspacePageProps {
  frame: PageFrame;
  workspace: Workspace;
  /** The Projects of the Workspace that the viewer may see, each with the path of its page. */
  projects: readonly { project: Pick<Project, 'id' | 'name' | 'description'>; address: string }[];
  /** Makes Projects in it. */
  owns?: boolean;
  /** Changes it, or deletes it. */
  oversees?: boolean;
  /** What was just done; a full sentence. */
  done?: string | null;
}

export function renderWorkspacePage(props: WorkspacePageProps): string {
  const { frame, workspace, projects, owns, oversees } = props;
  return renderPage({
    frame,
    title: workspace.displayName,
    forms: true,
    children: (
      <>
        <WorkspaceHead workspace={workspace} origin={frame.origin} oversees={oversees ?? false} />
        <Done sentence={props.done ?? null} />
        <section aria-labelledby="projects">
          <div class="section-head">
            <h2 id="projects">{texts.workspace.projects}</h2>
            {owns && (
              <a
                class="button button-small"
                href={`${newProjectPath}?workspace=${encodeURIComponent(workspace.name)}`}
              >
                {projectTexts.newProject.link}
              </a>
            )}
          </div>
          {projects.length > 0 ? (
            <Projects projects={projects} />
          ) : (
            <EmptyState title={owns || oversees ? texts.workspace.none : texts.workspace.empty}>
              <p class="secondary">
                {owns || oversees ? texts.workspace.noneLine : texts.workspace.emptyLine}
              </p>
            </EmptyState>
          )}
        </section>
      </>
    ),
  });
}

function WorkspaceHead(props: { workspace: Workspace; origin: string; oversees: boolean }) {
  const { workspace, origin } = props;
  return (
    <div class="page-head page-head-icon">
      <AppIcon address={workspace.iconUrl} origin={origin} name={workspace.displayName} size="medium" eager />
      <div>
        <p class="kind">
          {texts.workspace.kind} <code class="machine">{workspace.name}</code>
        </p>
        <h1>
          <bdi>{workspace.displayName}</bdi>
        </h1>
      </div>
      {props.oversees && (
        <p class="head-actions">
          <a class="button button-small" href={workspaceSettingsPath(workspace.name)}>
            {projectTexts.workspace.settings}
          </a>
        </p>
      )}
    </div>
  );
}

function Projects({ projects }: Pick<WorkspacePageProps, 'projects'>) {
  return (
    <ul class="link-list">
      {projects.map(({ project, address }) => (
        <li key={project.id}>
          <a href={address}>{project.name}</a>
          {project.description && (
            <span class="secondary clamp" dir="auto">
              {project.description}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
