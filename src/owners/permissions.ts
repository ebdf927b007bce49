/** Pure decisions about who may do what with an Owner. The table of DESIGN section 5, row "who may upload". */
import { type Actor, reachesInto, reachesOwner } from './actor.ts';
import type { Owner, Team } from './owner.ts';

export const uploadingTeams: readonly Team[] = ['owner', 'developer'];

/**
 * May `actor` upload to `owner`? `actorTeams` are the teams of the Project `owner` in which the actor's User is.
 * Owning the Workspace gives no right; a Project's key does not reach a Workspace Project (rule 4, Authentication 3). A key
 * that is restricted to single Apps may upload those: which one it is, only the package says.
 */
export function canUpload(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (!reachesInto(actor, owner.id)) return false;
  if (owner.kind === 'user') return actor.kind === 'user' && actor.user.id === owner.id;
  if (actor.kind === 'project') return actor.project.id === owner.id && owner.workspace === null;
  return uploadingTeams.some((team) => actorTeams.includes(team));
}

/**
 * May `actor` see all apps of `owner` and download their builds? Every team may, testers too; a key that is restricted to
 * single Apps may not.
 */
export function canView(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (!reachesOwner(actor, owner.id)) return false;
  if (owner.kind === 'user') return actor.kind === 'user' && actor.user.id === owner.id;
  if (actor.kind === 'project') return actor.project.id === owner.id;
  return actorTeams.length > 0;
}

/** May `actor` give out keys of the Project `owner`, and say who is in its teams? Its owner team may. */
export function canManage(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  return actor.kind === 'user' && owner.kind === 'project' && actorTeams.includes('owner');
}

/**
 * May `actor` look after `owner` as a whole: read its audit log, see what it stores, delete it? A person their own
 * account, the owner team its Project, administrators everything. It gives nobody sight of apps.
 */
export function canOversee(actor: Actor, owner: Owner, actorTeams: readonly Team[]): boolean {
  if (actor.kind !== 'user') return false;
  if (actor.user.administrator) return true;
  return owner.kind === 'user' ? actor.user.id === owner.id : canManage(actor, owner, actorTeams);
}
