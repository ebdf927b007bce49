/** Adds people to Workspaces, changes their roles and removes them. */
import {
  type AddPersonResult,
  addOrInvite,
  createPlaceInvitations,
  type PlaceInvitations,
  type UserActor,
} from '../../accounts/invitations/invite-user.ts';
import { NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import {
  addWorkspacePerson,
  lockManagedWorkspace,
  lockWorkspace,
  removeWorkspacePerson,
} from '../../owners/members.ts';
import { type Workspace, type WorkspaceRole, workspaceRoles } from '../../owners/owner.ts';
import { findPerson, type PersonReference, removePerson } from '../../owners/removals.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';

/** Throw `NotFound` unless `by` owns the Workspace or is an administrator, and `conflict` if nobody else owns it. */
export interface WorkspacePeople extends PlaceInvitations {
  /** See `addOrInvite`. Does not change the role of an owner to member. */
  add(by: UserActor, workspace: Workspace, login: string, role: WorkspaceRole): Promise<AddPersonResult>;
  /** Throws `NotFound` for people who have no role. */
  change(by: UserActor, workspace: Workspace, person: PersonReference, role: WorkspaceRole): Promise<void>;
  /**
   * Ends their roles, or only those in `leaves`, and withdraws their open invitations. Everyone may leave. Returns whether anything
   * changed.
   */
  remove(
    by: UserActor,
    workspace: Workspace,
    person: PersonReference,
    leaves?: readonly WorkspaceRole[],
  ): Promise<boolean>;
}

export function createWorkspacePeople(deps: { data: Data; now: () => number }): WorkspacePeople {
  const { data, now } = deps;
  const rolesOf = (tx: Connection, { id }: Workspace, userId: string) =>
    workspaceQueries(tx).rolesOf(id, userId);
  return {
    ...createPlaceInvitations(deps, 'workspace'),
    add: (by, workspace, login, role) =>
      addOrInvite({ ...deps, canSendMail: false }, by, login, {
        place: { kind: 'workspace', id: workspace.id, name: workspace.name, role },
        workspaceId: workspace.id,
        lock: (tx) => lockManagedWorkspace(tx, by, workspace),
        isMember: async (tx, userId) => {
          const roles = await rolesOf(tx, workspace, userId);
          return role === 'owner' ? roles.includes(role) : roles.length > 0;
        },
        add: (tx, change) => addWorkspacePerson(tx, { ...change, workspace, role }),
      }),
    change: (by, workspace, reference, role) =>
      data.transaction(async (tx) => {
        await lockManagedWorkspace(tx, by, workspace);
        const user = await findPerson(tx, reference);
        if (!user || !('id' in user) || (await rolesOf(tx, workspace, user.id)).length === 0)
          throw new NotFound();
        const change = { by, workspace, user, at: now() };
        await addWorkspacePerson(tx, { ...change, role, notify: false });
        const leaves = workspaceRoles.filter((one) => one !== role);
        await removeWorkspacePerson(tx, { ...change, leaves });
      }),
    remove: (by, workspace, person, leaves) =>
      data.transaction(async (tx) => {
        const isOwnWish = 'id' in person && person.id === by.user.id;
        if (isOwnWish) await lockWorkspace(tx, workspace);
        else await lockManagedWorkspace(tx, by, workspace);
        const at = now();
        const place = { kind: 'workspace', id: workspace.id, name: workspace.name, ownerId: null } as const;
        return removePerson(tx, { by, at, place, person }, (user) =>
          removeWorkspacePerson(tx, { by, workspace, user, at, ...(leaves && { leaves }) }),
        );
      }),
  };
}
