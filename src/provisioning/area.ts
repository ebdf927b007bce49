/** Provisioning: directories of organizations create, change and deactivate people and groups of a Workspace (SCIM). */
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { Config } from '../config.ts';
import type { Outbound } from '../core/outbound/outbound-target.ts';
import { version } from '../core/version.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { createFetchBytes } from '../http/sending/fetch-bytes.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { createDirectoryAccess } from './directory-access-http.ts';
import { createGroupMappings } from './group-mapping-changes.ts';
import { createProvisioning } from './provisioning.ts';
import { provisioningApiRoutes } from './provisioning-api-routes.ts';
import { provisioningRoutes } from './provisioning-routes.ts';
import { createScimGroups } from './scim/scim-groups.ts';
import { scimRoutes } from './scim/scim-routes.ts';
import { createScimUsers } from './scim/scim-users.ts';
import { createWorkspaceSignOn } from './sign-on/workspace-sign-on.ts';
import { workspaceSignOnApiRoutes } from './sign-on/workspace-sign-on-api-routes.ts';
import { workspaceSignOnRoutes } from './sign-on/workspace-sign-on-routes.ts';

interface ProvisioningAreaDeps {
  config: Config;
  data: Data;
  access: RouteAccess;
  limiting: RateLimiting;
  outbound: Outbound;
  now: () => number;
  wakeOutbox: () => void;
}

export function createProvisioningArea(deps: ProvisioningAreaDeps): { routes: Route[] } {
  const { config } = deps;
  const isOpen = config.signUp === 'open' || config.singleSignOn?.signUp === 'open';
  const scimDeps = { ...deps, signUpQuota: isOpen ? config.signUpQuota : null };
  const routeDeps = {
    ...deps,
    ownerAccess: createOwnerAccess(deps),
    provisioning: createProvisioning(deps),
    groupMappings: createGroupMappings(deps),
    directoryAccess: createDirectoryAccess(deps),
    scimUsers: createScimUsers(scimDeps),
    scimGroups: createScimGroups(scimDeps),
    publicUrl: config.publicUrl,
    workspaceSignOn: createWorkspaceSignOn({
      ...deps,
      fetchBytes: createFetchBytes(deps.outbound, `Slipway/${version()}`),
    }),
  };
  const routes = [
    ...provisioningRoutes(routeDeps),
    ...provisioningApiRoutes(routeDeps),
    ...workspaceSignOnRoutes(routeDeps),
    ...workspaceSignOnApiRoutes(routeDeps),
    ...scimRoutes(routeDeps),
  ];
  return { routes };
}
