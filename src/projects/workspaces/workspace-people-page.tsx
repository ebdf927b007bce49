import { accountTexts } from '../../accounts/account-texts.ts';
import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import { type AddedPerson, countAdded } from '../../accounts/invitations/people-list.ts';
import { AddedPeople, PeopleListField } from '../../accounts/invitations/people-list-field.tsx';
import {
  type Workspace,
  type WorkspacePerson,
  type WorkspaceRole,
  workspaceRoles,
} from '../../owners/owner.ts';
import { workspaceAccessPath, workspacePeoplePath, workspacePersonPath } from '../../owners/owner-paths.ts';
import { Avatar } from '../../web/components/avatar.tsx';
import { Badge } from '../../web/components/callout.tsx';
import { Confirm, PostForm } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import { Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { NamePageResult } from '../lists/project-list.ts';
import type { MemberFacts } from '../people/project-people.ts';
import { Facts, PeopleSearch } from '../people/project-people-page.tsx';
import { projectTexts } from '../project-texts.ts';
import { renderWorkspaceArea } from './workspace-area.tsx';

export interface WorkspacePeopleProps {
  frame: PageFrame;
  workspace: Workspace;
  viewerId: string;
  found: NamePageResult<WorkspacePerson>;
  /** By id. */
  facts: ReadonlyMap<string, MemberFacts>;
  /** People who were invited to the Workspace and have not responded. */
  pending: readonly NamedInvitation[];
  done: string | null;
  /** The refused input. */
  submitted: { login: string; role: WorkspaceRole };
  errors: { login?: readonly string[] };
  /** Why a change in the list was refused. */
  refused: string | null;
}

const t = projectTexts.workspacePeople;
const people = projectTexts.people;

export function renderWorkspacePeople(props: WorkspacePeopleProps): string {
  const { frame, workspace, found, refused } = props;
  const { query, paging } = found;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'people',
    title: people.title,
    line: t.line,
    done: props.done,
    children: (
      <>
        {refused !== null && (
          <p class="callout callout-danger" role="alert">
            {refused}
          </p>
        )}
        <section aria-label={people.title}>
          {(query !== '' || paging.older !== null || paging.newer !== null) && (
            <PeopleSearch address={workspacePeoplePath(workspace.name)} query={query} />
          )}
          <ul class="link-list members">
            {found.items.map((person) => (
              <Person key={person.id} person={person} {...props} />
            ))}
          </ul>
          <Paging links={paging} label={people.pages} byName />
        </section>
        <PendingInvitations
          frame={frame}
          invitations={props.pending}
          address={`${workspacePeoplePath(workspace.name)}/invitations`}
        />
        <AddForm {...props} />
      </>
    ),
  });
}

function Person({ person, ...props }: { person: WorkspacePerson } & WorkspacePeopleProps) {
  const { frame, workspace, viewerId } = props;
  const { id, name, role } = person;
  return (
    <li class="member">
      <Avatar name={name} />
      <span class="grow">
        <span class="line-1">
          <bdi class="strong cut">{name}</bdi> {id === viewerId && <Badge>{people.you}</Badge>}
        </span>
        <Facts facts={props.facts.get(id)} now={frame.now} />
      </span>
      <span class="member-forms">
        {role === 'guest' ? (
          <span class="secondary">{t.roles.guest}</span>
        ) : (
          <PostForm frame={frame} action={`${workspacePersonPath(workspace.name, id)}/save`}>
            <label class="unseen" for={`role-${id}`}>
              {t.roleOf({ name })}
            </label>
            <RoleSelect id={`role-${id}`} chosen={role} />
            <button class="button" type="submit" aria-label={t.changeOf({ name })}>
              {people.change}
            </button>
          </PostForm>
        )}
        {id !== viewerId && <PersonMenu person={person} frame={frame} workspace={workspace} />}
      </span>
    </li>
  );
}

function PersonMenu({
  person: { id, name, role },
  frame,
  workspace,
}: { person: WorkspacePerson } & Pick<WorkspacePeopleProps, 'frame' | 'workspace'>) {
  return (
    <details class="menu">
      <summary class="button button-quiet button-icon" aria-label={people.actionsOf({ name })}>
        <Glyph name="more" />
      </summary>
      <div class="menu-list">
        <a class="menu-item" href={workspaceAccessPath(workspace.name, id)}>
          {people.whyAccess}
        </a>
        {role !== 'guest' && (
          <Confirm
            frame={frame}
            action={`${workspacePersonPath(workspace.name, id)}/remove`}
            ask={people.remove}
            label={t.removeOf({ name })}
            line={t.removeLine}
            tone="item"
          />
        )}
      </div>
    </details>
  );
}

function RoleSelect({ id, chosen }: { id: string; chosen: WorkspaceRole }) {
  return (
    <select id={id} name="role">
      {workspaceRoles.map((role) => (
        <option key={role} value={role} selected={role === chosen}>
          {t.roles[role]}
        </option>
      ))}
    </select>
  );
}

function AddForm({ frame, workspace, submitted, errors }: WorkspacePeopleProps) {
  return (
    <section class="panel panel-pad" aria-labelledby="add">
      <h2 id="add">{people.add}</h2>
      <PostForm frame={frame} class="add-person" action={`${workspacePeoplePath(workspace.name)}/add`}>
        <PeopleListField
          label={people.logins}
          hint={t.loginHint}
          value={submitted.login}
          errors={errors.login ?? []}
        />
        <div class="field">
          <label for="new-role">{t.role}</label>
          <RoleSelect id="new-role" chosen={submitted.role} />
        </div>
        <button class="button" type="submit">
          {people.addButton}
        </button>
      </PostForm>
    </section>
  );
}

/** The result for each entry of a list. */
export function renderAddedToWorkspace(props: {
  frame: PageFrame;
  workspace: Workspace;
  people: readonly AddedPerson[];
}): string {
  const { frame, workspace, people: added } = props;
  return renderWorkspaceArea({
    frame,
    workspace,
    settings: 'people',
    title: accountTexts.peopleList.resultTitle,
    line: accountTexts.peopleList.resultLine({ done: countAdded(added), total: added.length }),
    children: <AddedPeople people={added} backAddress={workspacePeoplePath(workspace.name)} />,
  });
}
