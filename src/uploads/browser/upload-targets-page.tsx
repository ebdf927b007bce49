/** The page that lists a person's upload targets. */

import { renderToString } from 'preact-render-to-string';
import { ownerUploadPath, uploadPath } from '../../apps/app-paths.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerTexts } from '../../owners/owner-texts.ts';
import { projectTexts } from '../../projects/project-texts.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { LiveSearch } from '../../web/components/live-search.tsx';
import { isolated } from '../../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { ConsoleHead } from '../../web/shell/console-head.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { uploadTexts } from '../upload-texts.ts';

export interface FoundTargets {
  /** The search query, or `''`. */
  query: string;
  owners: readonly Owner[];
  paging: PageLinks;
}

const t = uploadTexts.places;
const listTexts = projectTexts.list;

export function renderUploadTargets({ frame, found }: { frame: PageFrame; found: FoundTargets }): string {
  return renderPage({
    frame,
    title: t.title,
    forms: true,
    width: 'narrow',
    head: <ConsoleHead title={t.title} details={<span>{t.line}</span>} />,
    children: (
      <>
        {isLong(found) && (
          <div class="list-tools">
            <LiveSearch
              address={uploadPath}
              part="places"
              query={found.query}
              label={listTexts.searchProjects}
              hint={listTexts.searchHint}
              button={listTexts.searchButton}
            />
          </div>
        )}
        <div id="places">
          <Places {...found} />
        </div>
      </>
    ),
  });
}

/** The part of the page that live search replaces. */
export function renderFoundTargets(found: FoundTargets): string {
  return renderToString(<Places {...found} />);
}

const isLong = ({ query, paging }: FoundTargets) =>
  query !== '' || paging.newer !== null || paging.older !== null;

function Places({ query, owners, paging }: FoundTargets) {
  const more = paging.newer !== null || paging.older !== null;
  return (
    <div
      data-found={
        query === ''
          ? ''
          : (more ? listTexts.foundMoreProjects : listTexts.foundProjects)({ count: owners.length })
      }
    >
      {owners.length > 0 ? (
        <ul class="link-list">
          {owners.map((owner) => (
            <li key={owner.id}>
              <a href={ownerUploadPath(owner)}>{owner.name}</a>
              <span class="secondary fine">
                {owner.kind === 'user' ? t.own : <ProjectLine project={owner} />}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <EmptyState title={listTexts.noMatches}>
          <p class="secondary">
            {listTexts.noMatchesLine} <a href={uploadPath}>{listTexts.showAll}</a>
          </p>
        </EmptyState>
      )}
      <Paging links={paging} label={listTexts.moreProjects} byName />
    </div>
  );
}

function ProjectLine({ project }: { project: Extract<Owner, { kind: 'project' }> }) {
  if (!project.workspace) return <>{ownerTexts.owner.project}</>;
  return (
    <>{ownerTexts.owner.projectInWorkspace({ workspace: project.workspace.displayName, name: isolated })}</>
  );
}
