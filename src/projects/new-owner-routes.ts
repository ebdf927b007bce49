import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AttemptLimit, Attempts } from '../access/attempts.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import {
  type FormFields,
  type Person,
  personOrSignIn,
  readSessionForm,
} from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import type { RouteModule } from '../http/http-server.ts';
import {
  checkDescription,
  checkDisplayName,
  checkIconUrl,
  defaultWorkspaceIcon,
  type OwnerMaker,
} from '../owners/make-owners.ts';
import { checkName } from '../owners/owner.ts';
import { newProjectPath, newWorkspacePath, projectPath, workspacePath } from '../owners/owner-addresses.ts';
import { projectTexts } from '../web/project-texts.ts';
import { faultsOf, isFaulty, sentenceOf } from './form-faults.ts';
import { type OwnerFaults, renderNewProject, renderNewWorkspace } from './new-owner-page.tsx';
import { missing } from './overseen-owner-http.ts';

export interface NewOwnerRouteParts {
  data: Data;
  frames: PageFrames;
  owners: OwnerMaker;
  attempts: Attempts;
}

/** A name is taken for everybody, and each Project may store as much again. */
export const projectsADay: AttemptLimit = {
  most: 50,
  windowMs: 24 * 60 * 60_000,
  refusal: projectTexts.tooManyProjects,
};

/** Anybody with an account makes Projects, in a Workspace only its owners; administrators make Workspaces. */
export function newOwnerRoutes(parts: NewOwnerRouteParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { workspace?: unknown } }>(newProjectPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      const { workspace } = request.query;
      const typed = { ...noProject, workspace: typeof workspace === 'string' ? workspace : '' };
      return answerProject(parts, request, reply, person, typed, {});
    });
    server.post(newProjectPath, async (request, reply) => {
      const person = await personOrSignIn(parts.frames, request, reply);
      return person ? makeProject(parts, request, reply, person) : reply;
    });
    server.get(newWorkspacePath, async (request, reply) => {
      const person = await administrator(parts, request, reply);
      return person ? answerWorkspace(parts, request, reply, person, noWorkspace, {}) : reply;
    });
    server.post(newWorkspacePath, async (request, reply) => {
      const person = await administrator(parts, request, reply);
      return person ? makeWorkspace(parts, request, reply, person) : reply;
    });
  };
}

const noProject = { name: '', description: '', workspace: '' };
const noWorkspace = { name: '', displayName: '', icon: '' };

async function administrator(parts: NewOwnerRouteParts, request: FastifyRequest, reply: FastifyReply) {
  const person = await personOrSignIn(parts.frames, request, reply);
  if (person && !person.actor.user.administrator) throw missing();
  return person;
}

async function makeProject(
  parts: NewOwnerRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
) {
  const typed = readProject(readSessionForm(person, request.body));
  const { user } = person.actor;
  if (typed.workspace !== '') {
    const workspace = await parts.data.owners.findWorkspace(typed.workspace);
    if (!workspace || !(await parts.data.owners.isWorkspaceOwner(workspace.id, user.id))) throw missing();
  }
  const faults = faultsOf({
    name: () => checkName('project', typed.name),
    description: () => checkDescription(typed.description),
  });
  if (isFaulty(faults)) return answerProject(parts, request, reply, person, typed, faults);
  await parts.attempts.count(['make a project', user.id], projectsADay);
  const { name, description } = typed;
  const workspaceName = typed.workspace === '' ? null : typed.workspace;
  const project = { name, description, workspaceName, ownerName: user.name, by: person.actor };
  const fault = await taken(() => parts.owners.makeProject(project));
  if (fault) return answerProject(parts, request, reply, person, typed, { name: fault });
  return reply.redirect(`${projectPath(name)}?done=made`, 303);
}

function readProject(form: FormFields): typeof noProject {
  return {
    name: form.text('name').trim(),
    description: form.text('description').replace(/\r\n?/g, '\n').trim(),
    workspace: form.optional('workspace') ?? '',
  };
}

async function makeWorkspace(
  parts: NewOwnerRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
) {
  const form = readSessionForm(person, request.body);
  const typed = {
    name: form.text('name').trim(),
    displayName: form.text('display_name').trim(),
    icon: form.text('icon_url').trim(),
  };
  const faults = faultsOf({
    name: () => checkName('workspace', typed.name),
    displayName: () => checkDisplayName(typed.displayName),
    icon: () => checkIconUrl(typed.icon || defaultWorkspaceIcon),
  });
  if (isFaulty(faults)) return answerWorkspace(parts, request, reply, person, typed, faults);
  const workspace = {
    name: typed.name,
    displayName: typed.displayName || null,
    iconUrl: typed.icon || null,
    ownerName: person.actor.user.name,
    by: person.actor,
  };
  const fault = await taken(() => parts.owners.makeWorkspace(workspace));
  if (fault) return answerWorkspace(parts, request, reply, person, typed, { name: fault });
  return reply.redirect(`${workspacePath(typed.name)}?done=made`, 303);
}

/** What is wrong with the name, null when it was free. */
async function taken(make: () => Promise<unknown>): Promise<string | null> {
  try {
    await make();
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}

async function answerProject(
  { data, frames }: NewOwnerRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  typed: typeof noProject,
  faults: OwnerFaults,
) {
  const workspaces = await data.workspaces.listOwnedBy(person.actor.user.id);
  const html = renderNewProject({ frame: frames.of(request, person), workspaces, typed, faults });
  return frames.send(isFaulty(faults) ? reply.code(400) : reply, html);
}

async function answerWorkspace(
  { frames }: NewOwnerRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  typed: typeof noWorkspace,
  faults: OwnerFaults,
) {
  const html = renderNewWorkspace({ frame: frames.of(request, person), typed, faults });
  return frames.send(isFaulty(faults) ? reply.code(400) : reply, html);
}
