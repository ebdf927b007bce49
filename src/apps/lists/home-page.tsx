import { renderToString } from 'preact-render-to-string';
import { accountTexts } from '../../accounts/account-texts.ts';
import { ownInvitationsPath } from '../../accounts/profile/account-paths.ts';
import type { RefusingWorkspace } from '../../owners/gate/find-workspace-gate.ts';
import type { Project, Workspace } from '../../owners/owner.ts';
import {
  newProjectPath,
  newWorkspacePath,
  projectPath,
  projectsPath,
  userPath,
  workspacePath,
  workspacesPath,
} from '../../owners/owner-paths.ts';
import { projectTexts } from '../../projects/project-texts.ts';
import { AppIcon } from '../../web/components/app-icon.tsx';
import { DropOverlay } from '../../web/components/drop-overlay.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { uploadPath } from '../app-paths.ts';
import { AppList, type AppListItem } from './app-list.tsx';
import type { HomeViewer } from './home-viewer.ts';
import { installStatusTexts as t } from './install-status.tsx';
import { RefusedWorkspaces } from './refused-workspaces.tsx';
import { SetupChecklist, type SetupStatus } from './setup-checklist.tsx';
import { NoAppsYet } from './upload-example.tsx';

/** Apps of all owners that the viewer can see, with the latest uploads first. */
export interface FoundApps {
  /** The owner in the example command: the viewer. */
  uploadTo: string;
  /** The search query, or empty. */
  query: string;
  apps: readonly AppListItem[];
  paging: PageLinks;
  /** Null for a Project's key. */
  viewer: HomeViewer | null;
}

export interface HomeOwners {
  /** The first Projects. The others are on a separate page. */
  projects: readonly Project[];
  projectCount: number;
  /** The first Workspaces that the viewer owns. */
  workspaces: readonly Workspace[];
  workspaceCount: number;
  canCreateWorkspaces: boolean;
  /** The first steps of the setup; null for people who are not administrators, and when there are apps. */
  setup: SetupStatus | null;
  refusing: readonly RefusingWorkspace[];
  /** Number of pending invitations of the viewer. */
  invitations: number;
}

export interface HomePageProps {
  frame: PageFrame;
  /** Null for anonymous visitors, who see an introduction. */
  content: (FoundApps & HomeOwners) | null;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
}

export function renderHomePage({ frame, content, done }: HomePageProps): string {
  return content
    ? renderPage({
        frame,
        title: texts.home.title,
        ...(acceptsDrops(frame, content) ? { scripts: ['uploadScript'] } : {}),
        section: 'apps',
        forms: true,
        head: <HomeHead frame={frame} content={content} />,
        children: <SignedIn frame={frame} content={content} done={done} />,
      })
    : renderPage({
        frame,
        title: texts.product,
        description: texts.home.intro,
        width: 'narrow',
        forms: done !== null,
        children: (
          <>
            <SuccessMessage sentence={done} />
            <Introduction />
          </>
        ),
      });
}

/** The part of the page that live search replaces. */
export function renderFoundApps(props: { frame: PageFrame; found: FoundApps }): string {
  return renderToString(<Found {...props} />);
}

function Introduction() {
  return (
    <div class="introduction">
      <h1>{texts.home.introTitle}</h1>
      <p class="lead">{texts.home.intro}</p>
      <p class="actions">
        <a class="button button-primary" href={sitePaths.signIn}>
          {texts.signIn}
        </a>
        <a class="button" href={sitePaths.docs}>
          {texts.docs}
        </a>
      </p>
      <p class="secondary">{texts.home.introTester}</p>
    </div>
  );
}

type Content = NonNullable<HomePageProps['content']>;

function HomeHead({ frame, content }: { frame: PageFrame; content: Content }) {
  return (
    <ConsoleHead
      title={texts.home.title}
      details={
        content.projectCount > 0 && (
          <span>{projectTexts.list.foundProjects({ count: content.projectCount })}</span>
        )
      }
      actions={
        frame.viewer &&
        !content.viewer?.onlyTests && (
          <>
            {!hasNoApps(content) && (
              <a class="button hide-phone" href={sitePaths.storeRules}>
                {texts.home.storeRules}
              </a>
            )}
            <a class="button" href={newProjectPath}>
              <Glyph name="plus" />
              {projectTexts.newProject.link}
            </a>
            <a class="button button-primary" href={uploadPath}>
              <Glyph name="upload" />
              {texts.nav.upload}
            </a>
          </>
        )
      }
    />
  );
}

const hasNoApps = ({ apps, query, paging }: Content) =>
  apps.length === 0 && query === '' && paging.newer === null;

const acceptsDrops = (frame: PageFrame, content: Content) =>
  hasNoApps(content) && frame.viewer !== null && !content.viewer?.onlyTests;

function SignedIn({ frame, content, done }: { frame: PageFrame; content: Content; done: string | null }) {
  const isEmpty = hasNoApps(content);
  return (
    <div class="columns columns-aside">
      <div>
        <SuccessMessage sentence={done} />
        <RefusedWorkspaces workspaces={content.refusing} />
        {content.invitations > 0 && (
          <p class="callout">
            {accountTexts.ownInvitations.waiting({ count: content.invitations })}{' '}
            <a href={ownInvitationsPath}>{accountTexts.ownInvitations.see}</a>
          </p>
        )}
        <div class="filters">
          {!isEmpty && (
            <LiveSearch
              address={sitePaths.home}
              part="apps"
              query={content.query}
              label={texts.home.search}
              hint={texts.home.searchHint}
              button={texts.home.searchButton}
            />
          )}
        </div>
        <div
          class="list-part"
          id="apps"
          data-live-part={isEmpty ? '' : undefined}
          data-live-polled={isEmpty ? '' : undefined}
        >
          <Found frame={frame} found={content} />
        </div>
      </div>
      <Aside frame={frame} content={content} />
      {acceptsDrops(frame, content) && (
        <DropOverlay name={content.uploadTo} address={`${userPath(content.uploadTo)}/upload`} />
      )}
    </div>
  );
}

