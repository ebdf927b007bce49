/** The people of a Workspace: its owners, members and guests, and everyone who was invited. */
import type { NamedInvitation } from '../accounts/invitations/invitation.ts';
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import type { Data } from '../db/data.ts';
import { lockManagedWorkspace, lockProject, removeMember, removeWorkspacePerson } from '../owners/members.ts';
import { emailKey, type Workspace } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { findPerson, withdrawInvitations } from '../owners/removals.ts';
import { teamQueries } from '../owners/team-queries.ts';

/**
 * Removes a person, by name or email address, from all Projects of a Workspace and from the Workspace, and deletes open invitations,
 * in one transaction. Returns whether anything changed. If the person is the last owner of one of them, throws `conflict` and
 * changes nothing.
 */
export type RemoveFromWorkspace = (by: UserActor, workspace: Workspace, login: string) => Promise<boolean>;

export function createRemoveFromWorkspace(deps: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): RemoveFromWorkspace {
  return async (by, workspace, login) => {
    const removed = await deps.data.transaction(async (tx) => {
      await lockManagedWorkspace(tx, by, workspace);
      const whose = await findPerson(tx, { login });
      if (!whose) return false;
      const change = { by, at: deps.now() };
      let ended = false;
      // Ordered by id, so that parallel removals cannot deadlock.
      for (const id of await teamQueries(tx).projectsInWorkspace(workspace.id, whose)) {
        const project = await ownerQueries(tx).findOwnerById(id);
        if (project?.kind !== 'project') continue;
        await lockProject(tx, project);
        const place = { kind: 'project', id, name: project.name, ownerId: id } as const;
        const left =
          'id' in whose
            ? await removeMember(tx, { ...change, project, user: whose })
            : await withdrawInvitations(tx, { ...change, place, teams: null, whose });
        ended ||= left;
      }
      const owned = 'id' in whose && (await removeWorkspacePerson(tx, { ...change, workspace, user: whose }));
      return owned || ended;
    });
    deps.wakeOutbox();
    return removed;
  };
}

/** Returns each person once, without those who are already in the Workspace. */
export function invitedPeople(
  invitations: readonly NamedInvitation[],
  present: readonly { id: string }[],
): NamedInvitation[] {
  const people = new Map<string, NamedInvitation>();
  for (const invitation of invitations) {
    const key = invitation.user ? invitation.user.id : emailKey(invitation.email);
    if (!present.some(({ id }) => id === key)) people.set(key, invitation);
  }
  return [...people.values()];
}
