/** Access rules of managed Apps: the App in the path, for people who manage it; everyone else gets `NotFound`. */
import type { Caller } from '../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Access } from '../http/routes/route-facts.ts';
import type { Actor } from '../owners/actor.ts';
import { admits, loadPermissions } from '../owners/owner-permissions.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { App, Build } from './app.ts';
import { appQueries } from './app-queries.ts';
import type { BuildChange } from './builds/build-changes.ts';
import { buildQueries } from './builds/build-queries.ts';
import type { ViewAccess } from './view-access.ts';

export interface PlatformAppAddress {
  owner: string;
  platform: string;
  package: string;
}

export interface ManagedAppAccess {
  managedApp: PersonRule<PlatformAppAddress, App, Caller>;
  /** For the owner team of the Project, or the User. */
  administeredApp: PersonRule<PlatformAppAddress, App, Caller>;
  /** For pages without forms, which API keys can also open. */
  managedAppReport: Access<PlatformAppAddress, Caller, App>;
  /** For the API: everyone with access to the App. */
  readableApp: PersonRule<PlatformAppAddress, App, Caller>;
  readableBuild: PersonRule<PlatformAppAddress & { revision: number }, { app: App; build: Build }, Caller>;
  managedBuild: PersonRule<PlatformAppAddress & { revision: number }, BuildChange, Caller>;
}

export function createManagedAppAccess(deps: {
  data: Data;
  viewAccess: ViewAccess;
  access: RouteAccess;
}): ManagedAppAccess {
  const { data, access } = deps;
  const managedApp: ManagedAppAccess['managedApp'] = {
    roles: ['developer'],
    credentials: ['session'],
    others: 'missing',
    identify: access.person,
    authorize: ({ actor }, address) => findManagedApp(deps, actor, address),
  };
  const readableApp: ManagedAppAccess['readableApp'] = {
    ...managedApp,
    roles: ['tester'],
    authorize: async ({ actor }, address) => {
      const app = await findApp(data, address);
      if (!app || !(await deps.viewAccess.app(actor, app))) throw new NotFound();
      return app;
    },
  };
  const findBuild = async (app: App, revision: number) => {
    const build = await buildQueries(data).findBuildByRevision(app.id, revision);
    if (!build) throw new NotFound();
    return { app, build };
  };
  return {
    managedApp,
    administeredApp: {
      ...managedApp,
      roles: ['owner team'],
      authorize: async ({ actor }, address) => {
        const app = await findManagedApp(deps, actor, address);
        const owner = await ownerQueries(data).findOwnerById(app.owner.id);
        const permissions = owner && (await loadPermissions(data, actor, owner));
        if (!permissions || !admits(actor, permissions, ({ administers, views }) => administers && views))
          throw new NotFound();
        return app;
      },
    },
    readableApp,
    readableBuild: {
      ...readableApp,
      authorize: async (caller, { revision, ...address }, request) =>
        findBuild(await readableApp.authorize(caller, address, request), revision),
    },
    managedAppReport: {
      ...managedApp,
      credentials: ['session', 'key'],
      identify: access.caller,
      authorize: ({ actor }, address) => findManagedApp(deps, actor, address),
    },
    managedBuild: {
      ...managedApp,
      authorize: async ({ actor }, { revision, ...address }) => {
        const app = await findManagedApp(deps, actor, address);
        return { by: actor, ...(await findBuild(app, revision)) };
      },
    },
  };
}

export async function findManagedApp(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  actor: Actor,
  address: PlatformAppAddress,
): Promise<App> {
  const app = await findApp(data, address);
  if (!app || !(await viewAccess.manages(actor, app))) throw new NotFound();
  return app;
}

async function findApp(data: Data, address: PlatformAppAddress): Promise<App | null> {
  const platform = address.platform.toLowerCase();
  const known = platform === 'android' || platform === 'ios' ? platform : null;
  const owner = known && (await ownerQueries(data).findOwner(address.owner));
  return owner && appQueries(data).findApp(owner.id, known, address.package);
}
