/** Removes a person from a Workspace: from all of its Projects and from its owners, in one transaction. */
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import type { Data } from '../db/data.ts';
import {
  lockProject,
  lockWorkspace,
  removeMember,
  removeWorkspaceOwner,
  requireWorkspaceManager,
} from '../owners/members.ts';
import type { Workspace } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { WorkspacePerson } from '../owners/workspace-queries.ts';

/** Throws `conflict`, and changes nothing, if the person is the last owner of one of them. */
export type RemoveFromWorkspace = (
  by: UserActor,
  workspace: Workspace,
  person: WorkspacePerson,
) => Promise<void>;

export function createRemoveFromWorkspace(deps: { data: Data; now: () => number }): RemoveFromWorkspace {
  return (by, workspace, person) =>
    deps.data.transaction(async (tx) => {
      await lockWorkspace(tx, workspace);
      await requireWorkspaceManager(tx, by, workspace);
      const leaving = { by, user: person, at: deps.now() };
      const projects = await ownerQueries(tx).listProjectsOfUser(person.id);
      for (const project of projects.sort((one, other) => (one.id < other.id ? -1 : 1))) {
        if (project.workspace?.id !== workspace.id) continue;
        await lockProject(tx, project);
        await removeMember(tx, { ...leaving, project });
      }
      await removeWorkspaceOwner(tx, { ...leaving, workspace });
    });
}
