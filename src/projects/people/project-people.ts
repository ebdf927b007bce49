/** Changes the teams of a Project. Each change is one transaction and never leaves the Project without an owner. */
import {
  type AddPersonResult,
  addOrInvite,
  createPlaceInvitations,
  type PlaceInvitations,
  type UserActor,
} from '../../accounts/invitations/invite-user.ts';
import type { Data } from '../../db/data.ts';
import { addMember, lockProject, removeMember, requireProjectManager } from '../../owners/members.ts';
import type { Project, Team } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';

export type ChangePersonResult = 'changed' | 'unchanged' | 'unknown';

export interface ProjectPeople extends PlaceInvitations {
  /** See `addOrInvite`. */
  add(by: UserActor, project: Project, login: string, team: Team): Promise<AddPersonResult>;
  /**
   * Moves a member to another team, or removes them if `team` is null. Throws `conflict` if nobody else owns the
   * Project. Anyone may remove themselves; the rest is for its owners and administrators.
   */
  change(by: UserActor, project: Project, userId: string, team: Team | null): Promise<ChangePersonResult>;
}

export function createProjectPeople(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox may contain events. */
  wakeOutbox: () => void;
}): ProjectPeople {
  const { data, now } = deps;
  const woken = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    deps.wakeOutbox();
    return result;
  };
  return {
    ...createPlaceInvitations(deps, 'project'),
    add: (by, project, login, team) =>
      woken(
        addOrInvite(deps, by, login, {
          place: { kind: 'project', id: project.id, name: project.name, team },
          workspaceId: project.workspace?.id ?? null,
          lock: async (tx) => {
            await lockProject(tx, project);
            await requireProjectManager(tx, by, project);
          },
          isMember: async (tx, userId) => (await ownerQueries(tx).teamsOf(project.id, userId)).length > 0,
          add: (tx, change) => addMember(tx, { ...change, project, team }),
        }),
      ),
    change: (by, project, userId, team) =>
      woken(
        data.transaction(async (tx) => {
          await lockProject(tx, project);
          if (team !== null || userId !== by.user.id) await requireProjectManager(tx, by, project);
          const person = await ownerQueries(tx).findOwnerById(userId);
          const before = await ownerQueries(tx).teamsOf(project.id, userId);
          if (person?.kind !== 'user' || before.length === 0) return 'unknown';
          const membership = { by, project, user: person };
          const leaves = before.filter((one) => one !== team);
          const left = await removeMember(tx, { ...membership, leaves, moves: team !== null, at: now() });
          const joined =
            team !== null &&
            (await addMember(tx, { ...membership, team, at: now(), notify: false, moves: true }));
          return joined || left.length > 0 ? 'changed' : 'unchanged';
        }),
      ),
  };
}
