import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import type { AddedPerson } from '../../accounts/invitations/people-list.ts';
import { addedPeopleContent } from '../../accounts/invitations/people-list-field.tsx';
import { type Project, type ProjectMember, type Team, teams } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import {
  groupsPath,
  projectAccessPath,
  projectInvitationsPath,
  removalPath,
  teamsPath,
} from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Refusal } from '../../web/components/callout.tsx';
import { Confirm } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import {
  AddPeopleForm,
  type AddPeopleProps,
  type PeopleList,
  PeopleSearch,
  PersonMenu,
  PersonRow,
  RemovePerson,
  RoleForm,
} from './people-list.tsx';
import type { MemberFacts } from './project-people.ts';

export interface ProjectPeopleProps extends AddPeopleProps<Team> {
  frame: PageFrame;
  project: Project;
  permissions: OwnerPermissions;
  /** The viewer's id, because viewers get a "leave" button for themselves. */
  viewerId: string;
  /** The members on this page of the list. */
  members: readonly ProjectMember[];
  /** The total number of members, or of search results. */
  count: number;
  /** The search text; empty without a search. */
  query: string;
  paging: PageLinks;
  /** Invited people who have not responded; shown to viewers who may cancel. */
  pending: readonly NamedInvitation[];
  /** Whether the viewer is a member of the Project. */
  isMember: boolean;
  /** Whether the Project would have no owner if the viewer left. */
  isLastOwner: boolean;
  /** By id; null if the viewer may not see them. */
  facts: ReadonlyMap<string, MemberFacts> | null;
  done: string | null;
  /** Why a change in the list was refused. */
  refused: string | null;
}

const t = projectTexts.people;

export function renderProjectPeople(props: ProjectPeopleProps): string {
  const { frame, project, permissions, members, viewerId } = props;
  const address = teamsPath(project.name);
  const list = { frame, viewerId, address, field: 'team', roles: teams, names: t.teams, texts: t } as const;
  return renderOwnerArea({
    frame,
    owner: project,
    permissions,
    part: 'people',
    title: t.title,
    line: t.line,
    done: props.done,
    children: (
      <>
        <Refusal sentence={props.refused} />
        <div class="columns columns-aside">
          <section aria-labelledby="members">
            <div class="section-head">
              <h2 id="members">{t.count({ count: props.count })}</h2>
              {permissions.administers && (
                <a class="to-form fine" href="#login">
                  {t.add}
                </a>
              )}
              {(props.query !== '' || props.paging.older !== null || props.paging.newer !== null) && (
                <PeopleSearch address={address} query={props.query} />
              )}
            </div>
            <ul class="link-list members">
              {members.map((member) => (
                <Member key={member.user.id} member={member} list={list} {...props} />
              ))}
            </ul>
            <Paging links={props.paging} label={t.pages} byName />
            <PendingInvitations
              frame={frame}
              invitations={props.pending}
              address={`${address}/invitations`}
            />
          </section>
          <div class="aside">
            {permissions.administers && (
              <AddPeopleForm list={list} submitted={props.submitted} errors={props.errors}>
                {permissions.manages && (
                  <p class="fine">
                    <a href={projectInvitationsPath(project.name)}>{t.inviteInstead}</a>
                  </p>
                )}
              </AddPeopleForm>
            )}
            {permissions.manages && (
              <p>
                <a href={groupsPath(project)}>{t.groups}</a>
              </p>
            )}
            {permissions.administers && (
              <p>
                <a href={projectAccessPath(project.name)}>{t.accessReview}</a>
              </p>
            )}
            {props.isMember && (
              <section aria-labelledby="leave">
                <h2 id="leave">{t.leaveTitle}</h2>
                {props.isLastOwner ? (
                  <p class="hint">{t.leaveLast}</p>
                ) : (
                  <Confirm frame={frame} action={`${address}/leave`} ask={t.leave} line={t.leaveLine} />
                )}
              </section>
            )}
          </div>
        </div>
      </>
    ),
  });
}

function Member({
  member,
  list,
  ...props
}: { member: ProjectMember; list: PeopleList<Team> } & ProjectPeopleProps) {
  const { project, permissions } = props;
  const { user } = member;
  const { id, name } = user;
  return (
    <PersonRow list={list} person={user} facts={props.facts?.get(id)}>
      {permissions.administers ? (
        <span class="member-forms">
          <RoleForm
            list={list}
            person={user}
            chosen={teams.find((one) => member.teams.includes(one)) ?? 'tester'}
          />
          {id !== list.viewerId && (
            <PersonMenu name={name} accessAddress={projectAccessPath(project.name, id)}>
              <RemovePerson list={list} person={user} />
              <a
                class="menu-item menu-danger"
                href={removalPath(project.name, id)}
                aria-label={projectTexts.removal.linkOf({ name })}
              >
                {projectTexts.removal.link}…
              </a>
            </PersonMenu>
          )}
        </span>
      ) : (
        <span class="secondary">{formatList(member.teams.map((one) => t.teams[one]))}</span>
      )}
    </PersonRow>
  );
}

/** The result for each entry of a list. */
export function renderAddedMembers(props: {
  frame: PageFrame;
  project: Project;
  permissions: OwnerPermissions;
  people: readonly AddedPerson[];
}): string {
  const { frame, project, permissions, people } = props;
  return renderOwnerArea({
    frame,
    owner: project,
    permissions,
    part: 'people',
    ...addedPeopleContent(people, teamsPath(project.name)),
  });
}
