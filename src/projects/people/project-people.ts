/** Changes the teams of a Project. Each change is one transaction, and never leaves the Project without an owner. */
import {
  type AddPersonResult,
  addOrInvite,
  createPlaceInvitations,
  type InviteDeps,
  type PlaceInvitations,
  type UserActor,
} from '../../accounts/invitations/invite-user.ts';
import { NotFound } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { addMember, lockProject, removeMember, requireProjectManager } from '../../owners/members.ts';
import type { Project, Team } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import {
  findPerson,
  type MembershipChange,
  moveInvitations,
  type PersonReference,
  removePerson,
  withdrawInvitations,
} from '../../owners/removals.ts';

/** Facts about members for the owners of a Project. */
export interface MemberFacts {
  email: string | null;
  /** Last use of a session or an API key; null if never. */
  lastSeenAt: number | null;
}

export interface ProjectPeople extends PlaceInvitations {
  /** See `addOrInvite`. */
  add(by: UserActor, project: Project, login: string, team: Team): Promise<AddPersonResult>;
  /** Moves a member to another team. Throws `NotFound` for others, and `conflict` if nobody else owns the Project. */
  change(by: UserActor, project: Project, person: PersonReference, team: Team): Promise<void>;
  /**
   * Removes a person and their open invitations from the Project. Returns whether anything changed. Throws `conflict` if nobody
   * else owns it. Anyone may remove themselves; owners and administrators may remove everyone.
   */
  remove(by: UserActor, project: Project, person: PersonReference): Promise<boolean>;
  /** Removes a person from one team. They become a tester, unless they leave that team. Open invitations change in the same way. */
  leaveTeam(by: UserActor, project: Project, person: PersonReference, team: Team): Promise<boolean>;
}

export function createProjectPeople(
  deps: InviteDeps & {
    /** Called after the commit, when the outbox may contain events. */
    wakeOutbox: () => void;
  },
): ProjectPeople {
  const { data, now } = deps;
  const woken = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    deps.wakeOutbox();
    return result;
  };
  const move = async (
    tx: Connection,
    change: Omit<MembershipChange, 'at'> & { project: Project },
    leaves: readonly Team[],
    team: Team,
  ): Promise<boolean> => {
    const left = await removeMember(tx, { ...change, at: now(), leaves, moves: true });
    const joined = await addMember(tx, { ...change, at: now(), team, notify: false, moves: true });
    return left || joined;
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
    change: (by, project, reference, team) =>
      woken(
        data.transaction(async (tx) => {
          await lockProject(tx, project);
          await requireProjectManager(tx, by, project);
          const user = await findPerson(tx, reference);
          const before = user && 'id' in user ? await ownerQueries(tx).teamsOf(project.id, user.id) : [];
          if (!user || !('id' in user) || before.length === 0) throw new NotFound();
          await move(
            tx,
            { by, project, user },
            before.filter((one) => one !== team),
            team,
          );
        }),
      ),
    remove: (by, project, person) =>
      woken(
        data.transaction(async (tx) => {
          await lockProject(tx, project);
          const isOwnWish = 'id' in person && person.id === by.user.id;
          if (!isOwnWish) await requireProjectManager(tx, by, project);
          const at = now();
          return removePerson(tx, { by, at, place: placeOf(project), person }, (user) =>
            removeMember(tx, { by, project, user, at }),
          );
        }),
      ),
    leaveTeam: (by, project, person, team) =>
      woken(
        data.transaction(async (tx) => {
          await lockProject(tx, project);
          await requireProjectManager(tx, by, project);
          const whose = await findPerson(tx, person);
          if (!whose) return false;
          const change = { by, at: now(), project };
          const teams = 'id' in whose ? await ownerQueries(tx).teamsOf(project.id, whose.id) : [];
          if (teams.length === 0 && team !== 'tester') {
            const invited = { ...change, projectId: project.id, whose };
            return moveInvitations(tx, { ...invited, from: [team], to: 'tester' });
          }
          if (!('id' in whose))
            return withdrawInvitations(tx, { ...change, place: placeOf(project), teams: [team], whose });
          const isLast = teams.length === 1 && teams[0] === team;
          return isLast && team !== 'tester'
            ? move(tx, { ...change, user: whose }, teams, 'tester')
            : removeMember(tx, {
                ...change,
                user: whose,
                // Clients that know no auditors list them as testers.
                leaves: team === 'tester' ? ['auditor', team] : [team],
              });
        }),
      ),
  };
}

const placeOf = ({ id, name }: Project) => ({ kind: 'project', id, name, ownerId: id }) as const;
