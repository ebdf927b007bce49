/** Decides which owner, app or build a request can see. A hidden object is indistinguishable from a missing one. */
import type { Data } from '../db/data.ts';
import { type Actor, coversApp } from '../owners/actor.ts';
import { appTesterQueries } from '../owners/app-tester-queries.ts';
import type { Owner } from '../owners/owner.ts';
import { loadPermissions, type OwnerPermissions } from '../owners/owner-permissions.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { App } from './app.ts';

export interface VisibleOwner {
  owner: Owner;
  permissions: OwnerPermissions;
}

export interface ViewAccess {
  owner(actor: Actor, name: string): Promise<VisibleOwner | null>;
  /** Access to the owner includes access to all its apps. A User can also share a single app. */
  app(actor: Actor, app: App): Promise<boolean>;
  /** Permission to upload includes managing pages and access. */
  manages(actor: Actor, app: App): Promise<boolean>;
}

export function createViewAccess(data: Data): ViewAccess {
  const visible = async (actor: Actor, owner: Owner | null): Promise<VisibleOwner | null> => {
    if (!owner) return null;
    const permissions = await loadPermissions(data, actor, owner);
    return permissions.views ? { owner, permissions } : null;
  };
  /** Returns the actor's access to the owner of the app, if their API key covers the app. */
  const ownerOf = async ({ restriction: _, ...actor }: Actor, app: App) =>
    visible(actor, await ownerQueries(data).findOwnerById(app.owner.id));
  /** Ignores the gate of the actor, about which `ownerOf` says more. */
  const reaches = ({ gate: _, ...actor }: Actor, { owner, platform, packageName }: App) =>
    coversApp(actor, { ownerId: owner.id, platform, packageName });
  return {
    owner: async (actor, name) => visible(actor, await ownerQueries(data).findOwner(name)),
    app: async (actor, app) => {
      if (!reaches(actor, app)) return false;
      if (await ownerOf(actor, app)) return true;
      // In a Project, only the teams decide, even if the table still contains shared access.
      if (app.owner.kind !== 'user' || actor.kind !== 'user') return false;
      return appTesterQueries(data).has(app.id, actor.user.id);
    },
    manages: async (actor, app) => {
      if (!reaches(actor, app)) return false;
      return (await ownerOf(actor, app))?.permissions.uploads ?? false;
    },
  };
}
