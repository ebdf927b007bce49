/** Access rules of webhooks, for people who manage them; everyone else receives `NotFound`. */
import type { Person } from '../accounts/sign-in/identify-http.ts';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import { findManagedApp, type PlatformAppAddress } from '../apps/managed-app-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Access } from '../http/routes/route.ts';
import { standingOf } from '../owners/owner-permissions.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { Hook } from './webhook.ts';
import { placeOf } from './webhook-changes.ts';
import type { HookPageHome } from './webhook-frame.tsx';
import { hookQueries } from './webhook-queries.ts';

export interface HookSubject {
  home: HookPageHome;
  hook: Hook;
}

export interface HookAccess {
  ofApp: Access<PlatformAppAddress, Person, HookPageHome>;
  /** Those who oversee it and see its apps: what a hook says is about them. */
  ofOwner(kind: 'user' | 'project'): Access<{ owner: string }, Person, HookPageHome>;
  /** One hook of a place. */
  hookAt<Params>(
    home: Access<Params, Person, HookPageHome>,
  ): Access<Params & { hook: string }, Person, HookSubject>;
}

export function createHookAccess(parts: {
  data: Data;
  viewAccess: ViewAccess;
  access: RouteAccess;
}): HookAccess {
  const { data, access } = parts;
  const people = { credentials: ['session'], others: 'missing', identify: access.person } as const;
  return {
    ofApp: {
      ...people,
      roles: ['developer'],
      authorize: async ({ actor }, address) => {
        const app = await findManagedApp(parts, actor, address);
        return { owner: app.owner, app };
      },
    },
    ofOwner: (kind) => ({
      ...people,
      roles: ['owner team'],
      authorize: async ({ actor }, params) => {
        const owner = await ownerQueries(data).findOwner(params.owner);
        if (owner?.kind !== kind) throw new NotFound();
        const teams = kind === 'project' ? await ownerQueries(data).teamsOf(owner.id, actor.user.id) : [];
        const standing = standingOf(actor, owner, teams);
        if (!standing.oversees || !standing.views) throw new NotFound();
        return { owner, app: null, area: { owner, standing } };
      },
    }),
    hookAt: (home) => ({
      ...home,
      authorize: async (caller, params, request) => {
        const found = await home.authorize(caller, params, request);
        const hook = await hookQueries(data).findHook(placeOf(found), params.hook);
        if (!hook) throw new NotFound();
        return { home: found, hook };
      },
    }),
  };
}
