import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import { notFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Actor } from '../owners/actor.ts';
import { type Team, teams } from '../owners/owner.ts';
import { canUpload } from '../owners/permissions.ts';
import { listProjects } from '../projects/list-projects.ts';
import { buildTexts } from '../web/build-texts.ts';
import type { PageLinks } from '../web/paging.tsx';
import { appLine } from './build-lines.ts';
import { renderHomePage } from './home-page.tsx';
import type { LinkSigner } from './link-signer.ts';
import { renderOwnerPage } from './owner-page.tsx';
import type { ViewAccess } from './view-access.ts';

export interface OwnerRouteParts {
  data: Data;
  frames: PageFrames;
  links: LinkSigner;
  viewAccess: ViewAccess;
}

const appsOnPage = 50;
const maxPage = 10_000;

interface OwnerAddress {
  Params: { owner: string };
  Querystring: { page?: string; done?: unknown };
}

/** The start page, and the page of a User or a Project with its apps. */
export function ownerRoutes(parts: OwnerRouteParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { page?: string } }>('/', (request, reply) =>
      answerHome(parts, request, reply),
    );
    server.get<OwnerAddress>('/users/:owner', (request, reply) => answerOwner(parts, request, reply));
    server.get<OwnerAddress>('/organizations/:owner', (request, reply) => answerOwner(parts, request, reply));
  };
}

async function answerHome(
  parts: OwnerRouteParts,
  request: FastifyRequest<{ Querystring: { page?: string } }>,
  reply: FastifyReply,
) {
  const { data, frames } = parts;
  const caller = await frames.callerOrNobody(request);
  const frame = frames.of(request, caller);
  if (!caller) return frames.send(reply, renderHomePage({ frame, content: null }));
  const { actor } = caller;
  const projects = actor.kind === 'user' ? await listProjects(data, actor.user) : [actor.project];
  const self = actor.kind === 'user' ? actor.user : actor.project;
  const owners = [...new Set([self.id, ...projects.map((project) => project.id)])];
  const testerId = actor.kind === 'user' ? actor.user.id : null;
  const listed = await listPage(parts, owners, '/', request.query.page, testerId);
  return frames.send(reply, renderHomePage({ frame, content: { uploadTo: self.name, projects, ...listed } }));
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
  const kind = request.url.startsWith('/organizations/') ? 'project' : null;
  if (!visible || (kind && visible.owner.kind !== kind)) throw notFound('there is nothing at this address');
  const { owner } = visible;
  const address = request.url.split('?', 1)[0] ?? '';
  const listed = await listPage(parts, [owner.id], address, request.query.page);
  const html = renderOwnerPage({
    frame: frames.of(request, caller),
    owner,
    members: owner.kind === 'project' ? await membersByTeam(data, owner.id) : null,
    canUpload: mayUpload(caller.actor, visible),
    done: request.query.done === 'app-deleted' ? buildTexts.removeApp.done : null,
    ...listed,
  });
  return frames.send(reply, html);
}

function mayUpload(
  actor: Actor,
  visible: { owner: Parameters<typeof canUpload>[1]; teams: Team[] },
): boolean {
  return canUpload(actor, visible.owner, visible.teams);
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
  pageText: string | undefined,
  testerId: string | null = null,
) {
  const page = /^\d{1,5}$/.test(pageText ?? '') ? Math.min(Math.max(Number(pageText), 1), maxPage) : 1;
  const skip = (page - 1) * appsOnPage;
  const found = await parts.data.apps.listApps(ownerIds, skip, appsOnPage + 1, testerId);
  const paging: PageLinks = {
    newer: page > 1 ? `${address}?page=${page - 1}` : null,
    older: found.length > appsOnPage ? `${address}?page=${page + 1}` : null,
  };
  return { apps: found.slice(0, appsOnPage).map((listing) => appLine(parts.links, listing)), paging };
}
