import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Attempts } from '../access/attempts.ts';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type FormFields, readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { Actor } from '../owners/actor.ts';
import { checkDisplayName, checkIconUrl } from '../owners/make-owners.ts';
import type { Workspace } from '../owners/owner.ts';
import { workspacePath, workspaceSettingsPath } from '../owners/owner-addresses.ts';
import { keepEverything } from '../owners/retention.ts';
import { projectTexts } from '../web/project-texts.ts';
import { addLimit, addSubject } from './add-limit.ts';
import { faultsOf, isFaulty } from './form-faults.ts';
import { type AskedNames, listByName } from './list-by-name-http.ts';
import { missing } from './overseen-owner-http.ts';
import {
  findOverseenWorkspace,
  type OverseenWorkspace,
  overseesWorkspace,
} from './overseen-workspace-http.ts';
import type { OwnerChanges } from './owner-changes.ts';
import type { OwnerDeletion } from './owner-deletion.ts';
import { renderWorkspaceDeletion } from './owner-deletion-page.tsx';
import { type FoundInWorkspace, renderFoundInWorkspace, renderWorkspacePage } from './workspace-page.tsx';
import { renderWorkspaceSettings, type WorkspaceRefusal } from './workspace-settings-page.tsx';

export interface WorkspaceRouteParts {
  data: Data;
  frames: PageFrames;
  ownerChanges: OwnerChanges;
  ownerDeletion: OwnerDeletion;
  attempts: Attempts;
}

interface WorkspaceAddress {
  Params: { workspace: string };
  Querystring: AskedNames & { done?: unknown; part?: unknown };
}

type WorkspaceRequest = FastifyRequest<WorkspaceAddress>;

type Known = OverseenWorkspace;

const words = projectTexts.workspace;

/** The page of a Workspace; its settings and its deletion are for its owners and for administrators. */
export function workspaceRoutes(parts: WorkspaceRouteParts): RouteModule {
  const address = '/enterprises/:workspace';
  const overseen =
    (answer: (request: WorkspaceRequest, reply: FastifyReply, known: Known) => Promise<FastifyReply>) =>
    async (request: WorkspaceRequest, reply: FastifyReply) => {
      const known = await findOverseenWorkspace(parts, request, reply);
      return known ? answer(request, reply, known) : reply;
    };
  return (server) => {
    server.get<WorkspaceAddress>(address, (request, reply) => answerWorkspace(parts, request, reply));
    server.get<WorkspaceAddress>(
      `${address}/settings`,
      overseen((request, reply, known) => answerSettings(parts, request, reply, known, null)),
    );
    server.post<WorkspaceAddress>(
      `${address}/settings`,
      overseen((request, reply, known) => change(parts, request, reply, known)),
    );
    server.get<WorkspaceAddress>(
      `${address}/delete`,
      overseen((request, reply, known) =>
        answerDeletion(parts, request, reply, known, { status: 200, typed: '' }),
      ),
    );
    server.post<WorkspaceAddress>(
      `${address}/delete`,
      overseen((request, reply, known) => remove(parts, request, reply, known)),
    );
  };
}

async function answerWorkspace(parts: WorkspaceRouteParts, request: WorkspaceRequest, reply: FastifyReply) {
  const { data, frames } = parts;
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return reply;
  const { actor } = caller;
  const workspace = await data.owners.findWorkspace(request.params.workspace);
  if (!workspace) throw missing();
  const oversees = await overseesWorkspace(data, actor, workspace);
  const found = await findProjects(data, actor, workspace, oversees, request.query);
  const frame = frames.of(request, caller);
  // What a script asks for while somebody types.
  if (request.query.part === 'found') {
    return frames.send(reply, renderFoundInWorkspace({ workspace, found, isOwners: oversees }));
  }
  const owns = actor.kind === 'user' && (await data.owners.isWorkspaceOwner(workspace.id, actor.user.id));
  const html = renderWorkspacePage({
    frame,
    workspace,
    found,
    owns,
    oversees,
    done: request.query.done === 'made' ? projectTexts.newWorkspace.done : null,
  });
  return frames.send(reply, html);
}

/**
 * Throws `not_found` for those who have no business in the Workspace: neither its owners nor members of one of its
 * Projects, nor administrators.
 */
async function findProjects(
  { projectLists }: Data,
  actor: Actor,
  workspace: Workspace,
  oversees: boolean,
  asked: AskedNames,
): Promise<FoundInWorkspace> {
  if (actor.kind === 'project') {
    if (actor.project.workspace?.id !== workspace.id) throw missing();
    return { query: '', projects: [actor.project], paging: { newer: null, older: null } };
  }
  const inside = { workspaceId: workspace.id, ...(oversees ? {} : { memberId: actor.user.id }) };
  if (!oversees && (await projectLists.listProjects(inside, [], { most: 1 })).length === 0) throw missing();
  const { items, ...found } = await listByName(
    asked,
    workspacePath(workspace.name),
    (words, page) => projectLists.listProjects(inside, words, page),
    ({ project }) => project.name,
  );
  return { ...found, projects: items.map(({ project }) => project) };
}

