/** All that is asked and done about Projects, Workspaces and accounts as a whole, besides looking at apps. */
import type { Attempts } from '../access/attempts.ts';
import type { Identify } from '../access/identify-http.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { OwnerMaker } from '../owners/make-owners.ts';
import { auditRoutes } from './audit-routes.ts';
import { listProjectsRoutes } from './list-projects-routes.ts';
import { newOwnerRoutes } from './new-owner-routes.ts';
import { createOwnerChanges } from './owner-changes.ts';
import { createOwnerDeletion } from './owner-deletion.ts';
import { ownerDeletionRoutes } from './owner-deletion-routes.ts';
import { ownerSettingsRoutes } from './owner-settings-routes.ts';
import { projectListRoutes } from './project-list-routes.ts';
import { createProjectPeople } from './project-people.ts';
import { projectPeopleRoutes } from './project-people-routes.ts';
import { workspaceRoutes } from './workspace-routes.ts';

export interface ProjectRouteParts {
  data: Data;
  identify: Identify;
  originOf: OriginOf;
  frames: PageFrames;
  attempts: Attempts;
  owners: OwnerMaker;
  now: () => number;
  wakeOutbox: () => void;
}

export function projectRoutes(parts: ProjectRouteParts): RouteModule {
  const deeds = {
    ownerChanges: createOwnerChanges(parts),
    ownerDeletion: createOwnerDeletion(parts),
    projectPeople: createProjectPeople(parts),
  };
  const modules = [
    listProjectsRoutes,
    projectListRoutes,
    newOwnerRoutes,
    projectPeopleRoutes,
    ownerSettingsRoutes,
    ownerDeletionRoutes,
    workspaceRoutes,
    auditRoutes,
  ];
  return async (server) => {
    for (const routes of modules) await routes({ ...parts, ...deeds })(server);
  };
}
