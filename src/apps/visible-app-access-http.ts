/** Finds the apps in the path that the request can see. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Caller, Identify } from '../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Access } from '../http/routes/route-facts.ts';
import { admitsLinks } from '../owners/gate/workspace-refusal.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { App, Build } from './app.ts';
import { appQueries } from './app-queries.ts';
import { buildQueries } from './builds/build-queries.ts';
import type { ViewAccess } from './view-access.ts';

interface AppAddress {
  owner: string;
  package: string;
  platform?: string;
}

export interface VisibleApps {
  /** At least one app, one per visible platform. */
  apps: [App, ...App[]];
  /** The visible apps of the same package name on all platforms. */
  others: readonly App[];
  /** The app secret if it opened the page; null for a key or a session. */
  secret: string | null;
  /** Whether the page shows its forms, which requires a session. */
  manages: boolean;
  /** Whether the viewer can also open the owner page. */
  canViewOwner: boolean;
}

export interface VisibleBuild extends VisibleApps {
  app: App;
  build: Build;
}

export interface VisibleAppAccess {
  visibleApps: Access<AppAddress, Caller | null, VisibleApps>;
  visibleBuild: Access<AppAddress & { revision: number }, Caller | null, VisibleBuild>;
}

/** All path formats of the app page that existing tools and results use. */
export const appAddresses = [
  '/users/:owner/apps/:package',
  '/users/:owner/platforms/:platform/apps/:package',
  '/organizations/:owner/apps/:package',
  '/organizations/:owner/platforms/:platform/apps/:package',
] as const;

/** With `appSecrets`, the app secret in `?key=` grants access to anonymous callers. */
export function createVisibleAppAccess(deps: {
  data: Data;
  viewAccess: ViewAccess;
  identify: Identify;
  access: RouteAccess;
  appSecrets: boolean;
}): VisibleAppAccess {
  const { data, viewAccess, identify, access } = deps;
  const visibleApps: VisibleAppAccess['visibleApps'] = {
    roles: ['tester', 'link holder'],
    credentials: ['session', 'key', 'link'],
    others: 'missing',
    identify: identify.caller,
    authorize: async (caller, address, request) => {
      const named = await findNamedApps(data, address);
      const secret = deps.appSecrets ? secretOf(request) : null;
      const opened = secret === null ? [] : named.filter((app) => sameSecret(app.secret, secret));
      const [first, ...rest] = ofPlatform(opened, address);
      if (first && (await admitsLinks(data, first.owner, request.ip))) {
        return { apps: [first, ...rest], others: opened, secret, manages: false, canViewOwner: true };
      }
      if (!caller) throw await access.signInRequired(request);
      const visible: App[] = [];
      // Checked one by one: a User can share the app on one platform only.
      for (const app of named) if (await viewAccess.app(caller.actor, app)) visible.push(app);
      const [shown, ...others] = ofPlatform(visible, address);
      if (!shown) throw new NotFound();
      return {
        apps: [shown, ...others],
        others: visible,
        secret: null,
        manages: caller.sessionToken !== null && (await viewAccess.manages(caller.actor, shown)),
        canViewOwner: (await viewAccess.owner(caller.actor, shown.owner.name)) !== null,
      };
    },
  };
  return {
    visibleApps,
    visibleBuild: {
      ...visibleApps,
      authorize: async (caller, { revision, ...address }, request) => {
        const visible = await visibleApps.authorize(caller, address, request);
        const [app] = visible.apps;
        const build = await buildQueries(data).findBuildByRevision(app.id, revision);
        if (!build) throw new NotFound();
        return { ...visible, app, build };
      },
    },
  };
}

async function findNamedApps(data: Data, address: AppAddress): Promise<App[]> {
  const owner = await ownerQueries(data).findOwner(address.owner);
  return owner ? appQueries(data).findAppsByPackageName(owner.id, address.package) : [];
}

function ofPlatform(apps: readonly App[], address: AppAddress): App[] {
  const platform = address.platform?.toLowerCase();
  return apps.filter((app) => platform === undefined || app.platform === platform);
}

function secretOf({ query }: FastifyRequest): string | null {
  const { key } = query as { key?: unknown };
  return typeof key === 'string' ? key : null;
}

function sameSecret(secret: string, key: string): boolean {
  const one = Buffer.from(secret);
  const other = Buffer.from(key);
  return one.length === other.length && timingSafeEqual(one, other);
}
