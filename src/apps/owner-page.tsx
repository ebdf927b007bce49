import type { Owner, Team, User } from '../owners/owner.ts';
import { teams } from '../owners/owner.ts';
import { workspacePath } from '../owners/owner-addresses.ts';
import { doctorTexts } from '../web/doctor-texts.ts';
import { EmptyState } from '../web/empty-state.tsx';
import { Done } from '../web/form-field.tsx';
import { renderPage } from '../web/layout.tsx';
import { mailTexts } from '../web/mail-texts.ts';
import type { PageFrame } from '../web/page-frame.ts';
import { type PageLinks, Paging } from '../web/paging.tsx';
import { siteAddresses } from '../web/site-addresses.ts';
import { texts } from '../web/texts.ts';
import { devicesPath } from './addresses.ts';
import { type AppLine, AppList } from './app-list.tsx';
import { NoAppsYet } from './upload-example.tsx';

export interface OwnerPageProps {
  frame: PageFrame;
  owner: Owner;
  /** Names of users by team, for members of the Project; null for a User and for those who may not see them. */
  members: Readonly<Record<Team, readonly string[]>> | null;
  apps: readonly AppLine[];
  paging: PageLinks;
  /** Whether an empty page teaches how to upload, and the devices of testers are a link away. */
  canUpload: boolean;
  /** What was just done; a full sentence. */
  done?: string | null;
}

export function renderOwnerPage(props: OwnerPageProps): string {
  const { frame, owner } = props;
  return renderPage({
    frame,
    title: owner.name,
    children: (
      <>
        <OwnerHead owner={owner} />
        <Done sentence={props.done ?? null} />
        <div class={props.members ? 'columns' : undefined}>
          <section aria-labelledby="apps">
            <div class="section-head">
              <h2 id="apps">{texts.owner.apps}</h2>
              {props.canUpload && props.apps.some(({ app }) => app.platform === 'ios') && (
                <a href={devicesPath(owner)}>{texts.devices.link}</a>
              )}
            </div>
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
      {owner.kind === 'user' && <OwnSettings user={owner} />}
    </div>
  );
}

/** A User's page is seen by that User alone. */
function OwnSettings({ user }: { user: User }) {
  return (
    <p class="actions">
      <a class="button button-small" href={siteAddresses.mailSettings}>
        {mailTexts.settings.title}
      </a>
      {user.administrator && (
        <a class="button button-small" href={siteAddresses.mailAdministration}>
          {mailTexts.administration.link}
        </a>
      )}
      {user.administrator && (
        <a class="button button-small" href={siteAddresses.doctor}>
          {doctorTexts.link}
        </a>
      )}
    </p>
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
