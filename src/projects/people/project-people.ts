/** Changes the teams of a Project. Each change is one transaction and never leaves the Project without an owner. */
import { maxOpenInvitations, type PersonalInvitation } from '../../accounts/invitations/invitation.ts';
import { invitationQueries } from '../../accounts/invitations/invitation-queries.ts';
import { cancelInvitation, inviteUser } from '../../accounts/invitations/invite-user.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import {
  addMember,
  isAdministrator,
  lockProject,
  removeMember,
  requireProjectManager,
} from '../../owners/members.ts';
import type { Project, Team } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';

/** Of a user name or email address. */
export const maxLoginLength = 254;

/** `pending`: they were already invited and have not responded. */
export type AddPersonResult = 'added' | 'invited' | 'pending' | 'already' | 'unknown';
export type ChangePersonResult = 'changed' | 'unchanged' | 'unknown';

type By = Extract<Actor, { kind: 'user' }>;

export interface ProjectPeople {
  /**
   * `login`: the name or email address of someone with an account. They are invited and join when they accept, or at once when
   * an administrator adds them or they are already in the Project's Workspace.
   */
  add(by: By, project: Project, login: string, team: Team): Promise<AddPersonResult>;
  /** People who were invited and have not responded. */
  pending(project: Project): Promise<PersonalInvitation[]>;
  /** Throws `NotFound`. */
  cancel(by: By, project: Project, invitationId: string): Promise<void>;
  /**
   * Moves a member to another team, or removes them if `team` is null. Throws `conflict` if nobody else owns the
   * Project. Anyone may remove themselves; the rest is for its owners and administrators.
   */
  change(by: By, project: Project, userId: string, team: Team | null): Promise<ChangePersonResult>;
}

export function createProjectPeople(deps: { data: Data; now: () => number }): ProjectPeople {
  const { data, now } = deps;
  return {
    add: async (by, project, login, team) => {
      const known =
        login === '' || login.length > maxLoginLength
          ? null
          : await ownerQueries(data).findUserForSignIn(login);
      if (!known) return 'unknown';
      const { user } = known;
      return data.transaction(async (tx) => {
        await lockProject(tx, project);
        await requireProjectManager(tx, by, project);
        if (!(await teamQueries(tx).lockUser(user.id))) return 'unknown';
        if ((await ownerQueries(tx).teamsOf(project.id, user.id)).length > 0) return 'already';
        const { workspace } = project;
        const atOnce =
          (await isAdministrator(tx, by)) ||
          (workspace !== null && (await workspaceQueries(tx).hasMember(workspace.id, user.id)));
        if (atOnce) {
          await addMember(tx, { by, project, user, team, at: now(), notify: true });
          return 'added';
        }
        const place = { kind: 'project', id: project.id, name: project.name, team } as const;
        return (await inviteUser(tx, { by: by.user, user, place, at: now() })) ? 'invited' : 'pending';
      });
    },
    pending: (project) =>
      invitationQueries(data).listOfPlace({ kind: 'project', id: project.id }, now(), maxOpenInvitations),
    cancel: (by, project, invitationId) =>
      cancelInvitation(deps, by.user, { kind: 'project', id: project.id }, invitationId),
    change: (by, project, userId, team) =>
      data.transaction(async (tx) => {
        await lockProject(tx, project);
        if (team !== null || userId !== by.user.id) await requireProjectManager(tx, by, project);
        const person = await ownerQueries(tx).findOwnerById(userId);
        const before = await ownerQueries(tx).teamsOf(project.id, userId);
        if (person?.kind !== 'user' || before.length === 0) return 'unknown';
        const membership = { by, project, user: person };
        const leaves = before.filter((one) => one !== team);
        const left = await removeMember(tx, { ...membership, leaves, at: now() });
        const joined =
          team !== null && (await addMember(tx, { ...membership, team, at: now(), notify: false }));
        return joined || left.length > 0 ? 'changed' : 'unchanged';
      }),
  };
}
