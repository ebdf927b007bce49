/** Access rules of registered devices: the Owner in the path, for people who can upload to it. */
import type { FastifyRequest } from 'fastify';
import type { Caller, Person } from '../accounts/sign-in/identify-http.ts';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { NotFound } from '../core/errors.ts';
import type { Access } from '../http/routes/route.ts';
import type { Owner } from '../owners/owner.ts';
import { type OwnerPermissions, permissionsOf } from '../owners/owner-permissions.ts';

export interface DeviceOwner {
  owner: Owner;
  permissions: OwnerPermissions;
}

type Address = { owner: string };

export interface DeviceOwnerAccess {
  /** API keys can open the list too. */
  reader: Access<Address, Caller, DeviceOwner>;
  editor: Access<Address, Person, DeviceOwner>;
}

export function createDeviceOwnerAccess(parts: {
  viewAccess: ViewAccess;
  access: RouteAccess;
}): DeviceOwnerAccess {
  const { viewAccess, access } = parts;
  const authorize = async (
    { actor }: Caller,
    { owner: name }: Address,
    request: FastifyRequest,
  ): Promise<DeviceOwner> => {
    const visible = await viewAccess.owner(actor, name);
    if (!visible) throw new NotFound();
    const { owner, teams } = visible;
    const permissions = permissionsOf(actor, owner, teams);
    const isOfProjects = request.routeOptions.url?.startsWith('/organizations/');
    if (!permissions.uploads || (isOfProjects && owner.kind !== 'project')) throw new NotFound();
    return { owner, permissions };
  };
  const uploaders = { roles: ['developer'], others: 'missing', authorize } as const;
  return {
    reader: { ...uploaders, credentials: ['session', 'key'], identify: access.caller },
    editor: { ...uploaders, credentials: ['session'], identify: access.person },
  };
}
