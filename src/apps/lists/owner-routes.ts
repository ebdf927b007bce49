import * as v from 'valibot';
import { type Caller, sessionUserId } from '../../accounts/authorization/identify-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { maxOpenInvitations } from '../../accounts/invitations/invitation.ts';
import { namedInvitationQueries } from '../../accounts/invitations/named-invitation-queries.ts';
import { accountQueries } from '../../accounts/profile/account-queries.ts';
import { readVisitor, type Visitor } from '../../core/visitor.ts';
import type { Data } from '../../db/data.ts';
import { html } from '../../http/routes/answer.ts';
import { lenient, lenientText, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { type Actor, coversPartOf, type KeyRestriction } from '../../owners/actor.ts';
import { listedOwners, listRefusingWorkspaces } from '../../owners/gate/find-workspace-gate.ts';
import { inOpenWorkspaces } from '../../owners/gate/workspace-refusal.ts';
import { nameKey, type Project, type Team, teams } from '../../owners/owner.ts';
import { ownerPath } from '../../owners/owner-paths.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { uploadingTeams } from '../../owners/permissions.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { projectListQueries } from '../../projects/lists/project-list-queries.ts';
import type { OwnerAccess, OwnerSubject } from '../../projects/owner-access-http.ts';
import { projectTexts } from '../../projects/project-texts.ts';
import { memberActivityQueries } from '../activity/member-activity-queries.ts';
import type { App } from '../app.ts';
import { appPageQueries } from '../app-page-queries.ts';
import { appQueries } from '../app-queries.ts';
import { appTexts } from '../app-texts.ts';
import { appLine } from '../builds/build-rows.ts';
import { buildTexts } from '../builds/build-texts.ts';
import type { FileTokens } from '../files/file-token.ts';
import { type PageViewer, pageViewer } from '../listed-page.ts';
import type { AppListItem } from './app-list.tsx';
import { listAppPage, type RequestedPosition } from './app-list-page.ts';
import { type HomeOwners, renderFoundApps, renderHomePage } from './home-page.tsx';
import { loadHomeViewer } from './home-viewer.ts';
import { renderOwnerPage } from './owner-page.tsx';
import type { SetupStatus } from './setup-checklist.tsx';

export interface OwnerRouteDeps {
  /** The doctor's last findings, provided by a feature that this one can't use. */
  lastDoctor: () => SetupStatus['doctor'];
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  fileTokens: FileTokens;
}

const homeSuccessMessages = () => ({
  'project-deleted': projectTexts.deletion.doneProject,
  'user-deleted': projectTexts.deletion.doneUser,
  'workspace-deleted': projectTexts.deletion.doneWorkspace,
  'workspace-left': projectTexts.workspaceHome.left,
  left: projectTexts.people.left,
  'test-sent': appTexts.setup.testSent,
});
const ownerDone = () => ({ 'app-deleted': buildTexts.removeApp.done, made: projectTexts.newProject.done });

const places = { below: lenientText(), above: lenientText() };
const homeQuery = {
  ...places,
  q: lenientText(),
  part: lenientText(),
  done: lenient(v.picklist(['project-deleted', 'user-deleted', 'workspace-deleted', 'left', 'test-sent'])),
};
const ownerQuery = { ...places, done: lenient(v.picklist(['app-deleted', 'made'])) };

/** Routes of the home page and of the pages of Users and Projects. */
export function ownerRoutes(deps: OwnerRouteDeps): Route[] {
  const { access, ownerAccess } = deps;
  const shown = {
    method: 'GET',
    keyScope: 'read',
    query: ownerQuery,
    handle: async (context: RouteContext<Caller, OwnerSubject> & { query: Values<typeof ownerQuery> }) =>
      html(await renderOwner(deps, context)),
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/',
      summary: 'Show the start page',
      access: access.anyone,
      keyScope: 'read',
      query: homeQuery,
      handle: async (context) => html(await renderHome(deps, context)),
    }),
    defineRoute({
      ...shown,
      path: '/users/:owner',
      summary: 'Show a User or a Project with its apps',
      access: ownerAccess.viewer('user', 'project'),
    }),
    defineRoute({
      ...shown,
      path: '/organizations/:owner',
      summary: 'Show a Project with its apps',
      access: ownerAccess.viewer('project'),
    }),
  ];
}