async function change(
  parts: WorkspaceRouteParts,
  request: WorkspaceRequest,
  reply: FastifyReply,
  known: Known,
) {
  const form = readSessionForm(known.person, request.body);
  const act = form.text('act');
  if (act === 'look') return changeLook(parts, request, reply, known, form);
  if (act !== 'add-owner' && act !== 'remove-owner') {
    throw invalid('the form asks for nothing that is known here');
  }
  const { actor } = known.person;
  const address = workspaceSettingsPath(known.workspace.name);
  if (act === 'add-owner') {
    const login = form.text('login').trim();
    await parts.attempts.count(addSubject(actor.user.id), addLimit);
    const outcome = await parts.ownerChanges.addWorkspaceOwner(actor, known.workspace, login);
    if (outcome === 'added') return reply.redirect(`${address}?done=added`, 303);
    const fault = outcome === 'already' ? words.already : projectTexts.people.faults.unknown;
    return answerSettings(parts, request, reply, known, { login, loginFault: fault });
  }
  const userId = form.text('user');
  const outcome = await parts.ownerChanges.removeWorkspaceOwner(actor, known.workspace, userId);
  if (outcome === 'last-owner') {
    return answerSettings(parts, request, reply, known, { sentence: words.lastOwner });
  }
  const gone = userId === actor.user.id && !actor.user.administrator;
  return reply.redirect(gone ? '/' : `${address}${outcome === 'removed' ? '?done=removed' : ''}`, 303);
}

async function changeLook(
  parts: WorkspaceRouteParts,
  request: WorkspaceRequest,
  reply: FastifyReply,
  known: Known,
  form: FormFields,
) {
  const look = { displayName: form.text('display_name').trim(), icon: form.text('icon_url').trim() };
  const faults = faultsOf({
    displayName: () => checkDisplayName(look.displayName),
    icon: () => checkIconUrl(look.icon),
  });
  if (isFaulty(faults)) return answerSettings(parts, request, reply, known, { look, faults });
  const changed = { displayName: look.displayName, iconUrl: look.icon };
  await parts.ownerChanges.changeWorkspace(known.person.actor, known.workspace, changed);
  return reply.redirect(`${workspaceSettingsPath(known.workspace.name)}?done=saved`, 303);
}

const doneSentences: ReadonlyMap<unknown, string> = new Map([
  ['saved', projectTexts.settings.saved],
  ['added', words.added],
  ['removed', words.removed],
]);

async function answerSettings(
  { data, frames }: WorkspaceRouteParts,
  request: WorkspaceRequest,
  reply: FastifyReply,
  { person, workspace }: Known,
  refused: WorkspaceRefusal | null,
) {
  const html = renderWorkspaceSettings({
    frame: frames.of(request, person),
    workspace,
    owners: await data.workspaces.listOwners(workspace.id),
    projects: await data.workspaces.countProjects(workspace.id),
    retention: (await data.retention.ruleOf('workspace', workspace.id)) ?? keepEverything,
    done: refused ? null : (doneSentences.get(request.query.done) ?? null),
    refused,
  });
  return frames.send(refused ? reply.code(refused.sentence ? 409 : 400) : reply, html);
}

async function answerDeletion(
  { data, frames }: WorkspaceRouteParts,
  request: WorkspaceRequest,
  reply: FastifyReply,
  { person, workspace }: Known,
  { status, typed }: { status: 200 | 400 | 409; typed: string },
) {
  const html = renderWorkspaceDeletion({
    frame: frames.of(request, person),
    workspace,
    projects: await data.workspaces.countProjects(workspace.id),
    typed,
    unconfirmed: status === 400,
  });
  return frames.send(reply.code(status), html);
}

async function remove(
  parts: WorkspaceRouteParts,
  request: WorkspaceRequest,
  reply: FastifyReply,
  known: Known,
) {
  const form = readSessionForm(known.person, request.body);
  if (form.text('act') !== 'delete') throw invalid('the form asks for nothing that is known here');
  const typed = form.text('confirmation');
  const outcome = await parts.ownerDeletion.deleteWorkspace(known.person.actor, known.workspace, typed);
  if (outcome === 'deleted') return reply.redirect('/?done=workspace-deleted', 303);
  const status = outcome === 'unconfirmed' ? 400 : 409;
  return answerDeletion(parts, request, reply, known, { status, typed });
}
