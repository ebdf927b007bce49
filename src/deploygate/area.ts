/** The rest of DeployGate’s API, beyond uploads and the list of Projects. */
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { DeviceCodes } from '../accounts/terminal-sign-in/device-codes.ts';
import { createBuildChanges } from '../apps/builds/build-changes.ts';
import { createBuildDeletion } from '../apps/deletion/build-deletion.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { createAppTesters } from '../apps/testers/app-testers.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import type { Data } from '../db/data.ts';
import { createManagedPage } from '../distributions/access/page-access-http.ts';
import { createPageSettings } from '../distributions/settings/page-settings-change.ts';
import { createPublishToPage } from '../distributions/settings/publish-to-page.ts';
import type { Route } from '../http/routes/route.ts';
import type { Attempts } from '../limits/attempts.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import { createOwnerDeletion } from '../projects/deletion/owner-deletion.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { createProjectPeople } from '../projects/people/project-people.ts';
import { createOwnerChanges } from '../projects/settings/owner-changes.ts';
import { deploygateAppPeopleRoutes } from './app-people-routes.ts';
import { deploygateAppRoutes } from './app-routes.ts';
import { deploygateOtherRoutes } from './other-routes.ts';
import { deploygatePageRoutes } from './page-routes.ts';
import { deploygateProjectRoutes } from './project-routes.ts';
import { deploygateSessionRoutes } from './session-routes.ts';
import { createRemoveFromWorkspace } from './workspace-people.ts';
import { deploygateWorkspaceRoutes } from './workspace-routes.ts';

interface DeploygateAreaDeps {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  fileTokens: FileTokens;
  owners: OwnerOperations;
  deviceCodes: DeviceCodes;
  attempts: Attempts;
  config: { publicUrl: string | null };
  limits: { maxDevicesPerOwner: number };
  canSendMail: boolean;
  now: () => number;
  wakeOutbox: () => void;
}

export function createDeploygateArea(deps: DeploygateAreaDeps): { routes: Route[] } {
  const routeDeps = {
    ...deps,
    maxDevicesPerOwner: deps.limits.maxDevicesPerOwner,
    appAccess: createManagedAppAccess(deps),
    ownerAccess: createOwnerAccess(deps),
    managedPage: createManagedPage(deps),
    appTesters: createAppTesters(deps),
    buildChanges: createBuildChanges(deps),
    buildDeletion: createBuildDeletion(deps),
    pageSettings: createPageSettings(deps),
    publishToPage: createPublishToPage(deps),
    ownerChanges: createOwnerChanges(deps),
    ownerDeletion: createOwnerDeletion(deps),
    projectPeople: createProjectPeople(deps),
    removeFromWorkspace: createRemoveFromWorkspace(deps),
  };
  const routes = [
    deploygateAppRoutes,
    deploygateAppPeopleRoutes,
    deploygatePageRoutes,
    deploygateProjectRoutes,
    deploygateWorkspaceRoutes,
    deploygateOtherRoutes,
    deploygateSessionRoutes,
  ];
  return { routes: routes.flatMap((routesOf) => routesOf(routeDeps)) };
}