async function renderHome(
  deps: OwnerRouteDeps,
  { caller, query: asked, frame, client }: RouteContext<Caller | null> & { query: Values<typeof homeQuery> },
): Promise<string> {
  const { data } = deps;
  const done = asked.done ? homeSuccessMessages()[asked.done] : null;
  if (!caller) return renderHomePage({ frame, content: null, done });
  const { actor } = caller;
  const all =
    actor.kind === 'user' ? await ownerQueries(data).listProjectsOfUser(actor.user.id) : [actor.project];
  // A Workspace that refuses the caller is listed with the reason, and without its Projects.
  const projects = await inOpenWorkspaces(
    data,
    actor,
    all.filter(({ id }) => coversPartOf(actor, id)),
  );
  const self = actor.kind === 'user' ? actor.user : actor.project;
  const owners = [...new Set([...(actor.kind === 'user' ? [self.id] : []), ...projects.map(({ id }) => id)])];
  const query = (asked.q ?? '').trim().slice(0, maxSearchLength);
  const page = await listPage(deps, pageViewer(caller, frame.now), owners, '/', asked, {
    testerId: actor.kind === 'user' ? actor.user.id : null,
    query,
    restriction: actor.restriction ?? null,
  });
  const viewer =
    actor.kind === 'user'
      ? await loadHomeViewer(
          data,
          actor.user,
          projects.map(({ id }) => id),
        )
      : null;
  const { system } = readVisitor({ userAgent: client.userAgent });
  const states = await withTesterStates(data, caller, page.apps);
  const apps = viewer?.onlyTests ? installableFirst(states, system) : states;
  const found = { uploadTo: self.name, query, viewer, ...page, apps };
  // Requested by live search.
  if (asked.part === 'apps') return renderFoundApps({ frame, found });
  return renderHomePage({
    frame,
    content: {
      ...found,
      ...(await homeOwners(data, frame.now, actor, projects)),
      // Unless a key covers only some of the Projects, all that are missing are refused.
      refusing:
        actor.kind === 'user' && !actor.restriction && projects.length < all.length
          ? await listRefusingWorkspaces(data, actor, all)
          : [],
      setup: apps.length === 0 && query === '' ? await setupOf(deps, actor, projects.length > 0) : null,
    },
    done,
  });
}

/** Adds the tester status of apps that a signed-in person tests but doesn't upload to. */
async function withTesterStates(
  data: Data,
  caller: Caller,
  apps: readonly (AppListItem & { app: App })[],
): Promise<AppListItem[]> {
  const userId = sessionUserId(caller);
  if (userId === null) return [...apps];
  const projectIds = apps.filter(({ app }) => app.owner.kind === 'project').map(({ app }) => app.owner.id);
  const teamsOf = await projectListQueries(data).teamsByProject(userId, [...new Set(projectIds)]);
  const uploads = ({ app: { owner } }: { app: App }) =>
    owner.id === userId || (teamsOf.get(owner.id) ?? []).some((team) => uploadingTeams.includes(team));
  const tested = apps.filter((line) => !uploads(line)).map(({ app }) => app.id);
  const states = await memberActivityQueries(data).statesOf(userId, tested);
  const nothing = { seen: null, installed: null, newer: 0 };
  return apps.map((line) => (uploads(line) ? line : { ...line, tester: states.get(line.app.id) ?? nothing }));
}

/** On a phone, moves the apps that can be installed on it to the top; the order is otherwise kept. */
function installableFirst(apps: readonly AppListItem[], system: Visitor['system']): AppListItem[] {
  if (system !== 'ios' && system !== 'android') return [...apps];
  const shown = apps.map((line) => ({ ...line, isElsewhere: line.app.platform !== system }));
  return [...shown.filter((line) => !line.isElsewhere), ...shown.filter((line) => line.isElsewhere)];
}

