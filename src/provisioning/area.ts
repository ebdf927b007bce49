/** Provisioning: directories create, change and deactivate people and groups of a Workspace (SCIM). */
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { LdapDirectory } from '../accounts/ldap/ldap-directory.ts';
import { groupSources } from '../accounts/single-sign-on/group-claims.ts';
import type { Config } from '../config.ts';
import type { Outbound } from '../core/outbound/outbound-target.ts';
import { version } from '../core/version.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { createFetchBytes } from '../http/sending/fetch-bytes.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { createClaimedGroups, createGroupClaims } from './claimed-groups.ts';

import { createDirectoryAccess } from './directory-access-http.ts';
import { createDirectoryRound, scheduleDirectoryRound } from './directory-rounds.ts';
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

export { createGroupClaims };

interface ProvisioningAreaDeps {
  config: Config;
  data: Data;
  access: RouteAccess;
  limiting: RateLimiting;
  outbound: Outbound;
  now: () => number;
  /** Null without a directory. */
  ldap: LdapDirectory | null;
  log: { warn(fields: object, message: string): void };
  wakeOutbox: () => void;
}

export function createProvisioningArea(deps: ProvisioningAreaDeps): {
  routes: Route[];
  jobs: Pick<JobHandlers, 'directory-round'>;
  start(): Promise<void>;
} {
  const { config } = deps;
  const signOns = [config.singleSignOn, config.saml, config.ldap];
  const isOpen = config.signUp === 'open' || signOns.some((one) => one?.signUp === 'open');
  const sources = groupSources.filter((one) => readsGroups(config)[one]);
  const rounds = { ...deps, config: config.ldap, groups: createGroupClaims(deps) };
  const scimDeps = { ...deps, signUpQuota: isOpen ? config.signUpQuota : null };
  const routeDeps = {
    ...deps,
    ownerAccess: createOwnerAccess(deps),
    provisioning: createProvisioning(deps),
    groupMappings: createGroupMappings(deps),
    claimedGroups: createClaimedGroups(deps),
    sources,
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
  return {
    routes,
    jobs: { 'directory-round': createDirectoryRound(rounds) },
    start: () => scheduleDirectoryRound(rounds, true),
  };
}

const readsGroups = ({ singleSignOn, saml, ldap }: Config) => ({
  oidc: (singleSignOn?.groupsClaim ?? null) !== null,
  saml: (saml?.attributes.groups ?? null) !== null,
  ldap: ldap !== null,
  // Each Workspace has a provider or none.
  workspace: false,
});
