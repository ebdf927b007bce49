/** Projects, Workspaces and their people, settings, deletion and audit log. */

import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { InviteLinks } from '../accounts/invitations/invite-link.ts';
import { createSetTrustedOnly } from '../accounts/trusted-publishing/trusted-only.ts';
import { createTrustedPublisherChanges } from '../accounts/trusted-publishing/trusted-publisher-changes.ts';
import { brandingApiRoutes } from '../branding/branding-api-routes.ts';
import { brandingRoutes } from '../branding/branding-routes.ts';
import type { Brands } from '../branding/brands.ts';
import type { LogoFormDeps } from '../branding/logo-form-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import { workspaceBrandingPath } from '../owners/owner-paths.ts';
import { createChangePolicies } from '../owners/policies/change-policies.ts';
import { auditApiRoutes } from './audit/audit-api-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { createOwnerDeletion } from './deletion/owner-deletion.ts';
import { ownerDeletionRoutes } from './deletion/owner-deletion-routes.ts';
import { groupApiRoutes } from './groups/group-api-routes.ts';
import { groupRoutes } from './groups/group-routes.ts';
import { createGroups } from './groups/groups.ts';
import { listProjectsRoutes } from './lists/list-projects-routes.ts';
import { ownerApiRoutes } from './lists/owner-api-routes.ts';
import { projectApiRoutes } from './lists/project-api-routes.ts';
import { projectListRoutes } from './lists/project-list-routes.ts';
import { createOwnerAccess } from './owner-access-http.ts';
import { peopleApiRoutes } from './people/people-api-routes.ts';
import { projectInviteLinkRoutes } from './people/project-invite-link-routes.ts';
import { createProjectPeople } from './people/project-people.ts';
import { projectPeopleRoutes } from './people/project-people-routes.ts';
import { createRemoveEverywhere } from './people/remove-everywhere.ts';
import { policyApiRoutes } from './policies/policy-api-routes.ts';
import { policyRoutes } from './policies/policy-routes.ts';
import { newOwnerRoutes } from './settings/new-owner-routes.ts';
import { createOwnerChanges } from './settings/owner-changes.ts';
import { ownerSettingsRoutes } from './settings/owner-settings-routes.ts';
import { publisherRoutes } from './trusted-publishing/publisher-routes.ts';
import { workspaceApiRoutes } from './workspaces/workspace-api-routes.ts';
import { renderWorkspaceBranding } from './workspaces/workspace-branding-page.tsx';
import { workspacePeopleApiRoutes } from './workspaces/workspace-people-api-routes.ts';
import { workspacePeopleRoutes } from './workspaces/workspace-people-routes.ts';
import { workspaceRoutes } from './workspaces/workspace-routes.ts';

interface ProjectAreaDeps extends LogoFormDeps {
  brands: Brands;
  data: Data;
  access: RouteAccess;
  owners: OwnerOperations;
  inviteLinks: InviteLinks;
  canSendMail: boolean;
  now: () => number;
  wakeOutbox: () => void;
}

export function createProjectArea(deps: ProjectAreaDeps): { routes: Route[] } {
  const routeDeps = {
    ...deps,
    ownerAccess: createOwnerAccess(deps),
    ownerChanges: createOwnerChanges(deps),
    ownerDeletion: createOwnerDeletion(deps),
    projectPeople: createProjectPeople(deps),
    groups: createGroups(deps),
    setTrustedOnly: createSetTrustedOnly(deps),
    changePolicies: createChangePolicies(deps),
    trustedPublisherChanges: createTrustedPublisherChanges(deps),
    removeEverywhere: createRemoveEverywhere(deps),
  };
  const routes = [
    ...listProjectsRoutes(routeDeps),
    ...projectListRoutes(routeDeps),
    ...newOwnerRoutes(routeDeps),
    ...projectApiRoutes(routeDeps),
    ...ownerApiRoutes(routeDeps),
    ...peopleApiRoutes(routeDeps),
    ...groupApiRoutes(routeDeps),
    ...projectPeopleRoutes(routeDeps),
    ...projectInviteLinkRoutes(routeDeps),
    ...groupRoutes(routeDeps),
    ...ownerSettingsRoutes(routeDeps),
    ...publisherRoutes(routeDeps),
    ...ownerDeletionRoutes(routeDeps),
    ...workspaceRoutes(routeDeps),
    ...workspacePeopleRoutes(routeDeps),
    ...workspaceApiRoutes(routeDeps),
    ...workspacePeopleApiRoutes(routeDeps),
    ...policyRoutes(routeDeps),
    ...policyApiRoutes(routeDeps),
    ...brandingRoutes(routeDeps, {
      page: '/enterprises/:workspace/branding',
      of: 'a Workspace',
      access: routeDeps.ownerAccess.workspaceOwnerOrAdministrator,
      brandOwner: (workspace) => workspace,
      addressOf: ({ name }) => workspaceBrandingPath(name),
      render: (workspace, props) => renderWorkspaceBranding({ workspace, ...props }),
    }),
    ...brandingApiRoutes(routeDeps.brands, {
      path: '/api/v1/workspaces/:workspace/branding',
      idPart: 'Workspace',
      of: 'a Workspace',
      tag: 'Workspaces',
      keyScope: 'manage',
      access: routeDeps.access.byUserKey(routeDeps.ownerAccess.workspaceOwnerOrAdministrator),
      brandOwner: (workspace) => workspace,
    }),
    ...auditRoutes(routeDeps),
    ...auditApiRoutes(routeDeps),
  ];
  return { routes };
}
