import type { Identify } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { RouteAccess } from '../access/route-access-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import { createChangeRetention } from '../owners/change-retention.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { createDeleteApp } from './app-deletion.ts';
import { appDeletionRoutes } from './app-deletion-routes.ts';
import { appRoutes } from './app-routes.ts';
import { createRotateSecret } from './app-secret.ts';
import { appSecretRoutes } from './app-secret-routes.ts';
import { createAppTesters } from './app-testers.ts';
import { appTesterRoutes } from './app-testers-routes.ts';
import { createBuildChanges } from './build-changes.ts';
import { createBuildDeletion } from './build-deletion.ts';
import { buildRoutes } from './build-routes.ts';
import { compareBuildsRoutes } from './compare-builds-routes.ts';
import { fileRoutes } from './file-routes.ts';
import type { LinkSigner } from './link-signer.ts';
import { createManagedAppAccess } from './managed-app-http.ts';
import { ownerRoutes } from './owner-routes.ts';
import { retentionRoutes } from './retention-routes.ts';
import type { StoredFiles } from './stored-files-http.ts';
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
