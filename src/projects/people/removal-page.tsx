/** Lists everything that a person will be removed from, with one button. */
import { accountTexts } from '../../accounts/account-texts.ts';
import type { Project, User } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import { removeEverywherePath, teamsPath, workspacePeoplePath } from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Callout } from '../../web/components/callout.tsx';
import { PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import type { PersonPlaces } from './person-places.ts';

export interface RemovalProps {
  frame: PageFrame;
  project: Project;
  permissions: OwnerPermissions;
  user: Pick<User, 'id' | 'name'>;
  places: PersonPlaces;
  /** Why the last attempt was refused. */
  refused: string | null;
}

const t = projectTexts.removal;

export function renderRemoval(props: RemovalProps): string {
  const { frame, project, permissions, user, places, refused } = props;
  const last = [...places.projects, ...places.workspaces].filter(({ isLastOwner }) => isLastOwner);
  const blockers = new Set([
    ...(refused === null ? [] : [refused]),
    ...last.map(({ name }) => t.lastOwner({ name })),
  ]);
  const count =
    places.projects.length + places.workspaces.length + places.apps.length + places.invitations.length;
  return renderOwnerArea({
    frame,
    owner: project,
    permissions,
    part: 'people',
    title: t.title({ name: user.name }),
    line: permissions.administrator ? t.lineAdministrator : t.line,
    children: (
      <>
        <Callout tone="danger" title={t.blocked} sentences={[...blockers]} />
        <div class="panel">
          <PlaceList {...places} />
        </div>
        <PostForm frame={frame} class="actions" action={removeEverywherePath(project.name, user.id)}>
          {last.length === 0 && <SubmitButton label={t.button({ count })} tone="danger" />}
          <a class="button" href={teamsPath(project.name)}>
            {t.cancel}
          </a>
        </PostForm>
      </>
    ),
  });
}

function PlaceList({ projects, workspaces, apps, invitations }: PersonPlaces) {
  const teams = projectTexts.people.teams;
  const places = [
    ...projects.map(({ id, name, teams: joined }) => ({
      id,
      name,
      address: teamsPath(name),
      line: t.inProject({ teams: formatList(joined.map((team) => teams[team])) }),
    })),
    ...workspaces.map(({ id, name, role }) => ({
      id,
      name,
      address: workspacePeoplePath(name),
      line: t.inWorkspace({ role: projectTexts.workspacePeople.roles[role] }),
    })),
    ...apps.map(({ id, name, owner }) => ({ id, name, address: null, line: t.inApp({ owner: owner.name }) })),
    ...invitations.map(({ id, place }) => ({
      id,
      name: accountTexts.ownInvitations.places[place.kind]({ name: place.name }),
      address: null,
      line: t.invited,
    })),
  ];
  return (
    <ul class="rows">
      {places.map(({ id, name, address, line }) => (
        <li key={id}>
          <span class="grow">
            <span class="line-1">
              {address ? (
                <a class="strong cut" href={address}>
                  <bdi>{name}</bdi>
                </a>
              ) : (
                <bdi class="strong cut">{name}</bdi>
              )}
            </span>
            <span class="line-2">{line}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
