/** Full lists of a user's Projects and Workspaces by name; the start page shows the first entries. */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ManagedGroup } from '../../owners/group.ts';
import { teams, type Workspace } from '../../owners/owner.ts';
import {
  groupPath,
  newProjectPath,
  newWorkspacePath,
  projectPath,
  projectsPath,
  workspacePath,
  workspacesPath,
} from '../../owners/owner-paths.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { formatList } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { SearchResults } from '../../web/components/result-list.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { groupTexts } from '../groups/group-texts.ts';
import { projectTexts } from '../project-texts.ts';
import type { MemberProject, NamePageResult } from './project-list.ts';

interface ProjectListProps {
  frame: PageFrame;
  found: NamePageResult<MemberProject>;
  /** The groups of testers that the viewer manages. */
  managed: readonly ManagedGroup[];
}

interface WorkspaceListProps {
  frame: PageFrame;
  found: NamePageResult<Workspace>;
  /** Whether the viewer may create Workspaces. */
  canCreate: boolean;
}

const t = projectTexts.list;

export function renderProjectList(props: ProjectListProps): string {
  const { frame, found } = props;
  return renderList({
    frame,
    title: t.projects,
    line: t.projectsLine,
    address: projectsPath,
    part: 'projects',
    search: searchOf(found, t.searchProjects),
    make: frame.viewer && { address: newProjectPath, label: projectTexts.newProject.link },
    children: (
      <>
        <Projects {...props} />
        <ManagedGroups {...props} />
      </>
    ),
  });
}

export function renderWorkspaceList(props: WorkspaceListProps): string {
  const { frame, found, canCreate } = props;
  return renderList({
    frame,
    title: t.workspaces,
    line: t.workspacesLine,
    address: workspacesPath,
    part: 'workspaces',
    search: searchOf(found, t.searchWorkspaces),
    make: canCreate ? { address: newWorkspacePath, label: projectTexts.newWorkspace.link } : null,
    children: <Workspaces {...props} />,
  });
}

function ManagedGroups({ managed }: ProjectListProps) {
  if (managed.length === 0) return null;
  const { managed: title, managedOf } = groupTexts;
  return (
    <section class="section" aria-labelledby="managed">
      <h2 id="managed">{title}</h2>
      <ul class="link-list">
        {managed.map(({ id, name, owner }) => (
          <li key={id}>
            <a href={groupPath(owner, id)}>{managedOf({ group: name, owner: owner.name })}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Render the parts of the pages that live search replaces. */
export const renderFoundProjects = (props: ProjectListProps) => renderToString(<Projects {...props} />);
export const renderFoundWorkspaces = (props: WorkspaceListProps) => renderToString(<Workspaces {...props} />);

/** An empty list has no search field. */
const searchOf = ({ query, items, paging }: NamePageResult<unknown>, label: string) =>
  query === '' && items.length === 0 && paging.newer === null ? null : { query, label };

function renderList(page: {
  frame: PageFrame;
  title: string;
  line: string;
  address: string;
  /** Id of the element that live search replaces. */
  part: string;
  search: { query: string; label: string } | null;
  make: { address: string; label: string } | null;
  children: ComponentChildren;
}): string {
  const { search, make } = page;
  return renderPage({
    frame: page.frame,
    title: page.title,
    section: 'projects',
    forms: true,
    head: (
      <ConsoleHead
        title={page.title}
        details={<span>{page.line}</span>}
        actions={
          make && (
            <a class="button button-primary" href={make.address}>
              <Glyph name="plus" />
              {make.label}
            </a>
          )
        }
      />
    ),
    children: (
      <>
        {search && (
          <div class="filters">
            <LiveSearch
              {...search}
              address={page.address}
              part={page.part}
              hint={t.searchHint}
              button={t.searchButton}
            />
          </div>
        )}
        <div class="list-part" id={page.part}>
          {page.children}
        </div>
      </>
    ),
  });
}

function Projects({ frame, found }: ProjectListProps) {
  const { query, paging, items } = found;
  return (
    <SearchResults
      said={query === '' ? '' : saidOf(t.foundProjects, t.foundMoreProjects, found)}
      columnHeadings={[t.project, t.workspace, t.team, t.lastUpload]}
      lines={items.map((line) => <ProjectRow key={line.project.id} frame={frame} line={line} />)}
      nothing={
        <NoResults
          {...(query === ''
            ? { title: t.noProjects, line: t.noProjectsLine }
            : { title: t.noMatches, line: t.noMatchesLine, all: projectsPath })}
        />
      }
      paging={paging}
      label={t.moreProjects}
      byName
    />
  );
}

function ProjectRow({ frame, line }: { frame: PageFrame; line: MemberProject }) {
  const { project, lastUploadAt } = line;
  const { workspace } = project;
  return (
    <tr>
      <th scope="row">
        <a href={projectPath(project.name)}>{project.name}</a>
      </th>
      <td class="secondary">{workspace && <bdi>{workspace.displayName}</bdi>}</td>
      <td class="secondary tight">
        {formatList(
          teams.filter((team) => line.teams.includes(team)).map((team) => projectTexts.people.teams[team]),
        )}
      </td>
      <td class="secondary tight">
        {lastUploadAt === null ? (
          t.noUpload
        ) : (
          <>
            <span class="device-label" aria-hidden="true">
              {t.lastUpload}{' '}
            </span>
            <Timestamp at={lastUploadAt} now={frame.now} />
          </>
        )}
      </td>
    </tr>
  );
}

function Workspaces({ frame, found }: WorkspaceListProps) {
  const { query, paging, items } = found;
  return (
    <SearchResults
      said={query === '' ? '' : saidOf(t.foundWorkspaces, t.foundMoreWorkspaces, found)}
      columnHeadings={[t.workspace, t.name]}
      lines={items.map(({ id, name, displayName, iconUrl }) => (
        <tr key={id}>
          <th scope="row">
            <span class="with-icon">
              <AppIcon address={iconUrl} origin={frame.origin} name={displayName} size="small" />
              <a href={workspacePath(name)}>
                <bdi>{displayName}</bdi>
              </a>
            </span>
          </th>
          <td>
            <code class="machine">{name}</code>
          </td>
        </tr>
      ))}
      nothing={
        <NoResults
          {...(query === ''
            ? { title: t.noWorkspaces, line: t.noWorkspacesLine }
            : { title: t.noMatches, line: t.noMatchesLine, all: workspacesPath })}
        />
      }
      paging={paging}
      label={t.moreWorkspaces}
      byName
    />
  );
}

type Counted = (values: { count: number }) => string;

const saidOf = (all: Counted, some: Counted, { items, paging }: NamePageResult<unknown>) =>
  (paging.newer !== null || paging.older !== null ? some : all)({ count: items.length });

function NoResults(props: { title: string; line: string; all?: string }) {
  return (
    <EmptyState title={props.title}>
      <p class="secondary">
        {props.line} {props.all && <a href={props.all}>{t.showAll}</a>}
      </p>
    </EmptyState>
  );
}
