/** All that is asked and done about Projects, Workspaces and accounts as a whole, besides looking at apps. */
import type { RouteAccess } from '../access/route-access-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { OwnerMaker } from '../owners/make-owners.ts';
import { auditRoutes } from './audit-routes.ts';
import { listProjectsRoutes } from './list-projects-routes.ts';
import { newOwnerRoutes } from './new-owner-routes.ts';
import { createOwnerAccess } from './owner-access-http.ts';
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
  access: RouteAccess;
  owners: OwnerMaker;
  now: () => number;
  wakeOutbox: () => void;
}

export function projectRoutes(given: ProjectRouteParts): Route[] {
  const parts = {
    ...given,
    ownerAccess: createOwnerAccess(given),
    ownerChanges: createOwnerChanges(given),
    ownerDeletion: createOwnerDeletion(given),
    projectPeople: createProjectPeople(given),
  };
  return [
    ...listProjectsRoutes(parts),
    ...projectListRoutes(parts),
    ...newOwnerRoutes(parts),
    ...projectPeopleRoutes(parts),
    ...ownerSettingsRoutes(parts),
    ...ownerDeletionRoutes(parts),
    ...workspaceRoutes(parts),
    ...auditRoutes(parts),
  ];
}