function Found({ frame, found }: { frame: PageFrame; found: FoundApps }) {
  const { apps, query, paging } = found;
  if (query === '' && apps.length === 0) {
    if (found.viewer?.onlyTests) return <NothingToInstall />;
    const uploadAddress = frame.viewer ? uploadPath : null;
    return <NoAppsYet origin={frame.origin} ownerName={found.uploadTo} uploadAddress={uploadAddress} />;
  }
  const isPaged = paging.older !== null || paging.newer !== null;
  const counted = (isPaged ? texts.home.foundMore : texts.home.found)({ count: apps.length });
  return (
    <div data-found={query === '' ? '' : counted}>
      {apps.length > 0 ? (
        <AppList frame={frame} apps={apps} showOwner />
      ) : (
        <EmptyState title={texts.home.noMatches}>
          <p class="secondary">
            {texts.home.noMatchesLine} <a href={sitePaths.home}>{texts.home.clearSearch}</a>
          </p>
        </EmptyState>
      )}
      <Paging links={paging} label={texts.home.moreApps} />
    </div>
  );
}

function NothingToInstall() {
  return (
    <EmptyState title={t.nothing}>
      <p class="secondary">{t.nothingLine}</p>
      <p class="secondary">{t.nothingHow}</p>
      <p class="actions">
        <a class="button" href={ownInvitationsPath}>
          {accountTexts.ownInvitations.see}
        </a>
      </p>
    </EmptyState>
  );
}

/** For testers: their page starts with the apps that they install. */
function StartDeveloping({ viewer }: { viewer: HomeViewer }) {
  if (!viewer.mayUpload && !viewer.mayCreateProjects) return null;
  return (
    <section class="develop" aria-labelledby="develop">
      <h2 id="develop">{t.develop}</h2>
      <p class="secondary">{t.developLine}</p>
      <p class="actions">
        {viewer.mayUpload && (
          <a class="button" href={uploadPath}>
            <Glyph name="upload" />
            {texts.nav.upload}
          </a>
        )}
        {viewer.mayCreateProjects && (
          <a class="button" href={newProjectPath}>
            <Glyph name="plus" />
            {projectTexts.newProject.link}
          </a>
        )}
      </p>
    </section>
  );
}

function Aside({ frame, content }: { frame: PageFrame; content: Content }) {
  const { projects, workspaces, viewer } = content;
  const canCreate = frame.viewer !== null;
  if (viewer?.onlyTests && frame.viewer) {
    return (
      <div class="aside">
        {projects.length > 0 && <ProjectsSection frame={frame} content={content} />}
        <StartDeveloping viewer={viewer} />
      </div>
    );
  }
  if (projects.length === 0 && workspaces.length === 0 && !canCreate) return null;
  return (
    <div class="aside">
      {content.setup && <SetupChecklist frame={frame} status={content.setup} />}
      <ProjectsSection frame={frame} content={content} />
      {(workspaces.length > 0 || (canCreate && content.canCreateWorkspaces)) && (
        <Workspaces content={content} canCreate={canCreate && content.canCreateWorkspaces} />
      )}
    </div>
  );
}

function ProjectsSection({ frame, content }: { frame: PageFrame; content: Content }) {
  const { projects, projectCount } = content;
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">{texts.home.projects}</h2>
      {projects.length > 0 ? (
        <>
          <Projects frame={frame} projects={projects} />
          <All count={projectCount} shown={projects.length} kind="projects" />
        </>
      ) : (
        <p class="secondary">{texts.home.noProjects}</p>
      )}
    </section>
  );
}

function Projects({ frame, projects }: { frame: PageFrame; projects: readonly Project[] }) {
  return (
    <ul class="link-list">
      {projects.map(({ id, name, workspace }) => (
        <li key={id}>
          <a href={projectPath(name)}>{name}</a>
          {workspace && (
            <span class="secondary with-icon">
              <AppIcon
                address={workspace.iconUrl}
                origin={frame.origin}
                name={workspace.displayName}
                size="small"
              />
              <bdi>{workspace.displayName}</bdi>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Workspaces(props: { content: HomeOwners; canCreate: boolean }) {
  const { workspaces, workspaceCount } = props.content;
  return (
    <section aria-labelledby="workspaces">
      <div class="section-head">
        <h2 id="workspaces">{texts.home.workspaces}</h2>
        {props.canCreate && (
          <a class="fine" href={newWorkspacePath}>
            {projectTexts.newWorkspace.link}
          </a>
        )}
      </div>
      <ul class="link-list">
        {workspaces.map(({ id, name, displayName }) => (
          <li key={id}>
            <a href={workspacePath(name)}>
              <bdi>{displayName}</bdi>
            </a>
          </li>
        ))}
      </ul>
      <All count={workspaceCount} shown={workspaces.length} kind="workspaces" />
    </section>
  );
}

const allOf = {
  projects: { address: projectsPath, words: projectTexts.list.allProjects },
  workspaces: { address: workspacesPath, words: projectTexts.list.allWorkspaces },
};

function All({ count, shown, kind }: { count: number; shown: number; kind: keyof typeof allOf }) {
  if (count <= shown) return null;
  const { address, words } = allOf[kind];
  return (
    <p class="all-link">
      <a class="all-to" href={address}>
        {words({ count: formatCount(count) })}
      </a>
    </p>
  );
}
