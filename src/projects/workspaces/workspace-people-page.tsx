import type { NamedInvitation } from '../../accounts/invitations/invitation.ts';
import { PendingInvitations } from '../../accounts/invitations/own-invitations-page.tsx';
import type { AddedPerson } from '../../accounts/invitations/people-list.ts';
import { addedPeopleContent } from '../../accounts/invitations/people-list-field.tsx';
import {
  type Workspace,
  type WorkspacePerson,
  type WorkspaceRole,
  workspaceRoles,
} from '../../owners/owner.ts';
import { workspaceAccessPath, workspacePeoplePath } from '../../owners/owner-paths.ts';
import { Refusal } from '../../web/components/callout.tsx';
import { Paging } from '../../web/components/paging.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { NamePageResult } from '../lists/project-list.ts';
import {
  AddPeopleForm,
  type AddPeopleProps,
  type PeopleList,
  PeopleSearch,
  PersonMenu,
  PersonRow,
  RemovePerson,
  RoleForm,
} from '../people/people-list.tsx';
import type { MemberFacts } from '../people/project-people.ts';
import { projectTexts } from '../project-texts.ts';
import { renderWorkspaceArea } from './workspace-area.tsx';

export interface WorkspacePeopleProps extends AddPeopleProps<WorkspaceRole> {
  frame: PageFrame;
  workspace: Workspace;
  viewerId: string;
  found: NamePageResult<WorkspacePerson>;
  /** By id. */
  facts: ReadonlyMap<string, MemberFacts>;
  /** People who were invited to the Workspace and have not responded. */
  pending: readonly NamedInvitation[];
  done: string | null;
  /** Why a change in the list was refused. */
  refused: string | null;
}

const t = projectTexts.workspacePeople;
const people = projectTexts.people;

export function renderWorkspacePeople(props: WorkspacePeopleProps): string {
  const { frame, workspace, viewerId, found } = props;
  const address = workspacePeoplePath(workspace.name);
  const list = {
    frame,
    viewerId,
    address,
    field: 'role',
    roles: workspaceRoles,
    names: t.roles,
    texts: t,
  } as const;
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
        <Refusal sentence={props.refused} />
        <section aria-label={people.title}>
          {(query !== '' || paging.older !== null || paging.newer !== null) && (
            <PeopleSearch address={address} query={query} />
          )}
          <ul class="link-list members">
            {found.items.map((person) => (
              <Person key={person.id} person={person} list={list} {...props} />
            ))}
          </ul>
          <Paging links={paging} label={people.pages} byName />
        </section>
        <PendingInvitations frame={frame} invitations={props.pending} address={`${address}/invitations`} />
        <AddPeopleForm list={list} submitted={props.submitted} errors={props.errors} />
      </>
    ),
  });
}

function Person({
  person,
  list,
  ...props
}: { person: WorkspacePerson; list: PeopleList<WorkspaceRole> } & WorkspacePeopleProps) {
  const { id, name, role } = person;
  return (
    <PersonRow list={list} person={person} facts={props.facts.get(id)}>
      <span class="member-forms">
        {role === 'guest' ? (
          <span class="secondary">{t.roles.guest}</span>
        ) : (
          <RoleForm list={list} person={person} chosen={role} />
        )}
        {id !== list.viewerId && (
          <PersonMenu name={name} accessAddress={workspaceAccessPath(props.workspace.name, id)}>
            {role !== 'guest' && <RemovePerson list={list} person={person} />}
          </PersonMenu>
        )}
      </span>
    </PersonRow>
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
    ...addedPeopleContent(added, workspacePeoplePath(workspace.name)),
  });
}
