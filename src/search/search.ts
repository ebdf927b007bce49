/** Searches everything that a person has access to. Each group of results is limited to the person's apps and Projects. */
import type { App } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import { pageViewer } from '../apps/listed-page.ts';
import type { AppListing } from '../apps/lists/app-list-queries.ts';
import type { Data } from '../db/data.ts';
import type { UserActor } from '../owners/actor.ts';
import { listedOwners, listUsableProjects } from '../owners/gate/find-workspace-gate.ts';
import type { Project, User, Workspace } from '../owners/owner.ts';
import { uploadingTeams } from '../owners/permissions.ts';
import { projectListQueries } from '../projects/lists/project-list-queries.ts';
import { type FoundBuild, type FoundPage, type FoundPerson, searchQueries } from './search-queries.ts';
import { maxResults, maxSearchedApps, type SearchQuery, searchDepth } from './search-query.ts';

export interface SearchResults {
  /** The recently updated apps, if there is no query. */
  apps: readonly AppListing[];
  builds: readonly FoundBuild[];
  pages: readonly FoundPage[];
  people: readonly FoundPerson[];
  projects: readonly Project[];
  workspaces: readonly Workspace[];
  /** The first of the found apps to which the person may upload. */
  uploadTo: App | null;
}

/** `now`: epoch ms. `limit`: that for each kind of result. */
export async function search(
  data: Data,
  actor: UserActor,
  { words }: SearchQuery,
  now: number,
  limit: number = maxResults,
): Promise<SearchResults> {
  const { user } = actor;
  const projects = await listUsableProjects(data, actor);
  const projectIds = projects.map(({ id }) => id);
  const ownerIds = [user.id, ...projectIds];
  const apps = await appQueries(data).listApps(
    { ownerIds, testerId: user.id, words },
    { limit: words.length === 0 ? maxResults : limit },
  );
  if (words.length === 0) {
    return { apps, builds: [], pages: [], people: [], projects: [], workspaces: [], uploadTo: null };
  }
  const queries = searchQueries(data);
  const searched = await queries.searchedApps({ ownerIds, testerId: user.id }, maxSearchedApps);
  const appIds = searched.map(({ id }) => id);
  const depth = searchDepth(searched.map(({ lastRevision }) => lastRevision));
  const managed = [user.id, ...(await uploadingProjects(data, user, projectIds))];
  const viewer = pageViewer({ actor }, now);
  const lists = projectListQueries(data);
  const found = await lists.listProjects(
    { memberId: user.id, within: await listedOwners(data, actor) },
    words,
    {
      limit,
    },
  );
  return {
    apps,
    builds: await queries.findBuilds(appIds, words, { depth, limit }),
    pages: await queries.findPages(viewer, appIds, words, limit),
    people: user.administrator
      ? await queries.findPeople(words, limit)
      : await queries.findMembers(projectIds, words, limit),
    projects: found.map(({ project }) => project),
    workspaces: await lists.listWorkspaces(user.id, words, { limit }),
    uploadTo: apps.find(({ app }) => managed.includes(app.owner.id))?.app ?? null,
  };
}

async function uploadingProjects(data: Data, user: User, projectIds: readonly string[]): Promise<string[]> {
  const teams = await projectListQueries(data).teamsByProject(user.id, projectIds);
  return projectIds.filter((id) => teams.get(id)?.some((team) => uploadingTeams.includes(team)));
}