/** Null for people who are not administrators. */
async function setupOf(
  { data, lastDoctor }: OwnerRouteDeps,
  actor: Actor,
  hasProject: boolean,
): Promise<SetupStatus | null> {
  if (actor.kind !== 'user' || !actor.user.administrator || actor.restriction) return null;
  return { doctor: lastDoctor(), hasProject, hasPeople: await accountQueries(data).hasSeveralPeople() };
}

/** How many are shown. Separate pages list all of them. */
const ownersOnHome = 12;

/** Returns all memberships by name if they fit, otherwise the ones with the latest uploads. */
async function homeOwners(
  data: Data,
  now: number,
  actor: Actor,
  projects: readonly Project[],
): Promise<Omit<HomeOwners, 'setup' | 'refusing'>> {
  if (actor.kind === 'project') {
    return {
      projects,
      projectCount: 1,
      workspaces: [],
      workspaceCount: 0,
      canCreateWorkspaces: false,
      invitations: 0,
    };
  }
  const workspaces = actor.restriction ? [] : await workspaceQueries(data).listOf(actor.user.id);
  const scope = { memberId: actor.user.id, within: await listedOwners(data, actor) };
  return {
    projects:
      projects.length > ownersOnHome
        ? await projectListQueries(data).listLatestProjects(scope, ownersOnHome)
        : byName(projects),
    projectCount: projects.length,
    workspaces: workspaces.slice(0, ownersOnHome),
    workspaceCount: workspaces.length,
    canCreateWorkspaces: actor.user.administrator,
    invitations: (await namedInvitationQueries(data).listOfUser(actor.user.id, now, maxOpenInvitations))
      .length,
  };
}

function byName(projects: readonly Project[]): Project[] {
  const keyed = projects.map((project) => ({ project, key: nameKey(project.name) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ project }) => project);
}

const maxSearchLength = 100;
const maxSearchWords = 6;

async function renderOwner(
  deps: OwnerRouteDeps,
  {
    caller,
    subject,
    query,
    frame,
  }: RouteContext<Caller, OwnerSubject> & { query: Values<typeof ownerQuery> },
): Promise<string> {
  const { data } = deps;
  const { owner, permissions } = subject;
  return renderOwnerPage({
    frame,
    owner,
    members: owner.kind === 'project' ? await membersByTeam(data, owner.id) : null,
    permissions,
    usage: permissions.uploads || permissions.administers ? await quotaQueries(data).usageOf(owner.id) : null,
    done: query.done ? ownerDone()[query.done] : null,
    ...(await listPage(deps, pageViewer(caller, frame.now), [owner.id], ownerPath(owner), query)),
  });
}

async function membersByTeam(data: Data, projectId: string): Promise<Record<Team, string[]>> {
  const members = await ownerQueries(data).listMembers(projectId);
  const inTeam = (team: Team) =>
    members.filter((member) => member.teams.includes(team)).map((member) => member.user.name);
  return Object.fromEntries(teams.map((team) => [team, inTeam(team)])) as Record<Team, string[]>;
}

const maxLivePages = 2;
const noFilters = { testerId: null, query: '', restriction: null };

async function listPage(
  deps: OwnerRouteDeps,
  pagesOf: Exclude<PageViewer, { kind: 'manager' }>,
  ownerIds: string[],
  address: string,
  asked: RequestedPosition,
  listFilters: { testerId: string | null; query: string; restriction: KeyRestriction | null } = noFilters,
) {
  const { testerId, query, restriction } = listFilters;
  const words = query.split(/\s+/).filter(Boolean).slice(0, maxSearchWords);
  const { listings, paging } = await listAppPage(
    asked,
    (page) => appQueries(deps.data).listApps({ ownerIds, testerId, words, restriction }, page),
    (place) => {
      const fields = new URLSearchParams({ ...(query === '' ? {} : { q: query }), ...place });
      return `${address}?${fields}`;
    },
  );
  const live = await appPageQueries(deps.data).livePagesOf(
    pagesOf,
    listings.map(({ app }) => app.id),
    { limit: maxLivePages, now: pagesOf.now },
  );
  const apps = listings.map((listing) => appLine(deps.fileTokens, listing, live.get(listing.app.id) ?? []));
  return { apps, paging };
}
