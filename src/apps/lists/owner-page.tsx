import { formatBytes } from '../../core/byte-size.ts';
import type { Owner, Team } from '../../owners/owner.ts';
import { teams, workspaceOf } from '../../owners/owner.ts';
import { OwnerHead } from '../../owners/owner-area.tsx';
import { ciPath, teamsPath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { ownerTexts } from '../../owners/owner-texts.ts';
import type { Usage } from '../../owners/quota.ts';
import { projectTexts } from '../../projects/project-texts.ts';
import { DropOverlay } from '../../web/components/drop-overlay.tsx';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { SuccessMessage } from '../../web/components/form-field.tsx';
import { formatCount } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { texts } from '../../web/shell/texts.ts';
import { ownerUploadPath } from '../app-paths.ts';
import { AppList, type AppListItem } from './app-list.tsx';
import { NoAppsYet } from './upload-example.tsx';

export interface OwnerPageProps {
  frame: PageFrame;
  owner: Owner;
  /** User names by team, for members of the Project. Null for a User, or if the viewer cannot see them. */
  members: Readonly<Record<Team, readonly string[]>> | null;
  apps: readonly AppListItem[];
  paging: PageLinks;
  /** The viewer's permissions, which determine the links on the page. */
  permissions: OwnerPermissions;
  /** Null if the viewer cannot see it. */
  usage: Usage | null;
  /** Confirmation of the last action, as a full sentence. */
  done?: string | null;
}

export function renderOwnerPage(props: OwnerPageProps): string {
  const { frame, owner, members, usage } = props;
  const uploads = canUploadHere(props);
  return renderPage({
    frame,
    workspace: workspaceOf(owner),
    title: owner.name,
    section: owner.kind === 'project' ? 'projects' : 'apps',
    forms: true,
    head: (
      <OwnerHead
        owner={owner}
        permissions={props.permissions}
        part="apps"
        isTitle
        actions={uploads && <UploadButton address={ownerUploadPath(owner)} />}
      />
    ),
    ...(uploads ? { scripts: ['uploadScript'] } : {}),
    children: (
      <>
        {owner.kind === 'project' && owner.description && (
          <p class="secondary prose own-words" dir="auto">
            {owner.description}
          </p>
        )}
        <SuccessMessage sentence={props.done ?? null} />
        <div class={members || usage ? 'columns columns-aside' : undefined}>
          <section aria-labelledby="apps">
            <div class="section-head">
              <h2 id="apps">{ownerTexts.owner.apps}</h2>
              {uploads && props.apps.length > 0 && (
                <a class="fine" href={ciPath(owner)}>
                  {texts.links.ci}
                </a>
              )}
            </div>
            <OwnerApps {...props} />
            <Paging links={props.paging} label={texts.home.moreApps} />
          </section>
          {(members || usage) && (
            <div class="aside">
              {members && owner.kind === 'project' && <People {...props} members={members} />}
              {usage && <Storage usage={usage} />}
              {owner.kind === 'user' && <OwnMail />}
            </div>
          )}
        </div>
        {uploads && <DropOverlay name={owner.name} address={ownerUploadPath(owner)} />}
      </>
    ),
  });
}

function UploadButton({ address }: { address: string }) {
  return (
    <a class="button button-primary" href={address}>
      <Glyph name="upload" />
      {texts.nav.upload}
    </a>
  );
}

/** A page opened with an API key has no forms. */
const canUploadHere = ({ frame, permissions }: OwnerPageProps) =>
  permissions.uploads && frame.viewer !== null;

function Storage({ usage }: { usage: Usage }) {
  return (
    <section aria-labelledby="stored">
      <h2 id="stored">{ownerTexts.owner.stored}</h2>
      <p class="secondary">
        {projectTexts.storageLine({ size: formatBytes(usage.bytes), builds: usage.builds })}
      </p>
    </section>
  );
}

/** Without access checks, because a User's page is only shown to that User. */
function OwnMail() {
  return (
    <p>
      <a href={sitePaths.mailSettings}>{texts.links.buildEmails}</a>
    </p>
  );
}

function OwnerApps(props: OwnerPageProps) {
  const { frame, owner, apps } = props;
  if (apps.length > 0) return <AppList frame={frame} apps={apps} showOwner={false} />;
  if (props.permissions.uploads) {
    const uploadAddress = canUploadHere(props) ? ownerUploadPath(owner) : null;
    return <NoAppsYet origin={frame.origin} ownerName={owner.name} uploadAddress={uploadAddress} />;
  }
  return (
    <EmptyState title={ownerTexts.owner.empty}>
      <p class="secondary">{ownerTexts.owner.emptyLine}</p>
    </EmptyState>
  );
}

/** How many names are shown. The team page lists all of them. */
const namesOfTeam = 20;

function People(props: OwnerPageProps & { members: NonNullable<OwnerPageProps['members']> }) {
  const { owner, members, permissions } = props;
  return (
    <section aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">{ownerTexts.owner.people}</h2>
        <a class="fine" href={teamsPath(owner.name)}>
          {permissions.administers ? ownerTexts.owner.managePeople : ownerTexts.owner.leavePeople}
        </a>
      </div>
      {teams.map((team) => (
        <div class="team" key={team}>
          <h3>{ownerTexts.owner.teams[team]}</h3>
          <p class="secondary fine">{ownerTexts.owner.teamRights[team]}</p>
          {members[team].length > 0 ? (
            <ul class="names">
              {members[team].slice(0, namesOfTeam).map((name) => (
                <li key={name}>{name}</li>
              ))}
              {members[team].length > namesOfTeam && (
                <li class="secondary">
                  {ownerTexts.owner.more({ count: formatCount(members[team].length - namesOfTeam) })}
                </li>
              )}
            </ul>
          ) : (
            <p class="secondary">{ownerTexts.owner.nobody}</p>
          )}
        </div>
      ))}
    </section>
  );
}
