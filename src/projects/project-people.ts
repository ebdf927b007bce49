/** Who is in which team of a Project: each change one transaction, which never leaves the Project without an owner. */
import type { Data, DataQueries } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Actor } from '../owners/actor.ts';
import type { Project, Team } from '../owners/owner.ts';

/** Of a user's name or e-mail address. */
export const maxLoginLength = 254;

export type PersonAdded = 'added' | 'already' | 'unknown';
export type PersonChanged = 'changed' | 'unchanged' | 'last-owner' | 'unknown';

export interface ProjectPeople {
  /** `login`: the name or e-mail address of somebody who is there. */
  add(by: Actor, project: Project, login: string, team: Team): Promise<PersonAdded>;
  /** Puts somebody who is in the Project into this team and out of the others; null: out of all of them. */
  change(by: Actor, project: Project, userId: string, team: Team | null): Promise<PersonChanged>;
}

export function createProjectPeople(parts: { data: Data; now: () => number }): ProjectPeople {
  const { data, now } = parts;
  return {
    add: async (by, project, login, team) => {
      const known =
        login === '' || login.length > maxLoginLength ? null : await data.owners.findUserForSignIn(login);
      if (!known) return 'unknown';
      const { user } = known;
      return data.transaction(async (inside) => {
        await hold(inside, project);
        if (!(await inside.teams.holdUser(user.id))) return 'unknown';
        if ((await inside.owners.teamsOf(project.id, user.id)).length > 0) return 'already';
        await join(inside, by, project, { id: user.id, name: user.name, team }, now());
        return 'added';
      });
    },
    change: (by, project, userId, team) =>
      data.transaction(async (inside) => {
        await hold(inside, project);
        const person = await inside.owners.findOwnerById(userId);
        const before = await inside.owners.teamsOf(project.id, userId);
        if (!person || before.length === 0) return 'unknown';
        if (team !== null && before.length === 1 && before[0] === team) return 'unchanged';
        const stopsOwning = before.includes('owner') && team !== 'owner';
        if (stopsOwning && !(await inside.teams.hasOtherOwner(project.id, userId))) return 'last-owner';
        await inside.teams.removeMember(project.id, userId);
        for (const left of before) {
          if (left !== team)
            await record(inside, by, project, 'team.left', `${person.name} ${left} team`, now());
        }
        if (team === null) return 'changed';
        if (before.includes(team)) await inside.owners.addTeamMember(project.id, team, userId, now());
        else await join(inside, by, project, { id: userId, name: person.name, team }, now());
        return 'changed';
      }),
  };
}

async function hold(data: DataQueries, project: Project): Promise<void> {
  if (!(await data.quotas.hold(project.id))) throw new NotFound();
}

async function join(
  data: DataQueries,
  by: Actor,
  project: Project,
  person: { id: string; name: string; team: Team },
  now: number,
): Promise<void> {
  await data.owners.addTeamMember(project.id, person.team, person.id, now);
  await record(data, by, project, 'team.joined', `${person.name} ${person.team} team`, now);
}

async function record(
  data: DataQueries,
  actor: Actor,
  project: Project,
  action: 'team.joined' | 'team.left',
  subject: string,
  at: number,
): Promise<void> {
  await data.audit.record({ at, actor, action, ownerId: project.id, subject });
}
