import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Actor } from '../owners/actor.ts';
import { nameKey, type Project, type Team, teams } from '../owners/owner.ts';
import { standingOf } from '../owners/owner-standing.ts';
import { buildTexts } from '../web/build-texts.ts';
import { projectTexts } from '../web/project-texts.ts';
import { type AskedPlace, listAppPage } from './app-list-page.ts';
import { appLine } from './build-lines.ts';
import { type HomeOwners, renderFoundApps, renderHomePage } from './home-page.tsx';
import type { LinkSigner } from './link-signer.ts';
import { renderOwnerPage } from './owner-page.tsx';
import type { ViewAccess } from './view-access.ts';

export interface OwnerRouteParts {
  data: Data;
  frames: PageFrames;
  links: LinkSigner;
  viewAccess: ViewAccess;
}

interface HomeAddress {
  Querystring: AskedPlace & { q?: unknown; part?: unknown; done?: unknown };
}

interface OwnerAddress {
  Params: { owner: string };
  Querystring: AskedPlace & { done?: unknown };
}

/** The start page, and the page of a User or a Project with its apps. */
export function ownerRoutes(parts: OwnerRouteParts): RouteModule {
  return (server) => {
    server.get<HomeAddress>('/', (request, reply) => answerHome(parts, request, reply));
    server.get<OwnerAddress>('/users/:owner', (request, reply) => answerOwner(parts, request, reply));
    server.get<OwnerAddress>('/organizations/:owner', (request, reply) => answerOwner(parts, request, reply));
  };
}

const homeDone: ReadonlyMap<unknown, string> = new Map([
  ['project-deleted', projectTexts.deletion.doneProject],
  ['user-deleted', projectTexts.deletion.doneUser],
  ['workspace-deleted', projectTexts.deletion.doneWorkspace],
  ['left', projectTexts.people.left],
]);

const ownerDone: ReadonlyMap<unknown, string> = new Map([
  ['app-deleted', buildTexts.removeApp.done],
  ['made', projectTexts.newProject.done],
]);

async function answerHome(parts: OwnerRouteParts, request: FastifyRequest<HomeAddress>, reply: FastifyReply) {
  const { data, frames } = parts;
  const caller = await frames.callerOrNobody(request);
  const frame = frames.of(request, caller);
  const done = homeDone.get(request.query.done) ?? null;
  if (!caller) return frames.send(reply, renderHomePage({ frame, content: null, done }));
  const { actor } = caller;
  const projects =
    actor.kind === 'user' ? await data.owners.listProjectsOfUser(actor.user.id) : [actor.project];
  const self = actor.kind === 'user' ? actor.user : actor.project;
  const owners = [...new Set([self.id, ...projects.map((project) => project.id)])];
  const query = searchText(request.query.q);
  const listed = await listPage(parts, owners, '/', request.query, {
    testerId: actor.kind === 'user' ? actor.user.id : null,
    query,
  });
  const found = { uploadTo: self.name, query, ...listed };
  // What a script asks for while somebody types.
  if (request.query.part === 'apps') return frames.send(reply, renderFoundApps({ frame, found }));
  const content = { ...found, ...(await homeOwners(data, actor, projects)) };
  return frames.send(reply, renderHomePage({ frame, content, done }));
}

/** More are on pages of their own. */
const ownersOnHome = 12;

/** What somebody is in: by name while all of it fits, else what was last uploaded to. */
async function homeOwners(data: Data, actor: Actor, projects: readonly Project[]): Promise<HomeOwners> {
  if (actor.kind === 'project') {
    return { projects, projectCount: 1, workspaces: [], workspaceCount: 0, makesWorkspaces: false };
  }
  const workspaces = await data.workspaces.listOwnedBy(actor.user.id);
  return {
    projects:
      projects.length > ownersOnHome
        ? await data.projectLists.listLatestProjects(actor.user.id, ownersOnHome)
        : byName(projects),
    projectCount: projects.length,
    workspaces: workspaces.slice(0, ownersOnHome),
    workspaceCount: workspaces.length,
    makesWorkspaces: actor.user.administrator,
  };
}

function byName(projects: readonly Project[]): Project[] {
  const keyed = projects.map((project) => ({ project, key: nameKey(project.name) }));
  return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ project }) => project);
}

const maxSearchLength = 100;
const maxSearchWords = 6;

function searchText(text: unknown): string {
  return typeof text === 'string' && !text.includes('\0') ? text.trim().slice(0, maxSearchLength) : '';
}

async function answerOwner(
  parts: OwnerRouteParts,
  request: FastifyRequest<OwnerAddress>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return reply;
  const visible = await parts.viewAccess.owner(caller.actor, request.params.owner);
  const kind = request.routeOptions.url?.startsWith('/organizations/') ? 'project' : null;
  if (!visible || (kind && visible.owner.kind !== kind)) throw new NotFound();
  const { owner } = visible;
  const standing = standingOf(caller.actor, owner, visible.teams);
  const address = request.url.split('?', 1)[0] ?? '';
  const listed = await listPage(parts, [owner.id], address, request.query);
  const html = renderOwnerPage({
    frame: frames.of(request, caller),
    owner,
    members: owner.kind === 'project' ? await membersByTeam(data, owner.id) : null,
    standing,
    usage: standing.uploads || standing.oversees ? await data.quotas.usageOf(owner.id) : null,
    done: ownerDone.get(request.query.done) ?? null,
    ...listed,
  });
  return frames.send(reply, html);
}

async function membersByTeam(data: Data, projectId: string): Promise<Record<Team, string[]>> {
  const members = await data.owners.listMembers(projectId);
  const inTeam = (team: Team) =>
    members.filter((member) => member.teams.includes(team)).map((member) => member.user.name);
  const [owner, developer, tester] = teams.map(inTeam);
  return { owner: owner ?? [], developer: developer ?? [], tester: tester ?? [] };
}

async function listPage(
  parts: OwnerRouteParts,
  ownerIds: string[],
  address: string,
  asked: AskedPlace,
  narrowed: { testerId: string | null; query: string } = { testerId: null, query: '' },
) {
  const { testerId, query } = narrowed;
  const words = query.split(/\s+/).filter(Boolean).slice(0, maxSearchWords);
  const { listings, paging } = await listAppPage(
    asked,
    (page) => parts.data.apps.listApps({ ownerIds, testerId, words }, page),
    (place) => {
      const fields = new URLSearchParams({ ...(query === '' ? {} : { q: query }), ...place });
      return `${address}?${fields}`;
    },
  );
  return { apps: listings.map((listing) => appLine(parts.links, listing)), paging };
}
