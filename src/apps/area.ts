import type { Identify } from '../accounts/sign-in/identify-http.ts';
import type { PageFrames } from '../accounts/sign-in/page-frames-http.ts';
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { createChangeRetention } from '../owners/change-retention.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { appRoutes } from './app-routes.ts';
import { createRotateSecret } from './app-secret.ts';
import { appSecretRoutes } from './app-secret-routes.ts';
import { createBuildChanges } from './builds/build-changes.ts';
import { buildRoutes } from './builds/build-routes.ts';
import { compareBuildsRoutes } from './compare/compare-builds-routes.ts';
import { createDeleteApp } from './deletion/app-deletion.ts';
import { appDeletionRoutes } from './deletion/app-deletion-routes.ts';
import { createBuildDeletion } from './deletion/build-deletion.ts';
import { fileRoutes } from './files/file-routes.ts';
import type { LinkSigner } from './files/link-signer.ts';
import type { StoredFiles } from './files/stored-files-http.ts';
import { createManagedAppAccess } from './managed-app-http.ts';
import { ownerRoutes } from './owner-routes.ts';
import { retentionRoutes } from './retention/retention-routes.ts';
import { createAppTesters } from './testers/app-testers.ts';
import { appTesterRoutes } from './testers/app-testers-routes.ts';
import type { ViewAccess } from './view-access.ts';
import { createVisibleAppAccess } from './visible-apps-http.ts';

export interface AppAreaParts {
  data: Data;
  access: RouteAccess;
  frames: PageFrames;
  identify: Identify;
  links: LinkSigner;
  /** Whether the secret of an App opens its pages. */
  appSecrets: boolean;
  viewAccess: ViewAccess;
  storedFiles: StoredFiles;
  now: () => number;
  wakeOutbox: () => void;
}

/** Everything about apps and their builds: their pages, their files, and what those who manage them do. */
export function appAreaRoutes(given: AppAreaParts): Route[] {
  const parts = {
    ...given,
    ...createVisibleAppAccess(given),
    ...createManagedAppAccess(given),
    ownerAccess: createOwnerAccess(given),
    deleteApp: createDeleteApp(given),
    appTesters: createAppTesters(given),
    rotateSecret: createRotateSecret(given),
    buildChanges: createBuildChanges(given),
    buildDeletion: createBuildDeletion(given),
    changeRetention: createChangeRetention(given),
  };
  return [
    fileRoutes,
    ownerRoutes,
    appRoutes,
    buildRoutes,
    compareBuildsRoutes,
    appDeletionRoutes,
    appTesterRoutes,
    appSecretRoutes,
    retentionRoutes,
  ].flatMap((routes) => routes(parts));
}
