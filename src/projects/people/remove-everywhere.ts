/** Removes a person from all places managed by the person who removes them, in one transaction. */
import { revokeInvitation, type UserActor } from '../../accounts/invitations/invite-user.ts';
import { namedInvitationQueries } from '../../accounts/invitations/named-invitation-queries.ts';
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import {
  isAdministrator,
  lockManagedWorkspace,
  removeMember,
  removeTester,
  removeWorkspacePerson,
  requireProjectManager,
} from '../../owners/members.ts';
import type { Project, User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { projectTexts } from '../project-texts.ts';
import type { PersonPlaces } from './person-places.ts';
import { personPlacesQueries } from './person-places-queries.ts';

/** Limit for each kind of place. People in more places are removed in several steps. */
export const maxPlacesAtOnce = 500;

export interface RemoveEverywhere {
  /** Throws `NotFound` if the person is in no team of the Project, or is the viewer. */
  load(by: UserActor, project: Project, userId: string): Promise<{ user: User; places: PersonPlaces }>;
  /** Throws `conflict` and changes nothing if the person is the last owner of a Project or Workspace. */
  remove(by: UserActor, project: Project, userId: string): Promise<void>;
}

export function createRemoveEverywhere(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains events. */
  wakeOutbox: () => void;
}): RemoveEverywhere {
  const { data, now } = deps;
  const load = async (on: Connection, by: UserActor, { id }: Project, userId: string) => {
    const user = userId === by.user.id ? null : await ownerQueries(on).findOwnerById(userId);
    const teams = await ownerQueries(on).teamsOf(id, userId);
    if (user?.kind !== 'user' || teams.length === 0) throw new NotFound();
    return { user, places: await loadPlaces(on, by, userId, now()) };
  };
  return {
    load: (by, project, userId) => load(data, by, project, userId),
    remove: async (by, from, userId) => {
      await data.transaction(async (tx) => {
        const { user, places } = await load(tx, by, from, userId);
        const change = { by, user, at: now() };
        // Ordered by id, so that parallel removals cannot deadlock.
        for (const place of places.projects) {
          if (!(await quotaQueries(tx).lock(place.id))) continue;
          const project = await ownerQueries(tx).findOwnerById(place.id);
          if (project?.kind !== 'project') continue;
          await requireProjectManager(tx, by, project);
          if (place.isLastOwner) throw conflict(projectTexts.removal.lastOwner({ name: place.name }));
          await removeMember(tx, { ...change, project });
        }
        for (const place of places.workspaces) {
          const workspace = await ownerQueries(tx).findWorkspace(place.name);
          if (!workspace) continue;
          await lockManagedWorkspace(tx, by, workspace);
          if (place.isLastOwner) throw conflict(projectTexts.removal.lastOwner({ name: place.name }));
          await removeWorkspacePerson(tx, { ...change, workspace });
        }
        for (const { id, name, owner } of places.apps) {
          await removeTester(tx, { ...change, app: { id, name, ownerId: owner.id } });
        }
        for (const invitation of places.invitations) {
          await revokeInvitation(tx, { by: by.user, invitation, at: change.at });
        }
      });
      deps.wakeOutbox();
    },
  };
}

/** Loads all places for administrators; for others, the places that they own. */
async function loadPlaces(on: Connection, by: UserActor, userId: string, now: number): Promise<PersonPlaces> {
  const managerId = (await isAdministrator(on, by)) ? null : by.user.id;
  const queries = personPlacesQueries(on);
  const owned = managerId === null ? null : await queries.listOwned(managerId);
  const invitations = [
    ...(await namedInvitationQueries(on).listOfUser(userId, now, maxPlacesAtOnce)),
    ...(await namedInvitationQueries(on).listMailed(userId, now, maxPlacesAtOnce)),
  ];
  return {
    projects: await queries.listProjects(userId, managerId, maxPlacesAtOnce),
    workspaces: await queries.listWorkspaces(userId, managerId, maxPlacesAtOnce),
    apps: await queries.listSharedApps(userId, managerId, maxPlacesAtOnce),
    invitations: invitations.filter(
      ({ place }) =>
        owned === null || (place.kind === 'app' ? place.ownerId === managerId : owned.has(place.id)),
    ),
  };
}
