import type { Owner, Team } from '../owners/owner.ts';
import { teams } from '../owners/owner.ts';
import { workspacePath } from '../owners/owner-addresses.ts';
import { EmptyState } from '../web/empty-state.tsx';
import { renderPage } from '../web/layout.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { type PageLinks, Paging } from '../web/paging.tsx';
import { texts } from '../web/texts.ts';
import { type AppLine, AppList } from './app-list.tsx';
import { NoAppsYet } from './upload-example.tsx';

export interface OwnerPageProps {
  frame: PageFrame;
  owner: Owner;
  /** Names of users by team, for members of the Project; null for a User and for those who may not see them. */
  members: Readonly<Record<Team, readonly string[]>> | null;
  apps: readonly AppLine[];
  paging: PageLinks;
  /** Whether an empty page teaches how to upload. */
  canUpload: boolean;
}

export function renderOwnerPage(props: OwnerPageProps): string {
  const { frame, owner } = props;
  return renderPage({
    frame,
    title: owner.name,
    children: (
      <>
        <OwnerHead owner={owner} />
        <div class={props.members ? 'columns' : undefined}>
          <section aria-labelledby="apps">
            <h2 id="apps">{texts.owner.apps}</h2>
            <OwnerApps {...props} />
            <Paging links={props.paging} label={texts.home.moreApps} />
          </section>
          {props.members && <People members={props.members} />}
        </div>
      </>
    ),
  });
}

function OwnerHead({ owner }: { owner: Owner }) {
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  return (
    <div class="page-head">
      <p class="kind">
        {texts.owner[owner.kind]}
        {workspace && (
          <>
            {' '}
            {texts.owner.inWorkspace}{' '}
            <a href={workspacePath(workspace.name)}>
              <bdi>{workspace.displayName}</bdi>
            </a>
          </>
        )}
      </p>
      <h1>{owner.name}</h1>
      {owner.kind === 'project' && owner.description && (
        <p class="lead prose" dir="auto">
          {owner.description}
        </p>
      )}
    </div>
  );
}

function OwnerApps({ frame, owner, apps, canUpload }: OwnerPageProps) {
  if (apps.length > 0) return <AppList frame={frame} apps={apps} showOwner={false} />;
  if (canUpload) return <NoAppsYet origin={frame.origin} ownerName={owner.name} />;
  return (
    <EmptyState title={texts.owner.empty}>
      <p class="secondary">{texts.owner.emptyLine}</p>
    </EmptyState>
  );
}

function People({ members }: { members: NonNullable<OwnerPageProps['members']> }) {
  return (
    <section class="aside" aria-labelledby="people">
      <h2 id="people">{texts.owner.people}</h2>
      {teams.map((team) => (
        <div class="team" key={team}>
          <h3>{texts.owner.teams[team]}</h3>
          <p class="secondary fine">{texts.owner.teamRights[team]}</p>
          {members[team].length > 0 ? (
            <ul class="names">
              {members[team].map((name) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          ) : (
            <p class="secondary">{texts.owner.nobody}</p>
          )}
        </div>
      ))}
    </section>
  );
}
