import { accountTexts } from '../../accounts/account-texts.ts';
import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import { type AddedPerson, countAdded } from '../../accounts/invitations/people-list.ts';
import { AddedPeople, PeopleListField } from '../../accounts/invitations/people-list-field.tsx';
import { maxNameLength, type Project, type ProjectMember, type Team, teams } from '../../owners/owner.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import {
  groupsPath,
  projectAccessPath,
  projectInvitationsPath,
  removalPath,
  teamMemberPath,
  teamsPath,
} from '../../owners/owner-paths.ts';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { Confirm, PostForm } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { timeOf } from '../../web/components/message-tags.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import type { MemberFacts } from './project-people.ts';

export interface ProjectPeopleProps {
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
  /** The refused input. */
  submitted: { login: string; team: Team };
  errors: { login?: readonly string[] };
  /** Why a change in the list was refused. */
  refused: string | null;
}

const t = projectTexts.people;

export function renderProjectPeople(props: ProjectPeopleProps): string {
  const { frame, project, permissions, members, refused } = props;
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
        {refused !== null && (
          <p class="callout callout-danger" role="alert">
            {refused}
          </p>
        )}
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
                <PeopleSearch address={teamsPath(project.name)} query={props.query} />
              )}
            </div>
            <ul class="link-list members">
              {members.map((member) => (
                <Member key={member.user.id} member={member} {...props} />
              ))}
            </ul>
            <Paging links={props.paging} label={t.pages} byName />
            <PendingInvitations
              frame={frame}
              invitations={props.pending}
              address={`${teamsPath(project.name)}/invitations`}
            />
          </section>
          <div class="aside">
            {permissions.administers && <AddForm {...props} />}
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
                  <Confirm
                    frame={frame}
                    action={`${teamsPath(project.name)}/leave`}
                    ask={t.leave}
                    line={t.leaveLine}
                  />
                )}
              </section>
            )}
          </div>
        </div>
      </>
    ),
  });
}

export function PeopleSearch({ address, query }: { address: string; query: string }) {
  return (
    <search>
      <form class="search" method="get" action={address}>
        <label class="unseen" for="search-people">
          {t.search}
        </label>
        <input
          id="search-people"
          type="search"
          name="q"
          value={query}
          placeholder={t.search}
          maxLength={maxNameLength}
        />
        <button class="button" type="submit">
          {t.searchButton}
        </button>
      </form>
    </search>
  );
}

function Member({ member, ...props }: { member: ProjectMember } & ProjectPeopleProps) {
  const { frame, project, permissions, viewerId } = props;
  const { user } = member;
  const team = teams.find((one) => member.teams.includes(one)) ?? 'tester';
  const isViewer = user.id === viewerId;
  return (
    <li class="member">
      <Avatar name={user.name} />
      <span class="grow">
        <span class="line-1">
          <bdi class="strong cut">{user.name}</bdi> {isViewer && <Badge>{t.you}</Badge>}
        </span>
        <Facts facts={props.facts?.get(user.id)} now={frame.now} />
      </span>
      {permissions.administers ? (
        <span class="member-forms">
          <PostForm frame={frame} action={`${teamMemberPath(project.name, user.id)}/save`}>
            <label class="unseen" for={`team-${user.id}`}>
              {t.teamOf({ name: user.name })}
            </label>
            <TeamSelect id={`team-${user.id}`} chosen={team} />
            <button class="button" type="submit" aria-label={t.changeOf({ name: user.name })}>
              {t.change}
            </button>
          </PostForm>
          {!isViewer && <MemberMenu user={user} frame={frame} project={project} />}
        </span>
      ) : (
        <span class="secondary">{formatList(member.teams.map((one) => t.teams[one]))}</span>
      )}
    </li>
  );
}

export function Facts({ facts, now }: { facts: MemberFacts | undefined; now: number }) {
  if (!facts) return null;
  const { email, lastSeenAt } = facts;
  return (
    <span class="line-2">
      <span class="dots">
        {email !== null && <bdi>{email}</bdi>}
        <span>{lastSeenAt === null ? t.neverSeen : t.lastSeen({ time: timeOf(lastSeenAt, now) })}</span>
      </span>
    </span>
  );
}

function MemberMenu({
  user,
  frame,
  project,
}: { user: ProjectMember['user'] } & Pick<ProjectPeopleProps, 'frame' | 'project'>) {
  return (
    <details class="menu">
      <summary class="button button-quiet button-icon" aria-label={t.actionsOf({ name: user.name })}>
        <Glyph name="more" />
      </summary>
      <div class="menu-list">
        <a class="menu-item" href={projectAccessPath(project.name, user.id)}>
          {t.whyAccess}
        </a>
        <Confirm
          frame={frame}
          action={`${teamMemberPath(project.name, user.id)}/remove`}
          ask={t.remove}
          label={t.removeOf({ name: user.name })}
          line={t.removeLine}
          tone="item"
        />
        <a
          class="menu-item menu-danger"
          href={removalPath(project.name, user.id)}
          aria-label={projectTexts.removal.linkOf({ name: user.name })}
        >
          {projectTexts.removal.link}…
        </a>
      </div>
    </details>
  );
}

function TeamSelect({ id, chosen }: { id: string; chosen: Team }) {
  return (
    <select id={id} name="team">
      {teams.map((team) => (
        <option key={team} value={team} selected={team === chosen}>
          {t.teams[team]}
        </option>
      ))}
    </select>
  );
}

function AddForm({ frame, project, permissions, submitted, errors }: ProjectPeopleProps) {
  return (
    <section class="panel panel-pad" aria-labelledby="add">
      <h2 id="add">{t.add}</h2>
      <PostForm frame={frame} class="add-person" action={`${teamsPath(project.name)}/add`}>
        <PeopleListField
          label={t.logins}
          hint={t.loginHint}
          value={submitted.login}
          errors={errors.login ?? []}
        />
        <div class="field">
          <label for="new-team">{t.team}</label>
          <TeamSelect id="new-team" chosen={submitted.team} />
        </div>
        <button class="button" type="submit">
          {t.addButton}
        </button>
        {permissions.manages && (
          <p class="fine">
            <a href={projectInvitationsPath(project.name)}>{t.inviteInstead}</a>
          </p>
        )}
      </PostForm>
    </section>
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
    title: accountTexts.peopleList.resultTitle,
    line: accountTexts.peopleList.resultLine({ done: countAdded(people), total: people.length }),
    children: <AddedPeople people={people} backAddress={teamsPath(project.name)} />,
  });
}
