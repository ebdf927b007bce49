/** Projects, Workspaces and their people, settings, deletion and audit log. */
import type { RouteAccess } from '../accounts/sign-in/route-access-http.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { createOwnerDeletion } from './deletion/owner-deletion.ts';
import { ownerDeletionRoutes } from './deletion/owner-deletion-routes.ts';
import { listProjectsRoutes } from './lists/list-projects-routes.ts';
import { projectListRoutes } from './lists/project-list-routes.ts';
import { createOwnerAccess } from './owner-access-http.ts';
import { createProjectPeople } from './people/project-people.ts';
import { projectPeopleRoutes } from './people/project-people-routes.ts';
import { newOwnerRoutes } from './settings/new-owner-routes.ts';
import { createOwnerChanges } from './settings/owner-changes.ts';
import { ownerSettingsRoutes } from './settings/owner-settings-routes.ts';
import { workspaceRoutes } from './workspaces/workspace-routes.ts';

interface ProjectAreaParts {
  data: Data;
  access: RouteAccess;
  owners: OwnerOperations;
  now: () => number;
  wakeOutbox: () => void;
}

export function createProjectArea(given: ProjectAreaParts): { routes: Route[] } {
  const parts = {
    ...given,
    ownerAccess: createOwnerAccess(given),
    ownerChanges: createOwnerChanges(given),
    ownerDeletion: createOwnerDeletion(given),
    projectPeople: createProjectPeople(given),
  };
  const routes = [
    ...listProjectsRoutes(parts),
    ...projectListRoutes(parts),
    ...newOwnerRoutes(parts),
    ...projectPeopleRoutes(parts),
    ...ownerSettingsRoutes(parts),
    ...ownerDeletionRoutes(parts),
    ...workspaceRoutes(parts),
    ...auditRoutes(parts),
  ];
  return { routes };
}
