/** Determines permissions for an Owner. */
import { type Actor, coversOwner, coversPartOf } from './actor.ts';
import type { Owner, Team } from './owner.ts';

/**
 * Returns the teams whose permissions apply to the request. Auditors see what owners and developers see, and change nothing: in a
 * request that only reads they count as owners, and in every other one as people who may install builds.
 */
export const teamsInRequest = ({ reading }: Actor, actorTeams: readonly Team[]): readonly Team[] =>
  reading && actorTeams.includes('auditor') ? ['owner', ...actorTeams] : actorTeams;

export const uploadingTeams: readonly Team[] = ['owner', 'developer'];

/**
 * Whether `actor` may upload to `owner`. `actorTeams`: the Project teams of the actor's User. Owning a Workspace does not include
 * permission to upload, and a Project's own key can't upload to a Project in a Workspace. A key restricted to single Apps may
 * upload these, which are only known after reading the package.
 */
export function canUpload(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (!coversPartOf(actor, owner.id)) return false;
  if (owner.kind === 'user') return actor.kind === 'user' && actor.user.id === owner.id;
  if (actor.kind === 'project') return actor.project.id === owner.id && owner.workspace === null;
  return uploadingTeams.some((team) => actorTeams.includes(team));
}

/**
 * Whether `actor` may see all apps of `owner` and download their builds, which every team may, testers and auditors included. A key
 * restricted to single Apps may not.
 */
export function canView(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (!coversOwner(actor, owner.id)) return false;
  if (owner.kind === 'user') return actor.kind === 'user' && actor.user.id === owner.id;
  if (actor.kind === 'project') return actor.project.id === owner.id;
  return actorTeams.length > 0;
}

/** Whether `actor` may manage the keys and teams of the Project `owner`, which its owner team may. */
export function canManage(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (!coversOwner(actor, owner.id)) return false;
  return actor.kind === 'user' && owner.kind === 'project' && actorTeams.includes('owner');
}

/**
 * Whether `actor` may manage `owner` as a whole: read its audit log, see its storage, delete it. Users may for their own account,
 * the owner team for its Project, and administrators for everyone. This does not include seeing apps.
 */
export function canAdminister(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (actor.kind !== 'user' || !coversOwner(actor, owner.id)) return false;
  if (actor.user.administrator) return true;
  return owner.kind === 'user' ? actor.user.id === owner.id : canManage(actor, owner, actorTeams);
}
