import type { PersonalInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import { maxNameLength, type Project, type ProjectMember, type Team, teams } from '../../owners/owner.ts';
import { projectInvitationsPath, teamMemberPath, teamsPath } from '../../owners/owner-addresses.ts';
import { renderOwnerArea } from '../../owners/owner-area.tsx';
import type { OwnerPermissions } from '../../owners/owner-permissions.ts';
import { Badge } from '../../web/components/callout.tsx';
import { FormHead } from '../../web/components/form-field.tsx';
import { type PageLinks, Paging } from '../../web/components/paging.tsx';
import { TextField } from '../../web/components/text-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { projectTexts } from '../project-texts.ts';
import { maxLoginLength } from './project-people.ts';

export interface ProjectPeopleProps {
  frame: PageFrame;
  project: Project;
  permissions: OwnerPermissions;
  /** The viewer's id: they get a "leave" button instead of "remove". */
  viewerId: string;
  /** The members on this page of the list. */
  members: readonly ProjectMember[];
  /** The total number of members, or of search results. */
  count: number;
  /** The search text; empty without a search. */
  query: string;
  paging: PageLinks;
  /** Invited people who have not responded; shown to viewers who may cancel. */
  pending: readonly PersonalInvitation[];
  /** Whether the viewer is a member of the Project. */
  isMember: boolean;
  done: string | null;
  /** The refused input. */
  typed: { login: string; team: Team };
  faults: { login?: readonly string[] };
  /** Why a change in the list was refused. */
  refused: string | null;
}

const words = projectTexts.people;

export function renderProjectPeople(props: ProjectPeopleProps): string {
  const { frame, project, permissions, members, refused } = props;
  return renderOwnerArea({
    frame,
    owner: project,
    permissions,
    part: 'people',
    title: words.title,
    line: words.line,
    done: props.done,
    children: (
      <>
        {refused !== null && (
          <p class="callout callout-danger" role="alert">
            {refused}
          </p>
        )}
        <div class="columns">
          <section aria-labelledby="members">
            <div class="section-head">
              <h2 id="members">{words.count(props.count)}</h2>
              {permissions.administers && (
                <a class="to-form fine" href="#login">
                  {words.add}
                </a>
              )}
              {(props.query !== '' || props.paging.older !== null || props.paging.newer !== null) && (
                <PeopleSearch {...props} />
              )}
            </div>
            <ul class="link-list">
              {members.map((member) => (
                <Member key={member.user.id} member={member} {...props} />
              ))}
            </ul>
            <Paging links={props.paging} label={words.pages} byName />
            <PendingInvitations
              frame={frame}
              invitations={props.pending}
              address={`${teamsPath(project.name)}/invitations`}
            />
          </section>
          <div class="aside">
            {permissions.administers && <AddForm {...props} />}
            {props.isMember && (
              <section aria-labelledby="leave">
                <h2 id="leave">{words.leaveTitle}</h2>
                <form class="leave" method="post" action={`${teamsPath(project.name)}/leave`}>
                  <FormHead frame={frame} />
                  <p class="hint">{words.leaveLine}</p>
                  <button class="button button-small button-danger" type="submit">
                    {words.leave}
                  </button>
                </form>
              </section>
            )}
          </div>
        </div>
      </>
    ),
  });
}

function PeopleSearch({ project, query }: ProjectPeopleProps) {
  return (
    <search>
      <form class="search" method="get" action={teamsPath(project.name)}>
        <label class="unseen" for="search-people">
          {words.search}
        </label>
        <input
          id="search-people"
          type="search"
          name="q"
          value={query}
          placeholder={words.search}
          maxLength={maxNameLength}
        />
        <button class="button button-plain button-small" type="submit">
          {words.searchButton}
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
  const address = teamMemberPath(project.name, user.id);
  return (
    <li class="member">
      <span>
        <bdi>{user.name}</bdi> {isViewer && <Badge>{words.you}</Badge>}
      </span>
      {permissions.administers ? (
        <span class="member-forms">
          <form method="post" action={`${address}/save`}>
            <FormHead frame={frame} />
            <label class="unseen" for={`team-${user.id}`}>
              {words.teamOf(user.name)}
            </label>
            <TeamSelect id={`team-${user.id}`} chosen={team} />
            <button class="button button-small" type="submit" aria-label={words.changeOf(user.name)}>
              {words.change}
            </button>
          </form>
          {!isViewer && (
            <form method="post" action={`${address}/remove`}>
              <FormHead frame={frame} />
              <button class="quiet" type="submit" aria-label={words.removeOf(user.name)}>
                {words.remove}
              </button>
            </form>
          )}
        </span>
      ) : (
        <span class="secondary">{member.teams.map((one) => words.teams[one]).join(', ')}</span>
      )}
    </li>
  );
}

function TeamSelect({ id, chosen }: { id: string; chosen: Team }) {
  return (
    <select id={id} name="team">
      {teams.map((team) => (
        <option key={team} value={team} selected={team === chosen}>
          {words.teams[team]}
        </option>
      ))}
    </select>
  );
}

function AddForm({ frame, project, permissions, typed, faults }: ProjectPeopleProps) {
  return (
    <section aria-labelledby="add">
      <h2 id="add">{words.add}</h2>
      <form class="add-person" method="post" action={`${teamsPath(project.name)}/add`}>
        <FormHead frame={frame} />
        <TextField
          id="login"
          label={words.login}
          hint={words.loginHint}
          value={typed.login}
          faults={faults.login}
          maxLength={maxLoginLength}
          required
        />
        <div class="field">
          <label for="new-team">{words.team}</label>
          <TeamSelect id="new-team" chosen={typed.team} />
        </div>
        <button class="button button-small" type="submit">
          {words.addButton}
        </button>
        {permissions.manages && (
          <p class="fine">
            <a href={projectInvitationsPath(project.name)}>{words.inviteInstead}</a>
          </p>
        )}
      </form>
    </section>
  );
}
