/** Which Owner, App or Build a request may see. What may not be seen is as missing as what is not there. */
import type { Data } from '../data.ts';
import type { Actor } from '../owners/actor.ts';
import type { Owner, Team } from '../owners/owner.ts';
import { canView } from '../owners/permissions.ts';
import type { App } from './app.ts';

export interface VisibleOwner {
  owner: Owner;
  /** Teams of the Project in which the caller is. */
  teams: Team[];
}

export interface ViewAccess {
  owner(actor: Actor, name: string): Promise<VisibleOwner | null>;
  app(actor: Actor, app: App): Promise<boolean>;
}

export function createViewAccess(data: Data): ViewAccess {
  const visible = async (actor: Actor, owner: Owner | null): Promise<VisibleOwner | null> => {
    if (!owner) return null;
    const teams =
      owner.kind === 'project' && actor.kind === 'user'
        ? await data.owners.teamsOf(owner.id, actor.user.id)
        : [];
    return canView(actor, owner, teams) ? { owner, teams } : null;
  };
  return {
    owner: async (actor, name) => visible(actor, await data.owners.findOwner(name)),
    app: async (actor, app) => (await visible(actor, await data.owners.findOwnerById(app.owner.id))) !== null,
  };
}
