import type { Project, Workspace } from '../owners/owner.ts';
import { AppIcon } from '../web/app-icon.tsx';
import { EmptyState } from '../web/empty-state.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { texts } from '../web/texts.ts';

export interface WorkspacePageProps {
  frame: PageFrame;
  workspace: Workspace;
  /** The Projects of the Workspace that the viewer may see, each with the path of its page. */
  projects: readonly { project: Pick<Project, 'id' | 'name' | 'description'>; address: string }[];
}

export function renderWorkspacePage({ frame, workspace, projects }: WorkspacePageProps): string {
  return renderPage({
    frame,
    title: workspace.displayName,
    children: (
      <>
        <WorkspaceHead workspace={workspace} origin={frame.origin} />
        <section aria-labelledby="projects">
          <h2 id="projects">{texts.workspace.projects}</h2>
          {projects.length > 0 ? (
            <Projects projects={projects} />
          ) : (
            <EmptyState title={texts.workspace.empty}>
              <p class="secondary">{texts.workspace.emptyLine}</p>
            </EmptyState>
          )}
        </section>
      </>
    ),
  });
}

function WorkspaceHead({ workspace, origin }: { workspace: Workspace; origin: string }) {
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
