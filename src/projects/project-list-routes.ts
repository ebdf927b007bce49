import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import { projectsPath, workspacesPath } from '../owners/owner-addresses.ts';
import { type AskedNames, listByName, listMemberProjects } from './list-by-name-http.ts';
import { missing } from './overseen-owner-http.ts';
import {
  renderFoundProjects,
  renderFoundWorkspaces,
  renderProjectList,
  renderWorkspaceList,
} from './project-list-page.tsx';

export interface ProjectListRouteParts {
  data: Data;
  frames: PageFrames;
}

interface ListAddress {
  Querystring: AskedNames & { part?: unknown };
}

type ListRequest = FastifyRequest<ListAddress>;

/** All that the start page has no room for: the Projects in whose teams somebody is, and the Workspaces that somebody owns. */
export function projectListRoutes(parts: ProjectListRouteParts): RouteModule {
  return (server) => {
    server.get<ListAddress>(projectsPath, (request, reply) => answerProjects(parts, request, reply));
    server.get<ListAddress>(workspacesPath, (request, reply) => answerWorkspaces(parts, request, reply));
  };
}

async function answerProjects(parts: ProjectListRouteParts, request: ListRequest, reply: FastifyReply) {
  const { data, frames } = parts;
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return reply;
  if (caller.actor.kind !== 'user') throw missing();
  const frame = frames.of(request, caller);
  const found = await listMemberProjects(data, caller.actor.user.id, request.query, projectsPath);
  const render = request.query.part === 'projects' ? renderFoundProjects : renderProjectList;
  return frames.send(reply, render({ frame, found }));
}

async function answerWorkspaces(parts: ProjectListRouteParts, request: ListRequest, reply: FastifyReply) {
  const { data, frames } = parts;
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return reply;
  const { actor } = caller;
  if (actor.kind !== 'user') throw missing();
  const found = await listByName(
    request.query,
    workspacesPath,
    (words, page) => data.projectLists.listWorkspaces(actor.user.id, words, page),
    ({ name }) => name,
  );
  const render = request.query.part === 'workspaces' ? renderFoundWorkspaces : renderWorkspaceList;
  const frame = frames.of(request, caller);
  const makes = frame.viewer !== null && actor.user.administrator;
  return frames.send(reply, render({ frame, found, makes }));
}
