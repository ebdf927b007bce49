import { renderToString } from 'preact-render-to-string';
import type { Project, Workspace, WorkspaceRole } from '../../owners/owner.ts';
import { newProjectPath, projectPath, workspacePath } from '../../owners/owner-paths.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { Confirm, SuccessMessage } from '../../web/components/form-field.tsx';
import { excerpt } from '../../web/components/formats.ts';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import { WorkspaceHead } from './workspace-area.tsx';

const t = projectTexts.list;

/** Projects of the Workspace in the list of the viewer. */
export interface FoundInWorkspace {
  /** The search text; empty without a search. */
  query: string;
  /** `opens`: the viewer is in a team. */
  projects: readonly (Pick<Project, 'id' | 'name' | 'description'> & { opens: boolean })[];
  paging: PageLinks;
}

export interface WorkspacePageProps {
  frame: PageFrame;
  workspace: Workspace;
  found: FoundInWorkspace;
  role?: WorkspaceRole | null;
  /** Whether the viewer may edit or delete it. */
  administers?: boolean;
  seesProjects?: boolean;
  /** Confirmation of the last action; a full sentence. */
  done?: string | null;
}

export function renderWorkspacePage(props: WorkspacePageProps): string {
  const { frame, workspace, found, role = null, administers, seesProjects = false } = props;
  const isLong = found.query !== '' || found.paging.newer !== null || found.paging.older !== null;
  return renderPage({
    frame,
    workspace,
    title: workspace.displayName,
    section: 'projects',
    forms: true,
    head: (
      <WorkspaceHead
        workspace={workspace}
        origin={frame.origin}
        tab="projects"
        administers={administers ?? false}
      />
    ),
    children: (
      <>
        <SuccessMessage sentence={props.done ?? null} />
        <section aria-labelledby="projects">
          <div class="section-head">
            <h2 id="projects">{projectTexts.workspaceHome.projects}</h2>
            {isLong && (
              <LiveSearch
                address={workspacePath(workspace.name)}
                part="found"
                query={found.query}
                label={t.searchProjects}
                hint={t.searchHint}
                button={t.searchButton}
              />
            )}
            {role === 'owner' && (
              <a class="button" href={`${newProjectPath}?workspace=${encodeURIComponent(workspace.name)}`}>
                {projectTexts.newProject.link}
              </a>
            )}
          </div>
          <div id="found">
            <Found workspace={workspace} found={found} seesProjects={seesProjects} />
          </div>
        </section>
        {role === 'member' && (
          <div class="actions">
            <Confirm
              frame={frame}
              action={`${workspacePath(workspace.name)}/leave`}
              ask={projectTexts.workspaceHome.leave}
              line={projectTexts.workspaceHome.leaveLine}
              tone="quiet"
            />
          </div>
        )}
      </>
    ),
  });
}

interface FoundProps {
  workspace: Workspace;
  found: FoundInWorkspace;
  seesProjects: boolean;
}

/** Renders the part of the page that live search replaces. */
export function renderFoundInWorkspace(props: FoundProps): string {
  return renderToString(<Found {...props} />);
}

function Found({ workspace, found, seesProjects }: FoundProps) {
  const { query, projects, paging } = found;
  const more = paging.newer !== null || paging.older !== null;
  return (
    <div
      data-found={
        query === '' ? '' : (more ? t.foundMoreProjects : t.foundProjects)({ count: projects.length })
      }
    >
      {projects.length > 0 ? (
        <Projects projects={projects} />
      ) : (
        <NoResults workspace={workspace} query={query} seesProjects={seesProjects} />
      )}
      <Paging links={paging} label={t.moreProjects} byName />
    </div>
  );
}

function NoResults({ workspace, query, seesProjects }: Omit<FoundProps, 'found'> & { query: string }) {
  if (query !== '') {
    return (
      <EmptyState title={t.noMatches}>
        <p class="secondary">
          {t.noMatchesLine} <a href={workspacePath(workspace.name)}>{t.showAll}</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={seesProjects ? projectTexts.workspaceHome.none : projectTexts.workspaceHome.empty}>
      <p class="secondary">
        {seesProjects ? projectTexts.workspaceHome.noneLine : projectTexts.workspaceHome.emptyLine}
      </p>
    </EmptyState>
  );
}

/** About three lines. The Project's own page shows the whole description. */
const maxDescriptionPreview = 240;

function Projects({ projects }: Pick<FoundInWorkspace, 'projects'>) {
  return (
    <ul class="link-list">
      {projects.map(({ id, name, description, opens }) => (
        <li key={id}>
          {opens ? (
            <a href={projectPath(name)}>{name}</a>
          ) : (
            <span>
              <bdi>{name}</bdi> <span class="secondary fine">{projectTexts.workspaceHome.notIn}</span>
            </span>
          )}
          {description && (
            <span class="secondary clamp" dir="auto">
              {excerpt(description, maxDescriptionPreview)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
