/** Access rules of managed Apps: the App in the path, for people who manage it; everyone else receives `NotFound`. */
import type { Caller, Person } from '../accounts/sign-in/identify-http.ts';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import { NotFound, unauthenticated } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Access } from '../http/routes/route.ts';
import type { Actor } from '../owners/actor.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { App } from './app.ts';
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
  managedApp: Access<PlatformAppAddress, Person, App>;
  /** For pages without forms, which API keys can open too. */
  managedAppReport: Access<PlatformAppAddress, Caller, App>;
  /** For the API, which accepts no sessions. */
  managedAppByKey: Access<PlatformAppAddress, Caller, App>;
  managedBuild: Access<PlatformAppAddress & { revision: number }, Person, BuildChange>;
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
  return {
    managedApp,
    managedAppReport: {
      ...managedApp,
      credentials: ['session', 'key'],
      identify: access.caller,
      authorize: ({ actor }, address) => findManagedApp(deps, actor, address),
    },
    managedAppByKey: {
      ...managedApp,
      credentials: ['key'],
      identify: async (request) => {
        const caller = await access.caller(request);
        if (caller.sessionToken !== null) throw unauthenticated();
        return caller;
      },
      authorize: ({ actor }, address) => findManagedApp(deps, actor, address),
    },
    managedBuild: {
      ...managedApp,
      authorize: async ({ actor }, { revision, ...address }) => {
        const app = await findManagedApp(deps, actor, address);
        const build = await buildQueries(data).findBuildByRevision(app.id, revision);
        if (!build) throw new NotFound();
        return { by: actor, app, build };
      },
    },
  };
}

export async function findManagedApp(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  actor: Actor,
  address: PlatformAppAddress,
): Promise<App> {
  const platform = address.platform.toLowerCase();
  const known = platform === 'android' || platform === 'ios' ? platform : null;
  const owner = known && (await ownerQueries(data).findOwner(address.owner));
  const app = owner && (await appQueries(data).findApp(owner.id, known, address.package));
  if (!app || !(await viewAccess.manages(actor, app))) throw new NotFound();
  return app;
}
